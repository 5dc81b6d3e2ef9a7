"""The explorer: an outcome in a browser, served from the own machine or written as one page.

Read in this order:

| module      | what it is                                                                      |
|-------------|---------------------------------------------------------------------------------|
| `subject`   | what is shown: how to compile it, for which nodes, what can be walked through   |
| `documents` | every question the page asks, and its answer: the command line's JSON documents |
| `trying`    | texts that nobody has saved: what they change; what the expression at a place gave |
| `fragments` | a text, each stretch of it with its origin                                      |
| `page`      | the page: its bundle, and the policy it runs under                              |
| `report`    | one self-contained file: the page with all answers inside                       |
| `server`    | the same answers over HTTP, for this machine alone                              |

The page itself is written in TypeScript (`web/` at the top of the repository) and built ahead into `static/`.
"""
