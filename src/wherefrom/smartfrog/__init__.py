"""SmartFrog: from text to a store in which every value can say wherefrom it came.

`lexer` and `parser` make the `tree` (`grammar.txt` is the grammar), `evaluate` runs it and leaves a `store` of slots,
`history` turns slots into origins when asked, `output` writes stores, `front` is the door that the house uses.
"""
