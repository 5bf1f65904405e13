"""Profiles as documented tables, and the engines that several plugins compute with."""
