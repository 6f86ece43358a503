-- Receipts in place of names in the log of a vote, its chain of hashes, and what the ways of counting need.

CREATE TABLE receipt (                     -- whose ballots are behind a receipt: the one row that says so
  round_id  INTEGER NOT NULL REFERENCES round(id),
  member_id INTEGER NOT NULL REFERENCES member(id),
  secret    TEXT NOT NULL,                 -- 128 random bits as hex; '' in rounds from before there were receipts
  receipt   TEXT NOT NULL,                 -- the first 10 hex signs of HMAC-SHA256(secret, 'round|member')
  voter     INTEGER NOT NULL,              -- the same as a number that grows: the seq of its first event
  PRIMARY KEY (member_id, round_id),
  UNIQUE (round_id, receipt)
);

INSERT INTO receipt (round_id, member_id, secret, receipt, voter)
  SELECT round_id, member_id, '', 'm' || member_id, MIN(seq) FROM ballot_event GROUP BY round_id, member_id;

CREATE TABLE ballot_log (                  -- append-only; the last event of a receipt counts
  round_id  INTEGER NOT NULL REFERENCES round(id),
  seq       INTEGER NOT NULL,              -- 1, 2, 3 … in the round
  voter     INTEGER NOT NULL,              -- the seq of the receipt's first event: an index of receipts, which
  receipt   TEXT NOT NULL,                 -- are random, would be written all over at every commit
  at        INTEGER NOT NULL,
  payload   TEXT,                          -- JSON list of positions; [] is blank; NULL withdraws the ballot
  prev_hash TEXT,                          -- NULL, both, for events from before the log was chained
  hash      TEXT,
  PRIMARY KEY (round_id, seq)
);
INSERT INTO ballot_log (round_id, seq, voter, receipt, at, payload)
  SELECT b.round_id, b.seq, w.voter, w.receipt, b.at, b.payload FROM ballot_event b
  JOIN receipt w ON w.round_id = b.round_id AND w.member_id = b.member_id;
DROP TABLE ballot_event;
ALTER TABLE ballot_log RENAME TO ballot_event;
CREATE INDEX ballot_of_voter ON ballot_event (round_id, voter, seq, at);

ALTER TABLE round ADD COLUMN opening_head TEXT NOT NULL DEFAULT ''; -- what the log began with
ALTER TABLE round ADD COLUMN sheet TEXT;                -- the tally sheet, frozen at closing; NULL where there is none
ALTER TABLE round ADD COLUMN reminded_at INTEGER;
ALTER TABLE round ADD COLUMN waits_until INTEGER;       -- an organiser may decide its tie until then
ALTER TABLE round ADD COLUMN extended_for INTEGER REFERENCES paper(id); -- its withdrawal moved the closing

ALTER TABLE member ADD COLUMN remind INTEGER NOT NULL DEFAULT 0;
ALTER TABLE member ADD COLUMN forgotten_at INTEGER;     -- deleted themselves: the name is gone, closed votes stay

CREATE TABLE load (                        -- fair turns: what a member has paid in a season, in papers
  club_id   INTEGER NOT NULL REFERENCES club(id),
  season    INTEGER NOT NULL,
  member_id INTEGER NOT NULL REFERENCES member(id),
  load      TEXT NOT NULL,                 -- a fraction, '3/5'
  PRIMARY KEY (club_id, season, member_id)
);
CREATE INDEX round_waits ON round (waits_until) WHERE waits_until IS NOT NULL;
