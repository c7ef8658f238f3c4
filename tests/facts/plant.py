#!/usr/bin/env python3
"""Plants facts in running text, ingests the text with drt, asks for the facts and counts the right answers.

    plant.py DRT TEXTS [--tokens N] [--facts FILE] [--count N] [--wordings FILE] [--minimum N] ...

TEXTS is a folder with .txt files or a tar archive of them. Every text gives the same share of N tokens (a short one all it
has). Each sentence of a fact goes to a word border anywhere in the text, every depth as likely as any other; the two
sentences of a two-hop fact are at least three tenths of the whole text apart. Facts: README.md here.

Exit code: 0, or 1 when fewer than --minimum facts are answered right, or 2 when drt fails. Standard library only.
"""
import argparse
import json
import os
import random
import re
import sys
import tarfile
import tempfile
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from asking import ask, is_right, run, stop  # noqa: E402

BYTES_PER_TOKEN = 4.3


def options():
    p = argparse.ArgumentParser(description="Plants facts in texts and asks drt for them.")
    p.add_argument("drt", help="the drt program")
    p.add_argument("texts", help="a folder of .txt files, or a tar archive of them")
    p.add_argument("--tokens", type=int, default=150000, help="how much text to take, at %s bytes a token (default 150000)" % BYTES_PER_TOKEN)
    p.add_argument("--facts", default=os.path.join(HERE, "facts.jsonl"), help="facts to plant (default: facts.jsonl beside this script)")
    p.add_argument("--count", type=int, default=60, help="how many of them (default 60); of several pass keys only the first is taken")
    p.add_argument("--wordings", help="facts in other words, planted as well and reported apart")
    p.add_argument("--seed", type=int, default=1, help="decides where the sentences go (default 1)")
    p.add_argument("--minimum", type=int, default=0, help="exit 1 when fewer of the facts are right")
    p.add_argument("--model", default=os.path.join(HERE, "..", "..", "samples", "model"), help="model directory")
    p.add_argument("--option", action="append", default=[], help="a further option for drt ask, e.g. --option=--retriever=bm25")
    p.add_argument("--keep", help="leave the planted text, the library and results.jsonl in this new folder")
    p.add_argument("--plant-only", action="store_true", help="write the planted text to --keep and stop")
    return p.parse_args()


def paragraphs_of(text):
    """Text as drt normalises it: NFC, one space between words, no control characters -> list of paragraphs."""
    parts = (" ".join(p.split()) for p in re.split(r"\n\s*\n", unicodedata.normalize("NFC", text)))
    return ["".join(c for c in p if unicodedata.category(c) != "Cc") for p in parts if p]


def read_texts(path):
    """-> sorted list of (file name, paragraphs)."""
    texts = {}
    if os.path.isdir(path):
        for folder, _, names in os.walk(path):
            for name in names:
                full = os.path.join(folder, name)
                if name.endswith(".txt"):
                    with open(full, "rb") as f:
                        texts[os.path.relpath(full, path).replace(os.sep, "_")] = f.read()
    else:
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and member.name.endswith(".txt"):
                    texts[member.name.strip("./").replace("/", "_")] = archive.extractfile(member).read()
    if not texts:
        stop("%s: no .txt files there" % path)
    return [(name, paragraphs_of(raw.decode("utf-8", "replace"))) for name, raw in sorted(texts.items())]


def first_bytes(paragraphs, limit):
    """The first paragraphs, until they hold limit bytes or there are no more."""
    kept, size = [], 0
    for p in paragraphs:
        if size >= limit:
            break
        kept.append(p)
        size += len(p.encode()) + 2
    return kept, size


def take_share(texts, tokens):
    """The beginning of each text, about tokens in all, shared out evenly -> list of (file name, text). The shortest texts are
    cut first, so that what they leave over goes to the longer ones."""
    budget, taken = tokens * BYTES_PER_TOKEN, {}
    by_size = sorted(texts, key=lambda t: sum(map(len, t[1])))
    for i, (name, paragraphs) in enumerate(by_size):
        kept, size = first_bytes(paragraphs, budget / (len(by_size) - i))
        budget -= size
        taken[name] = "\n\n".join(kept)
    return [(name, taken[name]) for name, _ in texts if taken[name]]


def read_facts(path, count):
    facts = []
    with open(path, encoding="utf-8") as f:
        for line in f:
            fact = json.loads(line)
            if fact["kind"] != "passkey" or all(other["kind"] != "passkey" for other in facts):
                facts.append(fact)
    return facts[:count]


WORD_BORDER = re.compile(r"(?<=\S) (?=\S)")


def border(texts, depth, used):
    """The first word border at or after this depth (0 to 1) of the whole text that is not used yet -> (file name, offset in
    characters), or None when there is none up to the end of that file."""
    at = int(depth * sum(len(text) for _, text in texts))
    for name, text in texts:
        if at < len(text):
            return next(((name, m.end()) for m in WORD_BORDER.finditer(text, at) if (name, m.end()) not in used), None)
        at -= len(text)


