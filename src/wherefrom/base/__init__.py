"""What knows no language: sources and spans, records, diagnostics and their rendering, the host, deep recursion."""
