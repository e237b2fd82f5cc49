"""Reports: what a model has learned, on one page that needs no network.

Examples
--------
>>> import undertow
>>> space = ["a rocket flew to the moon", "the moon and its orbit", "a probe left the orbit"]
>>> food = ["ripe apples and pears", "a cake of sweet pears", "apples in a honey cake"]
>>> texts = (space + food) * 20
>>> model = undertow.TopicModel(16, max_epochs=5, random_state=0).fit(texts)
"""

from undertow.report._page import check_extra
from undertow.report._view import ReportView, report_view
from undertow.report._write import write_report

__all__ = ["ReportView", "check_extra", "report_view", "write_report"]
