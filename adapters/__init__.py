"""Everything that knows a platform, a web page or a terminal. `compose` is the only place where all meets."""
