"""Full text: which documents hold the words of a question, and how telling that is (BM25).

Texts become words (`word_rule`), the words of many documents a segment (`segment`, made by
`segment_maker`), and segments an answer (`full_text`). `segment_folder` keeps their files in step
with the documents, `meant_words` finds what a mistyped word was meant to be, `near_copies` and
`sketches` find documents that are nearly the same. Nothing here knows of databases or models:
documents are the numbers of their rows.
"""
