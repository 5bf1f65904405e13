"""Compiled counterparts of the functions on arrays in `studio.trace`, with the same results.

`layout` has those of `studio.trace.layout`, `searching` those of `hits`, `pairing` and `sums` those
of the modules of the same name. They are used where that pays (`studio.formats.engine`).
"""
