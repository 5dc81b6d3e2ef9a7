"""SmartFrog: from text to a store in which every value can say where it came from.

`lexer` and `parser` make the `tree` (`grammar.txt` is the grammar), `evaluate` runs it and leaves a `store` of slots,
`history` turns slots into origins when asked, `output` writes stores, `front` is what other packages use.
"""
