"""Scripts that measure the service: each prints a table and writes JSON."""
