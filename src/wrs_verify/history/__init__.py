"""The memory of earlier runs: what was published once may not change in silence (see docs/history.md).

`history.store` has what a run needs. It is imported when a history is asked for: SQLite takes its time to load.
"""
