"""The SmartFrog semantics of Anderson and Herry as code: "A Formal Semantics for the SmartFrog Configuration Language".

`domains` has Definitions 4-6, `operations` Definitions 7-18, `valuation` Definitions 19-27: one function each, with the
paper's number, name and letters, on pure lists. `properties` states the paper's theorems so that tests can try them,
`step` shows the sequence of stores. Nothing here is fast; `wherefrom.smartfrog.evaluate` is, and must give the same.
"""
