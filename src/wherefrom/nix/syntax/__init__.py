"""From text to tree: lexer, parser, tree, the printer of trees, and what each name is bound by."""
