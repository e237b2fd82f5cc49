"""Which addresses lead to this machine alone."""

from __future__ import annotations

import pytest

from undertow.explorer.loopback import is_loopback


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.9.10", "::1"])
def test_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "", "localhost.com"])
def test_others_may_reach_it(host: str) -> None:
    assert not is_loopback(host)