def plant(texts, facts, seed):
    """-> the texts, as bytes, with the facts' sentences in them. Each fact gets "places": [(file name, first byte, end byte)]."""
    r, inserts = random.Random(seed), {}                  # (file name, offset in characters) -> (fact, index of its sentence)
    for fact in facts:
        fact["places"] = [None] * len(fact["sentences"])
        depth = r.random()
        for i in range(len(fact["sentences"])):
            place = border(texts, depth, inserts)
            while place is None:
                place = border(texts, r.random(), inserts)
            inserts[place] = (fact, i)
            depth = (depth + r.uniform(.3, .7)) % 1

    planted = []
    for name, text in texts:
        out, at = b"", 0
        for offset in sorted(offset for n, offset in inserts if n == name):
            fact, i = inserts[name, offset]
            sentence = fact["sentences"][i].encode()
            out += text[at:offset].encode()
            fact["places"][i] = (name, len(out), len(out) + len(sentence))
            out += sentence + b" "
            at = offset
        planted.append((name, out + text[at:].encode()))
    return planted


def right_chunk_ranks(fact, answer):
    """Per retrieval group: the best rank of a chunk that holds (part of) the sentence this group should find, or None.
    Group 1 should find a two-hop fact's first sentence, the last group its second."""
    ranks = []
    for event in (e for e in answer["events"] if e["step"] == 0):
        name, start, end = fact["places"][min(event["group"], len(fact["places"]) - 1)]
        ranks.append(min((h["rank"] for h in event["hits"]
                          if os.path.basename(h["document"]) == name and h["start"] < end and h["end"] > start), default=None))
    return ranks


def check_bytes(answer, texts):
    """The text of every hit must be the planted text's bytes at its place: drt and this script agree on what was ingested."""
    for event in answer["events"]:
        for h in event["hits"]:
            planted = texts[os.path.basename(h["document"])]
            if planted[h["start"]:h["end"]].decode("utf-8", "replace") != h["text"]:
                stop("chunk %d of %s: its text is not bytes %d to %d of the file" % (h["chunk"], h["document"], h["start"], h["end"]))


def report(title, facts, answers):
    """Prints one line per kind and every wrong answer; returns how many are right."""
    print("\n%s\n%-22s %6s %6s   %s" % (title, "kind", "right", "total", "right chunk ranked first (in top K), group by group"))
    kinds = sorted({f["kind"] for f in facts})
    for kind in kinds + ["all"]:
        rows = [(f, a) for f, a in zip(facts, answers) if kind in (f["kind"], "all")]
        ranks = [right_chunk_ranks(f, a) for f, a in rows]
        groups = "   ".join("%3d (%d)" % (sum(r == 1 for r in group), sum(r is not None for r in group)) for group in zip(*ranks))
        print("%-22s %6d %6d   %s" % (kind, sum(f["right"] for f, _ in rows), len(rows), groups))
    for f, a in zip(facts, answers):
        if not f["right"]:
            where = ", ".join("group %d: %s" % (g + 1, "rank %d" % rank if rank else "not found") for g, rank in enumerate(right_chunk_ranks(f, a)))
            print("  wrong [%s] %s\n      expected %r, answered %r (%s)" % (f["kind"], f["question"], f["answer"], a["answer"], where))
    return sum(f["right"] for f in facts)


def main():
    o = options()
    facts = read_facts(o.facts, o.count)
    wordings = read_facts(o.wordings, sys.maxsize) if o.wordings else []
    texts = plant(take_share(read_texts(o.texts), o.tokens), facts + wordings, o.seed)
    if o.plant_only and not o.keep:
        stop("--plant-only needs --keep")
    with tempfile.TemporaryDirectory(prefix="drt-facts-") as scratch:
        folder = o.keep or scratch
        os.makedirs(os.path.join(folder, "texts"), exist_ok=not o.keep)
        for name, text in texts:
            with open(os.path.join(folder, "texts", name), "wb") as f:
                f.write(text)
        print("planted %d sentences of %d facts in %d texts, %d bytes (about %d tokens)" % (
            sum(len(f["sentences"]) for f in facts + wordings), len(facts + wordings), len(texts),
            sum(len(t) for _, t in texts), sum(len(t) for _, t in texts) / BYTES_PER_TOKEN))
        if not o.plant_only:
            library = os.path.join(folder, "facts.drt")
            run([o.drt, "ingest", library, os.path.join(folder, "texts"), "--model", o.model])
            answers = ask(o.drt, library, [f["question"] for f in facts + wordings], ["--model", o.model, *o.option])
            for fact, answer in zip(facts + wordings, answers):
                check_bytes(answer, dict(texts))
                fact["right"] = is_right(answer["answer"], [fact["answer"]])
        if o.keep:
            with open(os.path.join(folder, "results.jsonl"), "w", encoding="utf-8") as f:
                for i, fact in enumerate(facts + wordings):
                    f.write(json.dumps(fact if o.plant_only else {**fact, "given": answers[i]["answer"], "events": answers[i]["events"]}) + "\n")
    if o.plant_only:
        return 0
    right = report("Facts of %s" % os.path.basename(o.facts), facts, answers)
    if wordings:
        report("Facts in other words (%s), without a target" % os.path.basename(o.wordings), wordings, answers[len(facts):])
    print("\n%d of %d facts right%s" % (right, len(facts), "; at least %d wanted" % o.minimum if o.minimum else ""))
    return 0 if right >= o.minimum else 1


if __name__ == "__main__":
    sys.exit(main())
