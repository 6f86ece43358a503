"""The house with the starter catalogue: imported once, copied for every test."""

from tests.lab.furnished import house, stocked

__all__ = ["house", "stocked"]
