"""Benchmarks: workloads, contenders and the report that writes the README's speed table.

`pytest benches --benchmark-enable` runs the suites (without the option every benchmark runs once, for its answers),
`python -m benches.report` the interleaved comparison. Nothing here is installed.
"""
