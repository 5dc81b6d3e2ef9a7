"""The fleet: many nodes compiled into a store that can be asked, and reused where nothing that was read has changed.

    nodes -> workers -> rows -> store (Parquet) -> questions (DuckDB)
                 reads -> traces -> reuse

`workers` and `traces` need nothing but Python; `store` and `questions` need the extra `wherefrom[fleet]`.
"""
