"""The house with the starter catalogue: imported once, copied for every test."""

from tests.lab.furnished import bare, house, stocked

__all__ = ["bare", "house", "stocked"]
