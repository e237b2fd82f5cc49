"""scikit-learn's English stop words, read from the one file that holds them: all of scikit-learn
takes a second.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

FILE = Path("feature_extraction") / "_stop_words.py"


@cache
def english_stop_words() -> frozenset[str]:
    """The words of `sklearn.feature_extraction.text.ENGLISH_STOP_WORDS`."""
    words = _from_file()
    if words is None:  # a version that keeps them elsewhere
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        words = frozenset(ENGLISH_STOP_WORDS)
    return words


def _from_file() -> frozenset[str] | None:
    package = find_spec("sklearn")
    places = list(package.submodule_search_locations or ()) if package else []
    for file in (Path(place) / FILE for place in places):
        spec = spec_from_file_location("undertow_english_stop_words", file)
        if file.is_file() and spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            words: frozenset[str] | None = getattr(module, "ENGLISH_STOP_WORDS", None)
            return words
    return None
