"""Level production: the language as SmartFrog's own compiler had it, in its phases.

`lexer` and `parser` read the larger language (`grammar.txt`) into `tree`; `build` makes a tree of components of it,
which the phases then change: `types` (prototypes), `place` (placements), `construct` (functions and assertions), `link`
(references, and `functions` with them). `history` tells where a value came from, `output` writes it, `evaluate` is the
door. `library/` has what programs include by name.
"""
