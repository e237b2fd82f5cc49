"""Columns of an index: what they are called, what they hold, and filters that name them.

`grammar` turns a filter into a tree, `expression` a tree into the database's words, columns and
values checked. `column_names` and `column_kinds` (with `moments`) say what the columns are;
`kept_columns` chooses those that an index keeps.
"""
