"""What both estimators are to scikit-learn."""

from __future__ import annotations

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin


# scikit-learn has no stubs
class Base(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer whose output columns are named after its class."""
