"""Text quality: quality.py EXTRACT [FORMAT]...

Writes the known text (known.py) in every format through the writers (write_*.py), lets EXTRACT (extract.c) read the files,
and compares: at least 99 % of the words, in order, and no more than 1 % others; no markup; headings, paragraphs, footnotes,
items and rows of tables where they belong; title, authors and date where the format has them. A line for each format."""
import difflib
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile

import known

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST = 0.99
# What no extraction of the known text may hold: tags, entities, commands, braces, marks of emphasis.
MARKUP = re.compile(r"</?\w|&\w+;|&#|\\[A-Za-z'\"]|[{}]|\*\*|__|``|''|\[\^|\^\[|\|\||=\d\d|https?:|\u00ad|\ufffd")


def writers():
    """{name of a case: module}; a writer gives CASES = {name: function} and may give facts about them."""
    cases = {}
    for name in sorted(os.listdir(HERE)):
        if name.startswith("write_") and name.endswith(".py"):
            module = importlib.import_module(name[:-3])
            for case, write in module.CASES.items():
                assert case not in cases, case
                cases[case] = module, write
    return cases


def structure(found, wanted):
    """Share of the wanted blocks (paragraphs, headings, lists, tables) that stand as such in the text."""
    blocks = set(found.split("\n\n"))
    missing = [block for block in wanted if block not in blocks]
    return 1 - len(missing) / len(wanted), missing


def judge(case, module, member):
    """-> (facts in words, faults)"""
    facts = getattr(module, "FACTS", {}).get(case, {})
    wanted = facts.get("expected") or known.expected(facts.get("equations"), facts.get("notes", "behind"))
    text, faults = member["text"], []
    words, found = " ".join(wanted).split(), text.split()
    matched = sum(m.size for m in difflib.SequenceMatcher(None, words, found, autojunk=False).get_matching_blocks())
    share, surplus = matched / len(words), (len(found) - matched) / len(words)
    whole, missing = structure(text, wanted)
    if share < LEAST:
        faults.append("only %.1f %% of the words" % (100 * share))
    if surplus > 1 - LEAST:
        faults.append("%.1f %% other words" % (100 * surplus))
    if whole < facts.get("structure", 1):
        faults.append("blocks that do not stand by themselves: %r" % missing[:2])
    if MARKUP.search(text):
        at = MARKUP.search(text).start()
        faults.append("markup: %r" % text[max(0, at - 20):at + 30])
    if member["status"] != "ok":
        faults.append("%s: %s" % (member["status"], member.get("reason")))
    if member["format"] != facts.get("format", case):
        faults.append("taken for %s" % member["format"])
    for key, value in (("title", known.TITLE), ("authors", known.AUTHORS), ("date", known.DATE)):
        value = facts.get(key, value)
        if value is not None and member.get(key) != value:
            faults.append("%s is %r" % (key, member.get(key)))
    return "%5.1f %% of %d words, %.1f %% others, %.0f %% of blocks" % (100 * share, len(words), 100 * surplus,
                                                                       100 * whole), faults


def main():
    extract, chosen = sys.argv[1], sys.argv[2:]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for case, (module, write) in writers().items():
            if chosen and case not in chosen:
                continue
            path = write(folder)
            if path is None:
                print("%-12s not written: the program for it is not installed" % case)
                continue
            out = subprocess.run([extract, path], capture_output=True, timeout=60)
            members = [json.loads(line) for line in out.stdout.decode().splitlines()]
            if out.returncode or len(members) != 1:
                said, faults = "", ["%d members, exit %d: %s" % (len(members), out.returncode, out.stderr.decode())]
            else:
                said, faults = judge(case, module, members[0])
            print("%-12s %s%s" % (case, said, "".join("\n    FAULT " + fault for fault in faults)))
            failures += bool(faults)
            if faults and chosen:
                print(members[0]["text"] if members else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
