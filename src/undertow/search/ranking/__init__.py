"""From a question to answers: `questions`, the `modes` that score documents (with `codes`),
`answers` with near-copies together, and the `reasons` for them.
"""
