"""One module per file format: bytes in, plain columns or dataclasses out."""
