-- What Slack told us and may tell again: it repeats events, and people press twice.

CREATE TABLE seen (
  key TEXT PRIMARY KEY,                    -- event, trigger or form, with the platform's own id
  at  INTEGER NOT NULL
);

CREATE INDEX seen_at ON seen (at);
