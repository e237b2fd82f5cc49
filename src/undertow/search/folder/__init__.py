"""The folder of an index: what lies in it, beside the documents, and how it changes.

`layout` says what is where, `lock` lets one process write, `replacing` puts a finished index in the
place of another, `model_copy` writes the model again. `derived_files` are full text and
`byte_vectors`, which follow from the documents. `remote` opens an index on object storage.
"""
