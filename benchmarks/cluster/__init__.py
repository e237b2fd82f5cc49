"""Fits on a cluster: quality by the number of workers, speed on this machine, and the traffic of
averaging.

    python -m benchmarks.cluster --traffic    # seconds; does not depend on the machine
    python -m benchmarks.cluster --quality    # 20 Newsgroups (UNDERTOW_DATA), workers in turn
    python -m benchmarks.cluster --speed      # needs Ray, and a quiet machine

docs/scaling.md has the tables.
"""
