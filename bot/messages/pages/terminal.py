"""What the terminal says: an import's report, hints beside a search. Plain lines, no blocks."""

from __future__ import annotations

from bot.messages.cut import cut
from bot.messages.pages.lines import one_line
from bot.messages.words import N_, Words
from bot.papers.model import ImportReport, Problem
from bot.search.model import Found
from bot.search.query import without_quotes

_REASONS = {
    "empty": N_("there is no paper in it"),
    "not_text": N_("this is not text in UTF-8"),
    "no_header": N_("the first line is not 论文检索; it was read all the same"),
    "no_abstract": N_("no abstract follows these authors"),
    "no_authors": N_("this abstract has no authors before it"),
    "joined_abstract": N_("a blank line parts an abstract; it was joined"),
    "more_problems": N_("there are more than 1,000 problems; the rest are not listed"),
    "no_title": N_("it has no title"),
    "unknown_format": N_("this is no format I can read"),
}


def import_lines(words: Words, report: ImportReport, where: str = "") -> tuple[str, ...]:
    """What an import did, then a line for each problem with its place."""
    parts = [
        words.count_line("{n} paper added", "{n} papers added", report.added),
        words.count_line("{n} changed", "{n} changed", report.changed),
        words.count_line("{n} merged", "{n} merged", report.merged),
        words.count_line("{n} unchanged", "{n} unchanged", report.unchanged),
        words.count_line("{n} problem", "{n} problems", len(report.refused)),
    ]
    done = words.line(", ").join(parts)
    head = words.line("{where}: {what}", where=where, what=done) if where else done
    return (head, *(problem_line(words, problem, where) for problem in report.refused))


def problem_line(words: Words, problem: Problem, where: str = "") -> str:
    """One problem with the place to mend: '001.txt, line 12: no abstract follows these authors: …'."""
    place = words.line("line {line}", line=problem.line)
    if where:
        place = words.line("{where}, {place}", where=where, place=place)
    sentence = words.line("{where}: {what}", where=place, what=problem_reason(words, problem))
    text = cut(one_line(problem.text), 60)
    return words.line("{sentence}: “{text}”", sentence=sentence, text=text) if text else sentence


def problem_reason(words: Words, problem: Problem) -> str:
    """A problem's reason code in words; an unknown code stands as it is."""
    known = _REASONS.get(problem.reason)
    return words.line(known) if known else problem.reason


def search_hint(words: Words, found: Found, has_words: bool = True) -> str:
    """What helps after a search without hits; '' when there were some."""
    if found.total:
        return ""
    query = cut(one_line(without_quotes(found.query)), 80)
    if not has_words:
        return words.line(
            "There is no word to look for in “{query}”. Write a word, an author or a topic.", query=query
        )
    hint = words.line("No paper for “{query}”. Fewer words find more; topics can be browsed.", query=query)
    if found.did_you_mean is None:
        return hint
    word, papers = found.did_you_mean
    near = words.count("{n} paper has “{word}”.", "{n} papers have “{word}”.", papers, word=word)
    return "".join(str(part) for part in words.run_on(hint, near))
