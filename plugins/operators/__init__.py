"""Operators on the device and on the host."""
