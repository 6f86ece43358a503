-- The search index over paper_text. fold.py makes the tokens, so the tokenizer must not have ideas of its own:
-- 'ascii' parts at blanks and takes everything beyond ASCII as part of a word, in every version of SQLite.
-- '_' is in no token that fold.py makes from text, so shelf_5 and topic_theory cannot be typed as a word.

CREATE VIRTUAL TABLE paper_index USING fts5 (
  title, authors, abstract, tokens,
  content = 'paper_text', content_rowid = 'paper_id',
  tokenize = "ascii tokenchars '_'"
);
INSERT INTO paper_index (paper_index, rank) VALUES ('rank', 'bm25(10.0, 5.0, 1.0, 0.0)');
-- Big imports write fewer, larger pieces; the memory is taken only while one runs.
INSERT INTO paper_index (paper_index, rank) VALUES ('hashsize', 16777216);

CREATE VIRTUAL TABLE paper_word USING fts5vocab (paper_index, row);

-- What is added is indexed by storage/index_sqlite.py; what changes or goes, here.

CREATE TRIGGER paper_text_removed AFTER DELETE ON paper_text BEGIN
  INSERT INTO paper_index (paper_index, rowid, title, authors, abstract, tokens)
  VALUES ('delete', old.paper_id, old.title, old.authors, old.abstract, old.tokens);
END;

CREATE TRIGGER paper_text_changed AFTER UPDATE ON paper_text BEGIN
  INSERT INTO paper_index (paper_index, rowid, title, authors, abstract, tokens)
  VALUES ('delete', old.paper_id, old.title, old.authors, old.abstract, old.tokens);
  INSERT INTO paper_index (rowid, title, authors, abstract, tokens)
  VALUES (new.paper_id, new.title, new.authors, new.abstract, new.tokens);
END;
