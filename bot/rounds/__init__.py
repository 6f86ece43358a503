"""How the club decides: nominations, ballots, counting, results."""
