"""`report_view`: a report in the output of a notebook's cell."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from undertow import _check
from undertow.report import _page, _write

if TYPE_CHECKING:
    from undertow.estimators import TopicModel

CHARSET = '<meta charset="utf-8">'
BASE = '<base href="about:srcdoc">'  # before the policy, which allows none after it


@dataclass(frozen=True)
class ReportView:
    """A report as a notebook shows it: the page that `write_report` writes, in a frame of its own.

    Attributes
    ----------
    page : str
        The whole page.
    height : int
        Of the frame, in pixels.

    Examples
    --------
    >>> view = undertow.report.report_view(model, n=4)
    >>> view.page.startswith("<!doctype html>")
    True
    """

    page: str
    height: int

    def __repr__(self) -> str:
        return f"ReportView({len(self.page):,} characters, height={self.height})"

    def _repr_html_(self) -> str:
        """Links to parts of the page would lead to the notebook's address but for the base."""
        framed = self.page.replace(CHARSET, CHARSET + BASE, 1)
        return (
            f"<iframe sandbox='allow-scripts' loading='lazy' width='100%' height='{self.height}' "
            f"style='border:0' title='Report' srcdoc='{escape(framed)}'></iframe>"
        )


def report_view(
    model: TopicModel | str | os.PathLike[str],
    corpus: Any = None,
    *,
    n: int | None = None,
    title: str | None = None,
    evaluate: bool = False,
    height: int = 720,
    seed: int = 0,
) -> ReportView:
    """A report in a notebook: the tree of topics, the map of documents and all else that
    `write_report` writes, to be looked at and clicked in the output of a cell.

    It is one page with its scripts inside, in a frame that is kept apart from the notebook, and
    asks no network for anything. It is stored with the notebook, beginnings of documents included.
    It needs the extra: pip install 'undertow[explorer]'.

    Parameters
    ----------
    model, corpus, n, title, evaluate, seed
        As of `write_report`; `evaluate` is off unless asked for, since it takes longest.
    height : int
        Of the frame, in pixels.

    Returns
    -------
    ReportView
        What the notebook shows.

    Examples
    --------
    >>> undertow.report.report_view(model, texts, n=4, height=500).height
    500
    """
    _page.check_extra()
    pixels = _check.whole_number("height", height, at_least=100)
    names = {"title": title, "corpus": None}
    page = _write.made_page(
        model,
        corpus,
        n=n,
        names=names,
        evaluate=evaluate,
        seed=seed,
        show=lambda work, done, total: None,
    )
    return ReportView(page, pixels)
