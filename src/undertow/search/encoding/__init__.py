"""Texts as vectors and codes: many at once, or a question without the estimator."""
