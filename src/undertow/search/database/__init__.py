"""Documents in LanceDB: `store` is the only module that talks to it.

`event_loop` runs its calls, `row_stream` feeds it rows, `matrices` and `scan` read columns as
arrays; `quick_import` loads it in half of the time.
"""
