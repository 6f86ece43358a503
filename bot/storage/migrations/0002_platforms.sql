-- What real platforms need: servers that come and go, private messages, a role to call, members who may not write.

ALTER TABLE channel ADD COLUMN removed_at INTEGER;            -- the bot was taken out of the server; it may come back
ALTER TABLE channel ADD COLUMN role TEXT NOT NULL DEFAULT ''; -- called at openings, closings and meetings; '' nobody
ALTER TABLE channel ADD COLUMN trouble TEXT NOT NULL DEFAULT ''; -- why nothing can be posted there now; told once
ALTER TABLE channel ADD COLUMN trouble_at INTEGER;

ALTER TABLE club ADD COLUMN deleted_by INTEGER REFERENCES member(id); -- NULL: its last server was left

ALTER TABLE member ADD COLUMN blocked_at INTEGER;             -- may vote, not write

ALTER TABLE delivery ADD COLUMN account_id INTEGER REFERENCES account(id); -- a private message about the channel

CREATE TABLE server (                      -- a Discord server or Slack workspace the bot was seen in
  platform   TEXT NOT NULL,
  native_id  TEXT NOT NULL,
  joined_at  INTEGER NOT NULL,
  greeted_at INTEGER,                      -- once, also when it comes back
  removed_at INTEGER,
  PRIMARY KEY (platform, native_id)
);

CREATE TABLE kept (                        -- small things a platform told us, such as the ids of its commands
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  at    INTEGER NOT NULL
);
