"""Reports: what a model has learned, on one page that needs no network."""

from undertow.report._page import check_extra
from undertow.report._write import write_report

__all__ = ["check_extra", "write_report"]
