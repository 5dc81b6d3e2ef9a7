"""Nix: the language of Nix 2.8, from text to values, with the origin of every value.

`lexer`, `parser` and `tree` are the front end; `emit` and its siblings turn a tree into Python code, which `machine`
runs; `builtins/` has a function for each name in `builtins`; `derivation` and its helpers compute store paths without a
store; `output` prints as Nix prints; `trace` and `history` record and tell where a value came from. `front` is the
door.
"""
