"""The paper's tables and figures as runnable recipes: `undertow paper`.

Read in this order: `settings` (what is run, with which numbers), `experiments` (what each table and
figure is made of), `cells` and `kinds` (a unit of work, kept on disk by its settings), `runner`
(cells to processes), and what is written: `records`, `plots` and `page`. `reproduce` puts these
together.
"""
