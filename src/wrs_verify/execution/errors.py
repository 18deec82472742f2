"""What ends a run early."""

from __future__ import annotations

__all__ = ["ClusterError", "Interrupted", "NotRemembered"]


class Interrupted(BaseException):
    """The run was asked to stop. Not an Exception: no check may take it for an error of its own."""


class ClusterError(Exception):
    """The cluster cannot be reached, cannot be used, or was lost. The message says which, and is for users."""


class NotRemembered(Exception):
    """The history could not be written when all else was done. It is as it was; the message is for users."""
