-- The first house. Times: integer microseconds UTC. JSON and fractions: TEXT. Truth: 0/1.
-- Common ground of SQLite and PostgreSQL, but for the search index, which each engine adds in its own file.

CREATE TABLE club (
  id           INTEGER PRIMARY KEY,
  name         TEXT NOT NULL,
  language     TEXT NOT NULL,
  zone         TEXT NOT NULL,              -- IANA name
  salt         TEXT NOT NULL,              -- 32 hex digits, made once, part of every backup
  settings     TEXT NOT NULL,              -- JSON of clubs.model.Settings
  created_at   INTEGER NOT NULL,
  paused_at    INTEGER,                    -- NULL: running
  paused_until INTEGER,                    -- NULL beside paused_at: until resumed
  used_up_told INTEGER NOT NULL DEFAULT 0, -- last told of papers left: 0 nothing, 1 none are left, 2 few are
  deleted_at   INTEGER
);

CREATE TABLE channel (
  id        INTEGER PRIMARY KEY,
  club_id   INTEGER NOT NULL REFERENCES club(id),
  platform  TEXT NOT NULL,                 -- preview, discord, slack
  workspace TEXT NOT NULL DEFAULT '',      -- server or workspace; '' where there is none
  native_id TEXT NOT NULL,
  name      TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  left_at   INTEGER,                       -- no new posts since; open rounds stay where they are
  UNIQUE (platform, workspace, native_id)
);
CREATE INDEX channel_of_club ON channel (club_id);

CREATE TABLE member (
  id        INTEGER PRIMARY KEY,
  club_id   INTEGER NOT NULL REFERENCES club(id),
  name      TEXT NOT NULL,
  organiser INTEGER NOT NULL DEFAULT 0,
  joined_at INTEGER NOT NULL,
  left_at   INTEGER
);
CREATE INDEX member_of_club ON member (club_id);

CREATE TABLE account (
  id        INTEGER PRIMARY KEY,
  club_id   INTEGER NOT NULL REFERENCES club(id),
  member_id INTEGER NOT NULL REFERENCES member(id),
  platform  TEXT NOT NULL,
  workspace TEXT NOT NULL DEFAULT '',
  native_id TEXT NOT NULL,
  UNIQUE (club_id, platform, workspace, native_id)
);
CREATE INDEX account_of_member ON account (member_id);
CREATE INDEX account_by_user ON account (platform, workspace, native_id);

CREATE TABLE paper (
  id                INTEGER PRIMARY KEY AUTOINCREMENT, -- p-numbers are never used again
  club_id           INTEGER REFERENCES club(id),       -- NULL: the shared shelf
  title             TEXT,
  name              TEXT,                              -- headline: the work's own name
  headline          TEXT,                              -- headline: name included; NULL where there is a title
  authors           TEXT NOT NULL,                     -- JSON list
  authors_truncated INTEGER NOT NULL DEFAULT 0,
  area              TEXT,
  subarea           TEXT,
  abstract          TEXT NOT NULL,
  url               TEXT,
  year              INTEGER,
  venue             TEXT,
  arxiv_id          TEXT,
  doi               TEXT,
  sources           TEXT NOT NULL DEFAULT '[]',        -- JSON list
  added_at          INTEGER NOT NULL,
  merged_into       INTEGER REFERENCES paper(id),
  removed_at        INTEGER
);
CREATE INDEX paper_of_shelf ON paper (club_id, area, subarea) WHERE merged_into IS NULL AND removed_at IS NULL;
CREATE INDEX paper_by_url ON paper (url) WHERE url IS NOT NULL;

CREATE TABLE paper_key (                   -- what makes two records one paper, one shelf at a time
  shelf    INTEGER NOT NULL,               -- club id, 0 for the shared shelf
  key      TEXT NOT NULL,                  -- papers.same.identity_keys
  paper_id INTEGER NOT NULL REFERENCES paper(id),
  PRIMARY KEY (shelf, key)
);

