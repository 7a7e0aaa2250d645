"""Bulk audit: many game records to tables, on one machine or a cluster.

`fastscore.audit.tables.audit_texts` is the pure function from record texts to Arrow record batches,
`fastscore.audit.run.run_audit` reads sources with it and writes a folder of Parquet files, `fastscore.audit.schema`
says what stands in them. Needs the extra: pip install 'fastscore[records]'.
"""

from __future__ import annotations

from importlib.util import find_spec

from fastscore.errors import MissingExtraError

__all__: list[str] = []

if find_spec("pyarrow") is None:
    raise MissingExtraError("pyarrow is not installed, expected the extra: pip install 'fastscore[records]'")
