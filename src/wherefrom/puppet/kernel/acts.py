"""Side effects that a function may have: declared at the function, read where effects of code are summed up.

A function that only computes says nothing. One that acts says which of these it does; `ANYTHING` is what must be
assumed of a function that nothing is known about.

| act          | what it may do                                                                                 |
|--------------|------------------------------------------------------------------------------------------------|
| `DECLARES`   | declare the classes that its arguments name                                                    |
| `DECLARES_DATA` | declare the classes that data names                                                         |
| `CONTAINS`   | hold the classes that its arguments name in the class or define that it stands in             |
| `RELATES`    | add to the relationships of the class or define that it stands in                              |
| `CREATES`    | declare resources: the first argument is their type, the second a hash from titles             |
| `REALIZES`   | make virtual resources real                                                                    |
| `TAGS`       | tag the class or define that it stands in                                                      |
| `CALLS`      | call the function that its first argument names                                                |
| `RETURNS`, `BREAKS`, `CONTINUES` | leave the code that it stands in                                           |
| `ENDS_BREAK` | end a `break()` of its lambda: an iteration                                                    |
| `ANYTHING`   | all of it                                                                                      |

Reading is not declared here: what a function reads comes to it through the machine, which records every read.
"""

from __future__ import annotations

from enum import Flag, auto


class Acts(Flag):
    """A set of acts."""

    NOTHING = 0
    DECLARES = auto()
    DECLARES_DATA = auto()
    CONTAINS = auto()
    RELATES = auto()
    CREATES = auto()
    REALIZES = auto()
    TAGS = auto()
    CALLS = auto()
    RETURNS = auto()
    BREAKS = auto()
    CONTINUES = auto()
    ENDS_BREAK = auto()
    ANYTHING = auto()
