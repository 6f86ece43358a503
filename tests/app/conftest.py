"""The house with the starter catalogue: imported once, copied for every test."""

from tests.lab.furnished import bare, both, house, stocked

__all__ = ["bare", "both", "house", "stocked"]
