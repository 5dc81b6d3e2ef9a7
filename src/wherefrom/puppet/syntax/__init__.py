"""Puppet's front end: tokens, trees, and the validator.

`parser.parse` and `parser.parse_epp` are the ways in; `grammar.txt` is the grammar, which a test compares with the
parser.
"""
