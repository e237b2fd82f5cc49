"""An index for assistants: its documents and topics as tools of the Model Context Protocol (extra
`mcp`).

`records` says what tools answer with, `reading` finds it in an index, and `server` speaks the
protocol. Everything is read, nothing is written. The protocol's SDK is loaded by `server` alone.
"""

from undertow.assistant.reading import Reader, check_extra

__all__ = ["Reader", "check_extra"]
