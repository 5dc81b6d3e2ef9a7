"""Options of a module system, explained as options.

`trace.merges` notes every merge of definitions while a program is recorded, `notes` walks the cells of a recorded run,
`definitions` reads a merge as a person would (who defined what, with which priority, and what was chosen), and
`explain` tells it. Nothing here knows a particular library: a merge is recognised by its shape.
"""
