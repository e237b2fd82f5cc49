"""What a notebook shows of a fitted estimator: a few figures and its topics or units, above
scikit-learn's diagram.

Plain HTML, with every word and name escaped; no script, and nothing to install.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from undertow._html import CELL, NUMBER, block, line, table

if TYPE_CHECKING:
    from undertow.estimators.units import Unit
    from undertow.topics import Topic

TOPICS, WORDS_UP, WORDS_DOWN = 12, 8, 4


class TopicsDisplay:
    """Puts topics, or units where there is no tree of topics, before the diagram that scikit-learn
    displays.

    A class that has `units` and `history_`, its own or its part's, goes after it in the list of
    bases.
    """

    def _repr_html_inner(self) -> str:
        own: str = super()._repr_html_inner()  # type: ignore[misc]
        return _summary(self) + own

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = _summary(self) + bundle["text/html"]
        return bundle


def _summary(estimator: Any) -> str:
    """The figures and topics of a fitted estimator; nothing of one that is not."""
    try:
        softmax = getattr(estimator, "softmax_", estimator)
        check_is_fitted(softmax, "parameters_")
    except ValueError:  # scikit-learn's NotFittedError is one
        return ""
    rows: list[tuple[str, ...]]
    if hasattr(estimator, "atlas_"):
        topics = estimator.topics(n_words=WORDS_UP)
        rows = [_topic_row(topic) for topic in topics[:TOPICS]]
        titles = ("topic", "share", "name", "words")
    else:
        topics = estimator.units(n_words=WORDS_UP)
        rows = [_row(unit) for unit in topics[:TOPICS]]
        titles = ("unit", "on in", "words up", "words down")
    more = (
        f"<p style='margin:2px 0 8px'>and {len(topics) - TOPICS:,} more</p>"
        if len(topics) > TOPICS
        else ""
    )
    shown = table(list(zip(titles, (NUMBER, NUMBER, CELL, CELL), strict=True)), rows)
    return block(line(_line(estimator, softmax)), shown, more)


def _line(estimator: Any, softmax: Any) -> str:
    """Size, last loss and last split-half retrieval in one line."""
    parameters, records = softmax.parameters_, softmax.history_
    topics = f"{estimator.choose_topics().n:,} topics, " if hasattr(estimator, "atlas_") else ""
    parts = [f"{topics}{parameters.units:,} units over {parameters.words:,} words"]
    if records:
        parts += [f"{len(records):,} epochs", f"last loss {records[-1].loss:.4f}"]
    retrieval = next(
        (record.split_half for record in reversed(records) if record.split_half is not None), None
    )
    parts += [] if retrieval is None else [f"split-half {retrieval:.3f}"]
    return f"<b>{escape(type(estimator).__name__)}</b>: {', '.join(parts)}"


def _topic_row(topic: Topic) -> tuple[str, ...]:
    words = ", ".join(word.word for word in topic.words)
    return str(topic.id), f"{topic.share:.1%}", f"<b>{escape(topic.name)}</b>", escape(words)


def _row(topic: Unit) -> tuple[str, ...]:
    up, down = (
        ", ".join(word.word for word in words) for words in (topic.up, topic.down[:WORDS_DOWN])
    )
    named = (
        ""
        if topic.name == ", ".join(word.word for word in topic.up[:3])
        else f"<b>{escape(topic.name)}</b>: "
    )
    return str(topic.id), f"{topic.activity:.1%}", named + escape(up), escape(down)
