"""The compiled scanner of Chrome traces: the same columns as the portable reader, only faster.

`reader` reads a source with it and leaves every part that is not plain, valid JSON to the portable
reader; `scanner` turns what the kernels write into columns, with the texts in `tables`. The
kernels, one job each, are in `bits` (loads and masks), `strings`, `numbers`, `times`, `values`,
`interning`, `counters`, `fields` (one event), `rows` and `events`; what they have in common is on
the `board`. Only the compiler imports `instructions`.
"""