CREATE TABLE paper_text (                  -- folded by search/fold.py; the engine's index reads from here
  paper_id INTEGER PRIMARY KEY REFERENCES paper(id),
  title    TEXT NOT NULL,                  -- title, else headline
  authors  TEXT NOT NULL,
  abstract TEXT NOT NULL,
  tokens   TEXT NOT NULL                   -- shelf and topic as tokens, weight 0
);

CREATE TABLE query_key (                   -- long queries behind the short keys in button ids
  key     TEXT PRIMARY KEY,
  text    TEXT NOT NULL,
  used_at INTEGER NOT NULL
);

CREATE TABLE draft (                       -- form values that failed: nothing typed is lost
  id         INTEGER PRIMARY KEY,
  club_id    INTEGER,
  account    TEXT NOT NULL,
  form       TEXT NOT NULL,
  fields     TEXT NOT NULL,                -- JSON
  created_at INTEGER NOT NULL
);

CREATE TABLE saved (
  club_id   INTEGER NOT NULL REFERENCES club(id),
  member_id INTEGER NOT NULL REFERENCES member(id),
  paper_id  INTEGER NOT NULL REFERENCES paper(id),
  saved_at  INTEGER NOT NULL,
  PRIMARY KEY (club_id, member_id, paper_id)
);

CREATE TABLE pick (                        -- which paper a day, once a club
  club_id   INTEGER NOT NULL REFERENCES club(id),
  subject   TEXT NOT NULL,                 -- scheduled local date, or 'extra:N'
  paper_id  INTEGER NOT NULL REFERENCES paper(id),
  area      TEXT,                          -- as they were on that day
  subarea   TEXT,
  reason    TEXT NOT NULL,                 -- JSON of daily.choose.Reason
  picked_at INTEGER NOT NULL,
  PRIMARY KEY (club_id, subject)
);
CREATE INDEX pick_of_paper ON pick (club_id, paper_id);

CREATE TABLE nomination (
  id         INTEGER PRIMARY KEY,
  club_id    INTEGER NOT NULL REFERENCES club(id),
  paper_id   INTEGER NOT NULL REFERENCES paper(id),
  member_id  INTEGER NOT NULL REFERENCES member(id),
  reason     TEXT NOT NULL DEFAULT '',
  state      TEXT NOT NULL,                -- open, chosen, read, withdrawn, removed, expired
  rounds     INTEGER NOT NULL DEFAULT 0,   -- rounds it stood in and lost
  created_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  changed_by INTEGER REFERENCES member(id),
  note       TEXT NOT NULL DEFAULT ''      -- why it was removed or withdrawn
);
CREATE UNIQUE INDEX nomination_once ON nomination (club_id, paper_id) WHERE state = 'open';
CREATE INDEX nomination_open ON nomination (club_id, state, created_at);

CREATE TABLE backer (
  nomination_id INTEGER NOT NULL REFERENCES nomination(id),
  member_id     INTEGER NOT NULL REFERENCES member(id),
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (nomination_id, member_id)
);

CREATE TABLE round (
  id             INTEGER PRIMARY KEY,
  club_id        INTEGER NOT NULL REFERENCES club(id),
  number         INTEGER NOT NULL,         -- 1, 2, 3 … in the club
  method         TEXT NOT NULL,
  rules          TEXT NOT NULL,            -- JSON, frozen at opening
  state          TEXT NOT NULL,            -- voting, decided, discussed
  opens_at       INTEGER NOT NULL,
  closes_at      INTEGER NOT NULL,         -- a ballot counts strictly before this instant
  meeting_at     INTEGER,
  closed_at      INTEGER,
  closed_by      INTEGER REFERENCES member(id),
  close_note     TEXT NOT NULL DEFAULT '',
  away_from      INTEGER,                  -- the outage the deadline was extended for
  away_to        INTEGER,
  outcome        TEXT,                     -- decided, single, nobody, all_blank, all_withdrawn, no_nomination, quorum
  winner_paper   INTEGER REFERENCES paper(id),
  result         TEXT,                     -- JSON, frozen at closing
  secret         TEXT,
  commitment     TEXT,
  UNIQUE (club_id, number)
);
CREATE UNIQUE INDEX round_one_open ON round (club_id) WHERE state = 'voting';
CREATE INDEX round_due ON round (state, closes_at);

