"""A helpful sentence or two for every key an error can have: what is so, then what to do."""

from __future__ import annotations

from bot.messages.words import N_

SENTENCES: dict[str, str] = {
    # ---- papers, topics, search ----
    "error.no_paper": N_("There is no paper {id}. Ids run from {first} to {last}."),
    "error.no_paper.of_unknown": N_(
        "There is no paper {id}. "
        "Searching finds papers by their words and authors."
    ),
    "error.no_papers": N_(
        "There is no paper yet. "
        "Whoever runs the bot brings them in with paperclub import."
    ),
    "error.no_topic": N_("There is no topic “{topic}”. Nearest: {topics}."),
    "error.no_topic.far": N_("There is no topic “{topic}”. All topics can be browsed."),
    "search.signs_only": N_(
        "There is no word to look for in “{query}”. "
        "Write a word, an author or a topic."
    ),
    "search.nothing": N_("There is no word to look for. Write a word, an author or a topic."),
    "search.too_long": N_("This search is longer than {n} characters. A few words are enough."),
    "error.old_query": N_("This list is too old to turn its pages. Please search again."),
    "today.none": N_("No paper has been posted yet. The first comes at the club’s time."),
    "today.none.off": N_("No paper has been posted yet, and none comes by itself."),
    "today.none.paused": N_("No paper has been posted yet. The club is paused."),
    # ---- commands and buttons ----
    "error.no_command": N_("There is no command {command}. Help lists them all."),
    "error.missing": N_("Something is missing after {command}. For example: {example}"),
    "error.missing.plain": N_("Something is missing after {command}. Help shows what it needs."),
    "error.unknown_button": N_("This button belongs to nothing any more. Help lists what can be done."),
    "error.no_draft": N_("What was typed here is no longer kept. Please open the form anew."),
    "error.old_button": N_(
        "This button belongs to the vote of {date}, which has closed. The present one is here: {link}"
    ),
    "error.rights": N_("Only organisers can do this. Ask {names}."),
    "error.rights.nobody": N_("Only organisers can do this. Ask whoever manages this server or workspace."),
    "error.blocked": N_(
        "An organiser has blocked you: you may vote, but not nominate, back papers or give reasons. "
        "Ask {names}."
    ),
    "error.blocked.nobody": N_(
        "An organiser has blocked you: you may vote, but not nominate, back papers or give reasons. "
        "Ask whoever manages this server or workspace."
    ),
    "error.not_member": N_(
        "You are not in the server of {club} any more. "
        "Join it again to take part."
    ),
    "error.cannot_check": N_(
        "I cannot check right now whether you are still in the server of {club}. "
        "Please do this in its channel."
    ),
    "error.not_in_channel": N_(
        "Only members of the channel of {club} can do this. Join the channel, then try again."
    ),
    "error.cannot_check.channel": N_(
        "I cannot check right now whether you are in the club’s channel. Please try again in a moment."
    ),
    "error.cannot_check.who": N_(
        "I cannot check right now whether you are a member here. Please try again in a moment."
    ),
    "error.old_choice": N_("This choice is too old. Please ask again."),
    "error.date": N_("“{value}” is not a day I can read. Write it like {example}."),
    "limit.writes": N_(
        "That was more than {limit} changes in a minute. "
        "Please wait {seconds} s and press again."
    ),
    # ---- the club ----
    "setup.missing": N_(
        "There is no club in this channel yet. "
        "Whoever manages this place can begin with /club setup."
    ),
    "setup.missing.private": N_(
        "You are in no club yet. "
        "Write in a channel of a server or workspace; whoever manages it can begin there with /club setup."
    ),
    "setup.private": N_(
        "A club stands in a channel, so it cannot be set up in private messages. "
        "Write /club setup in a channel of the server or workspace."
    ),
    "setup.rights": N_(
        "Only whoever manages this server or workspace can set up a club. "
        "Ask them to write /club setup."
    ),
    "setup.taken": N_(
        "This channel belongs to {club} already. "
        "Choose another channel, or change that club with /club settings."
    ),
    "setup.where": N_("Choose the channel the club stands in."),
    "setup.channel": N_("“{channel}” is no channel here. Choose one of the list, or leave it out for this one."),
    "error.no_club": N_("There is no such club. Look at its name or number again."),
    "error.which_club": N_(
        "More than one club can be meant here: {clubs}. "
        "Write in the channel of the one you mean."
    ),
    "club.several": N_("Several clubs fit: {clubs}. Give the number of one with --club."),
    "club.deleted": N_("{club} was deleted. An organiser can bring it back until {date} with /club restore."),
    "club.paused": N_("The club is paused until {date}. Write /club resume first."),
    "club.paused.undated": N_("The club is paused. Write /club resume first."),
    "error.no_member": N_(
        "There is no such member in this club. "
        "Members appear after their first press or command."
    ),
    "organisers.already": N_("{member} is an organiser already. Nothing changed."),
    "organisers.not_one": N_("{member} is no organiser. Nothing changed."),
    "organisers.namesakes": N_(
        "More than one member is called {member}. "
        "Write one of these: {names}."
    ),
    "organisers.last": N_(
        "{member} is the only organiser, and a club keeps at least one. "
        "Name another first."
    ),
    "organisers.change": N_("“{value}” is neither add nor remove. Write /club organisers add and a name."),
    "organisers.who": N_("Whom? Write the member’s name after /club organisers add."),
    "block.self": N_("You cannot block yourself. Nothing changed."),
    "block.organiser": N_(
        "{member} is an organiser, and organisers cannot be blocked. "
        "Take the role away first with /club organisers remove."
    ),
    "block.already": N_("{member} is blocked already. Nothing changed."),
    "block.not": N_("{member} is not blocked. Nothing changed."),
    "forget.last": N_(
        "You are the only organiser. Name another with /club organisers add first,"
        " or end the club with /club delete."
    ),
    "link.bad": N_("This code has been used or is too old. Get a new one with /paper link on {platform}."),
    "link.bad_club": N_(
        "This code has been used or is too old. "
        "Get a new one with /club link where the club stands already."
    ),
    "link.tries": N_("That was a wrong code {n} times. Please wait {minutes} min and get a new one."),
    "link.rights": N_(
        "Only whoever manages this server or workspace can join its channel to a club. "
        "Give the code to them."
    ),
    "link.here": N_(
        "{club} has a channel in this server or workspace already, and a club has one in each. "
        "To move it, write /club settings in that channel."
    ),
    "link.not_here": N_("{club} has no channel in this server or workspace. Nothing changed."),
    "link.only": N_("{club} stands nowhere else. To end it, write /club delete."),
    "link.one_side": N_(
        "{club} stands on one side only, so there is nothing to link. "
        "An organiser joins another server or workspace with /club link."
    ),
    "link.already": N_(
        "One of the two accounts is linked on both sides already. "
        "To take accounts apart, write /paper link."
    ),
    "link.same_side": N_(
        "This code was shown on this very side. "
        "Enter it with your account on the other one; it is still good."
    ),
    "link.gone": N_("This question was answered or is too old. Nothing changed; begin anew with /paper link."),
    "link.none": N_("Your account is linked to no other. Nothing changed."),
    "guests.vote": N_(
        "Guests and people of other workspaces read here, but do not vote or nominate. "
        "An organiser can allow it with /club settings, from the next vote on."
    ),
    "error.bot": N_("Bots read here, but take no part."),
    "undo.nothing": N_("There is no post to take back."),
    "undo.gone": N_(
        "This post was taken back already, or it was never sent. "
        "Nothing changed."
    ),
    "restore.none": N_(
        "There is no deleted club here that you can bring back. "
        "A club can be brought back for 30 days, by its organisers or whoever manages its server or workspace."
    ),
    "restore.taken": N_(
        "The channel of {club} belongs to {other} now. "
        "Delete that club, or move it to another channel, and try again."
    ),
    "restore.away": N_(
        "Paperclub is not in the server or workspace of {club} any more. "
        "Once it is invited again, you can bring the club back."
    ),
    "pause.past": N_(
        "{day} is over. "
        "Give a later day, or none to pause until /club resume."
    ),
    "pause.today": N_(
        "{day} has begun already. "
        "Give a later day, or none to pause until /club resume."
    ),
    "resume.running": N_("The club is not paused. Nothing changed."),
    "post.already": N_("This paper is posted already, or on its way. Nothing more was posted."),
    "post.other": N_("This preview is out of date: another paper would come now. Nothing was posted."),
    "post.used_up": N_(
        "Every paper in the catalogue has been posted here. "
        "An organiser can import more, or let the list start over in /club settings."
    ),
    "post.used_up.empty": N_(
        "There is no paper to post yet. "
        "An organiser can start with a catalogue in /club settings."
    ),
    # ---- settings ----
    "settings.everyone": N_(
        "Everybody on the server would be notified. "
        "Choose a role of those who want it, or none."
    ),
    "settings.role": N_("This is no role of this server. Choose one of the list, or none."),
    "settings.role.mute": N_(
        "Not everybody may mention this role. Allow it in the server’s role settings, or choose another."
    ),
    "settings.vote_role.everyone": N_(
        "This is the role that everybody has. "
        "Choose another, or none to let every member vote."
    ),
    "settings.group": N_("There is no group {value} here. The nearest is {near}."),
    "settings.group.far": N_(
        "No group {value} was found here. "
        "Write its handle, such as @readers, or leave it empty."
    ),
    "settings.name": N_("A name has 1 to {n} characters."),
    "settings.language": N_("The bot speaks English (en) and Chinese (zh)."),
    "settings.time": N_("“{value}” is not a time. Write it like 09:00, from 00:00 to 23:59."),
    "settings.day": N_("“{value}” is not a day of the week. Write it like Thu."),
    "settings.days": N_("“{value}” are not days of the week. Write them like Mon, Wed, Fri."),
    "settings.no_time": N_("“{value}” has no time. Write it like Mon 16:00."),
    "settings.no_day": N_("“{value}” has no day of the week. Write it like Mon 16:00."),
    "settings.no_moment": N_("A day and a time are missing. Write them like Mon 16:00."),
    "settings.no_days": N_("No day is ticked. Tick one, or switch the daily paper off."),
    "settings.switch": N_("“{value}” is neither yes nor no."),
    "settings.topics": N_("These topics cannot be read. Write one a line, at most 100."),
    "settings.method": N_("The way of voting “{value}” is not known. Tick any number suits most clubs."),
    "settings.keep_rounds": N_("“{value}” does not fit. A losing paper can stay for 1 to 52 rounds."),
    "settings.ties": N_("“{value}” is no way of breaking a tie. Choose one of the list."),
    "settings.secrecy": N_("“{value}” is neither secret nor open at close. Choose one of the list."),
    "settings.quorum": N_("“{value}” is not a number of members. Write a whole number, auto, or leave it empty."),
    "settings.quorum_range": N_("Your club has {n} members. Choose 1 to {n}, or leave it empty."),
    "settings.nominations_each": N_("“{value}” does not fit. A member can have 1 to 25 nominations."),
    "error.zone": N_("“{zone}” is not a time zone I know. Write it like {examples}."),
    "error.time": N_("“{time}” is not a time. Write it like 09:00, from 00:00 to 23:59."),
    "error.weekday": N_("“{weekday}” is not a day of the week. Write it like Thu."),
    "error.days": N_("“{days}” are not days of the week. Write them like Mon, Wed, Fri."),
    # ---- nominations ----
    "nominate.limit": N_("You have used your {n} nominations. Withdraw one to nominate another."),
    "nominate.full": N_(
        "The list is full: {n} papers are nominated, which is all a ballot can hold. "
        "There is room again after the next vote or when one is withdrawn."
    ),
    "nominate.own": N_("You have nominated {paper} already. It stays on the list."),
    "nominate.backed": N_("You back {paper} already. It stays on the list."),
    "nominate.chosen": N_(
        "{paper} is the paper for {date}. "
        "It can be nominated again after that meeting."
    ),
    "nominate.gone": N_("{paper} is no longer on the list. Nothing changed."),
    "nominate.reason_long": N_("A reason has at most {n} characters. Please shorten it."),
    "nominate.title_long": N_("A title has at most {n} characters. Please shorten it."),
    "nominate.no_title": N_("A title is needed for a link that is not in the catalogue."),
    "nominate.no_paper": N_(
        "This is neither a paper’s id nor a link. "
        "Write it like p57, or paste an address."
    ),
    "withdraw.others": N_(
        "Only {member} can withdraw this nomination. "
        "An organiser can take it off with /club remove."
    ),
    "error.no_nomination": N_("There is no such nomination. The list shows what is nominated now."),
    # ---- rounds and ballots ----
    "ballot.late": N_(
        "This vote closed on {when}. Your press came at {time} and was not counted. "
        "Your last ballot before closing stands: {papers}."
    ),
    "ballot.late.none": N_(
        "This vote closed on {when}. Your press came at {time} and was not counted. "
        "You had not voted before closing."
    ),
    "ballot.not_eligible": N_(
        "You joined after this vote opened. "
        "Your first vote is the next one, {when}."
    ),
    "ballot.not_eligible.undated": N_(
        "You joined after this vote opened. "
        "Your first vote is the next one."
    ),
    "ballot.link_required": N_(
        "In this vote only members linked on both platforms count. "
        "Write /paper link, enter the code on the other side and say yes on both; then vote."
    ),
    "ballot.role": N_(
        "In this vote only members with the role the club named vote on Discord. "
        "Once you hold it, you can vote until the closing."
    ),
    "ballot.role_unknown": N_(
        "In this vote only members with the role the club named vote on Discord, "
        "and your roles cannot be read here. Please vote in the server."
    ),
    "ballot.apart": N_(
        "This account was unlinked while this vote was open, so it has no ballot of its own in it. "
        "It votes again once this vote has closed, {when}."
    ),
    "ballot.unknown": N_("A ballot names papers 1 to {n}. Nothing was counted; please open it again."),
    "ballot.twice": N_("A ballot names each paper once. Nothing was counted; please open it again."),
    "ballot.one": N_("In this vote a ballot names one paper. Nothing was counted; please open it again."),
    "ballot.depth": N_("A ballot ranks at most {n} papers. Nothing was counted; please open it again."),
    "audit.head": N_("“{head}” is no head of a ballot log. Give {n} to {last} of the signs 0 to 9 and a to f."),
    "vote.none": N_("No vote is open. The next one opens {when}."),
    "vote.none.undated": N_("No vote is open. Papers can be nominated for the next one."),
    "error.no_round": N_("There is no such vote in this club. The last result may be what you look for."),
    "result.open": N_("This vote is still open, so it has no result yet. It closes {when}."),
    "results.empty": N_("There is no result yet. The first vote opens when papers are nominated."),
    "open.nothing": N_(
        "There is nothing to vote on: no paper is nominated. "
        "Nothing was posted."
    ),
    "open.already": N_("A vote is open already. It closes {when}."),
    "close.already": N_("This vote closed on {when}. Its result stands."),
    "close.none": N_("No vote is open. Nothing changed."),
    "close.no_reason": N_("A reason is needed to close a vote early. It is published with the result."),
    "decide.no_reason": N_("A reason is needed to decide a tie. It is published with the result."),
    "decide.none": N_("No paper is chosen. Choose the one that wins."),
    "decide.not_tied": N_("This paper is not one of those that are level. Nothing was decided."),
    "decide.over": N_("This tie is decided already, or there was none. Nothing changed."),
    # ---- the terminal ----
    "preview.port_taken": N_("Another program listens on port {port}. Give a free one with --port."),
    "preview.real_channels": N_(
        "This database serves a {platform} channel, and the preview has a clock of its own. "
        "Nothing was changed; give the preview another file with --database."
    ),
    "preview.not_here": N_(
        "The preview is for this computer alone. It listens on 127.0.0.1, never on {host}."
    ),
    "setting.port": N_("“{value}” is not a port. Give a number from 1 to 65535."),
    "setting.log": N_("“{value}” is not a level of logging. Give one of {levels}."),
    "setting.file": N_("{value} is not a text file in UTF-8. Write one setting a line, as in .env.example."),
    "setting.line": N_("Line {n} of {value} is not a setting. Write one setting a line, as in .env.example."),
    "setting.database": N_("“{value}” is not a database address. Give one like sqlite:///paperclub.db."),
    "setting.token": N_("{setting} holds blanks or letters a token never has. Copy the token anew and paste it whole."),
    "setting.address": N_("“{value}” in {setting} is not an address. It begins with {scheme} and names a server."),
    "setting.seconds": N_("“{value}” in {setting} is not a number of seconds. Give one from 0 to {last}."),
    "setting.host": N_("“{value}” in {setting} is not a name or address to listen on. Give one like 127.0.0.1."),
    "setting.listen": N_("Nothing can listen on {host}, port {port}: another program does, or it is not ours."),
    "setting.way": N_("{setting} needs {one} beside it, or {other} where Slack is to call this machine."),
    "tally.unknown_method": N_("“{method}” is not a method of counting. Give one of {known}."),
    "tally.bad_json": N_("This is not JSON. It cannot be read at line {line}, column {column}."),
    "tally.no_election": N_("This file holds no election. It needs candidates and ballots."),
    "tally.no_candidates": N_("This file names no candidates."),
    "tally.no_method": N_("This file names no method of counting. Give one with --method."),
    "tally.no_ballots": N_("This file has no list of ballots."),
    "tally.candidate": N_("Candidate {number} has no name."),
    "tally.candidate_twice": N_("The candidate “{option}” stands twice in this file."),
    "tally.ballot": N_("Ballot {ballot} cannot be read."),
    "tally.ballot_count": N_("Ballot {ballot} has the count “{value}”, which is no whole number from 1."),
    "tally.no_approvals": N_("Ballot {ballot} names no approvals, which this method counts."),
    "tally.unknown_option": N_("Ballot {ballot} names “{option}”, which is no candidate."),
    "tally.option_twice": N_("Ballot {ballot} names “{option}” twice."),
    "tally.nominated_at": N_("“{value}” of “{option}” is not a date with its offset from UTC."),
    "tally.seats": N_("“{seats}” is not a number of seats. Give a whole number from 1."),
    "tally.too_large": N_("This file is larger than {n} MB. No election needs so much."),
    "tally.key_twice": N_("“{name}” stands twice in one part of this file, and only one of them can be meant."),
    "tally.number": N_("{value} is not a number that JSON has."),
    "tally.candidates": N_("This file names more than {n} candidates."),
    "tally.no_ranking": N_("Ballot {ballot} ranks nothing, which this method needs."),
    "tally.no_scores": N_("Ballot {ballot} gives no points, which this method counts."),
    "tally.one_vote": N_("Ballot {ballot} names several, and this method counts one vote a ballot."),
    "tally.paid": N_("Ballot {ballot} has paid “{value}”, which is no fraction like 3/5."),
    "tally.receipt": N_("Ballot {ballot} has no receipt of its own. In a tally sheet each ballot stands once."),
    "tally.sheet": N_("This tally sheet cannot be read at “{name}”."),
    "tally.sheet_version": N_("This tally sheet has the version {version}. This program reads version {known}."),
    "tally.seal": N_("The secret in this tally sheet is not the one that was sealed when the vote opened."),
    "tally.majority": N_("“{value}” is not a majority. Give one like B=3, an option and how many times as many."),
    "tally.rule": N_("“{value}” cannot be the {rule} of this file."),
    "tally.score": N_("Ballot {ballot} gives “{option}” {value} stars. Give 0 to {n}."),
    "tally.no_option": N_("“{option}” is no candidate of this file."),
}  # fmt: skip
