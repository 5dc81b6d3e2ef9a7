"""muPuppet: the semantics of a subset of Puppet, as two papers define it, executable.

* Fu, Perera, Anderson, Cheney, *muPuppet: a declarative subset of the Puppet configuration language* ("the paper");
* Fu, *Semantics and provenance of configuration programming language muPuppet*, PhD thesis, Edinburgh ("the thesis").

Read the files in this order, with the papers beside them:

| file           | what it holds                                              | paper     | thesis              |
|----------------|------------------------------------------------------------|-----------|---------------------|
| `syntax`       | abstract syntax, scopes, labels                            | Fig. 6, 7 | Fig. 5.1-5.3        |
| `annotations`  | the algebra: plain, where, expression, dependency          |           | 4.2, 4.3, 5.2       |
| `judgement`    | configurations, switches, "at most one rule applies"       | 3.2       |                     |
| `plus`         | the operation +β                                           |           | Fig. 5.4, 5.5       |
| `environment`  | lookup, merge, clear, baseof, parentof                     | C.1       | A.3.1               |
| `expressions`  | rules LVar to SDefault, Expre                              | C.2       | A.3.2               |
| `composites`   | rules ArrExp to DeRefRes                                   | C.2       | A.3.2               |
| `resources`    | rules RbodyExp to Rbody                                    | C.3       | A.3.3               |
| `statements`   | rules ExprStep to DefScopeDone                             | C.4       | A.3.4, 5.2.2        |
| `declarations` | rules DefStep to ResumePlus                                | C.4       | A.3.4, 5.2.2        |
| `manifests`    | rules TopScope to CDefPI                                   | C.5       | A.3.5               |
| `effects`      | repair R1: what branches not taken would have done         |           | (5.3.1)             |
| `run`          | derivations, stuck states, fuel                            | 3.2       |                     |
| `theorems`     | labels, consistency, equivalence except at l               | 4         | 4.2.4, 4.3.4, 5.3.5 |
| `elaborate`    | from the Puppet front end's tree to the abstract syntax    |           |                     |
| `show`, `step` | terms in the papers' notation; derivations for a person    |           |                     |

Errata of both papers are mended where they stand; the rule's docstring says so.
"""
