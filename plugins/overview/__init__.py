"""One page about a profile, the import doctor, and packs."""
