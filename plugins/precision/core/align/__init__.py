"""Which call of one run is which call of the other, and what became of the rest."""
