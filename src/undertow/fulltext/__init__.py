"""Full text: which documents hold the words of a question, and how telling that is (BM25).

Texts become words (`words`), the words of many documents a segment (`segment`, written by
`making`), and segments an answer (`lists`). Nothing here knows of databases or models: documents
are the numbers of their rows.
"""
