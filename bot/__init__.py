"""The core of Paperclub. It imports no platform, no web library and nothing of adapters/.

    app        ReadingGroup: commands, presses and forms in, answers out; the clock's desk
    commands   the table of commands and actions that adapters, help and docs read
    errors     the tree of errors; they carry values, messages/ has the sentences
    settings   the only place that reads the environment
    papers     what a paper is: listing pages, readable text, headlines, sameness, the catalogue
    sources    which reader a file needs
    starter    the pages the starter catalogue is read from
    search     how papers are found: our query syntax, text to tokens
    clubs      who: clubs, channels, members, organisers, settings
    rounds     how the club decides: nominations, ballots, methods, ties, results
    daily      today's paper: which one, why this one, and what became of it
    schedule   when: local times to instants; the one file that knows APScheduler
    delivery   where messages go, and the proof that they went
    messages   what the bot says: blocks and forms, pages, words in every language
    storage    what is remembered: read(fn) and write(fn), one file a room

Imports point inwards: adapters → app → services → ports and pure files → models.
"""