CREATE TABLE candidate (
  round_id      INTEGER NOT NULL REFERENCES round(id),
  position      INTEGER NOT NULL,          -- 1 … 25, in order of nomination
  nomination_id INTEGER NOT NULL REFERENCES nomination(id),
  paper_id      INTEGER NOT NULL REFERENCES paper(id),
  nominated_at  INTEGER NOT NULL,
  withdrawn_at  INTEGER,
  PRIMARY KEY (round_id, position),
  UNIQUE (round_id, paper_id)
);
CREATE INDEX candidate_withdrawn ON candidate (round_id) WHERE withdrawn_at IS NOT NULL;

CREATE TABLE ballot_event (                -- append-only; the last one of a member counts
  round_id  INTEGER NOT NULL REFERENCES round(id),
  seq       INTEGER NOT NULL,              -- 1, 2, 3 … in the round
  member_id INTEGER NOT NULL REFERENCES member(id),
  at        INTEGER NOT NULL,
  payload   TEXT,                          -- JSON list of positions; [] is blank; NULL withdraws the ballot
  receipt   TEXT,
  prev_hash TEXT,
  hash      TEXT,
  PRIMARY KEY (round_id, seq)
);
CREATE INDEX ballot_of_member ON ballot_event (round_id, member_id, seq, at);

CREATE TABLE slot (                        -- what is due next, one row a club and kind
  club_id   INTEGER NOT NULL REFERENCES club(id),
  kind      TEXT NOT NULL,                 -- daily, open
  scheduled TEXT NOT NULL,                 -- the set local time, YYYY-MM-DDTHH:MM
  zone      TEXT NOT NULL,
  due_at    INTEGER NOT NULL,
  PRIMARY KEY (club_id, kind)
);
CREATE INDEX slot_due ON slot (due_at);

CREATE TABLE delivery (                    -- one message to one place, and the proof that it went
  id         INTEGER PRIMARY KEY,
  club_id    INTEGER NOT NULL REFERENCES club(id),
  kind       TEXT NOT NULL,                -- daily, extra, open, result, notice, redraw …
  subject    TEXT NOT NULL,                -- scheduled local date, 'round:transition', number of an extra post
  channel_id INTEGER NOT NULL REFERENCES channel(id),
  state      TEXT NOT NULL,                -- due, claimed, sent, uncertain, missed
  reason     TEXT NOT NULL DEFAULT '',     -- of the last refusal, or why it was missed
  payload    TEXT NOT NULL DEFAULT '{}',   -- JSON values the page needs beyond the rows it reads
  due_at     INTEGER NOT NULL,
  give_up_at INTEGER NOT NULL,             -- the end of the grace time
  next_try   INTEGER NOT NULL,
  attempts   INTEGER NOT NULL DEFAULT 0,
  claimed_at INTEGER,
  claimed_by TEXT,                         -- the process holding it
  sent_at    INTEGER,
  message_id TEXT,                         -- the platform's own, as text
  marker     TEXT NOT NULL,
  UNIQUE (club_id, kind, subject, channel_id)
);
CREATE INDEX delivery_due ON delivery (state, next_try);
CREATE INDEX delivery_of_channel ON delivery (channel_id, kind, sent_at);

CREATE TABLE heartbeat (
  id   INTEGER PRIMARY KEY CHECK (id = 1),
  at   INTEGER NOT NULL
);

CREATE TABLE act (                         -- what organisers and members did, in order: the club's own record
  id        INTEGER PRIMARY KEY,
  club_id   INTEGER NOT NULL REFERENCES club(id),
  member_id INTEGER REFERENCES member(id),
  at        INTEGER NOT NULL,
  what      TEXT NOT NULL,
  about     TEXT NOT NULL DEFAULT '{}'     -- JSON
);
CREATE INDEX act_recent ON act (club_id, member_id, at);
