"""From a corpus to an index: `survey` looks at all of it first, `rows` encodes it, `building` makes
an index or adds to one; `arrivals` and `new_ids` are about documents that come later.
"""
