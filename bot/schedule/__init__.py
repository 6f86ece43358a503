"""When: local times to instants, and what wakes us."""
