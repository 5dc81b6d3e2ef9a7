"""Mininix: the Nix expression language as R. Broekhoff's thesis defines it (*Formally defining the semantics for the
Nix expression language*, Radboud University, 2024), as executable rules.

| module | in the thesis |
|---|---|
| `syntax` | the grammar, fig. 3.1, strong values, and the prelude, fig. 3.3 |
| `substitution` | parallel substitution, fig. 3.10, and the auxiliaries of fig. 3.6 |
| `operators` | binary operations, fig. 3.8 |
| `matching` | fig. 3.9 |
| `reduction` | the base steps, fig. 3.5, and evaluation contexts, fig. 3.7 |
| `interpreter` | the fuel interpreter, chapter 4 |
| `elaborate` | Nix to Mininix: the macros of fig. 3.2 and the rewrites of chapter 2, as a program |
| `step` | derivations for `wherefrom step` |

Letters, as in the thesis: e, d expressions; v, u values; x, y names; b bindings; br bindings of which some are
recursive; m matchers; n fuel or an integer; s strings. Where the printed figures slip, the function that mends
them says so.
"""
