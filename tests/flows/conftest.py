"""The house with the starter catalogue: imported once, copied for every test. No flow logs a token."""

from tests.lab.discord_house import no_token_is_logged
from tests.lab.furnished import both, house, stocked

__all__ = ["both", "house", "no_token_is_logged", "stocked"]
