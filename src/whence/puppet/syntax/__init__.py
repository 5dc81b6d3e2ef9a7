"""Puppet's front end: tokens, trees, the validator, and the printer that writes a tree back as source.

`parser.parse` and `parser.parse_epp` are the ways in; `grammar.txt` is the grammar, which a test compares with the
parser.
"""
