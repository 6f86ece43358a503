-- What is told in private is told in the language of whoever reads it.

ALTER TABLE account ADD COLUMN language TEXT NOT NULL DEFAULT ''; -- of their client, of those we speak; '' not known
