"""What can go wrong with a run as a whole. A source that cannot be read is a row of the table `errors` instead."""

from __future__ import annotations

from fastscore.errors import FastscoreError

__all__ = ["AuditError"]


class AuditError(FastscoreError):
    """A run that cannot begin or go on: the output folder, the rules, the workers. The message says how to go on."""
