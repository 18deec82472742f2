"""Why a history cannot be used. Every message is for users."""

from __future__ import annotations

__all__ = ["DAMAGED", "WAIT", "HistoryError", "HistoryLocked", "HistoryMoved"]

#: For how many seconds a locked history is waited for, unless told otherwise.
WAIT = 30.0

#: How a message on a damaged history begins.
DAMAGED = "the history is damaged, or was changed by hand: "


class HistoryError(Exception):
    """The history, or a pin file, is damaged, foreign, newer, or not what is expected."""


class HistoryLocked(Exception):
    """Another program held the history for as long as was waited."""


class HistoryMoved(Exception):
    """Another run added to the history since it was looked at: look again."""
