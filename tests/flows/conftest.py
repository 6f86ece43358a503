"""The house with the starter catalogue: imported once, copied for every test."""

from tests.lab.furnished import both, house, stocked

__all__ = ["both", "house", "stocked"]
