-- One club on two platforms, and one human behind two accounts of it.

ALTER TABLE member ADD COLUMN merged_into INTEGER REFERENCES member(id); -- its accounts belong to that member now
ALTER TABLE member ADD COLUMN apart_at INTEGER;  -- unlinked then: no ballot of its own in a round open at that time

ALTER TABLE account ADD COLUMN own_id INTEGER REFERENCES member(id);     -- linked: the member it was before

CREATE TABLE link_code (                   -- shown once, never stored in clear; a row goes when it is used
  id         INTEGER PRIMARY KEY,
  club_id    INTEGER NOT NULL REFERENCES club(id),
  kind       TEXT NOT NULL,                -- club, member
  hash       TEXT NOT NULL UNIQUE,         -- SHA-256
  account_id INTEGER NOT NULL REFERENCES account(id), -- whom it was shown to
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX link_code_of_account ON link_code (account_id);

CREATE TABLE link_try (                    -- wrong codes, so that nobody guesses
  platform  TEXT NOT NULL,
  workspace TEXT NOT NULL,
  native_id TEXT NOT NULL,
  at        INTEGER NOT NULL
);
CREATE INDEX link_try_of_account ON link_try (native_id, at);

CREATE TABLE link (                        -- two accounts that may be one human's; it goes once both said so, or no
  id          INTEGER PRIMARY KEY,
  club_id     INTEGER NOT NULL REFERENCES club(id),
  first_id    INTEGER NOT NULL REFERENCES account(id), -- was shown the code
  first_name  TEXT NOT NULL,
  first_said  INTEGER NOT NULL DEFAULT 0,
  second_id   INTEGER NOT NULL REFERENCES account(id), -- entered it
  second_name TEXT NOT NULL,
  second_said INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL
);
CREATE INDEX link_of_first ON link (first_id);
CREATE INDEX link_of_second ON link (second_id);
