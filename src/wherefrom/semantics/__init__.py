"""The papers as code: one package per language, one function per rule, clarity over speed.

`rules` is what they share. A semantics knows its language's front end and nothing of the evaluators, which are tested
against it.
"""
