#!/usr/bin/env python3
"""Asks drt every question of the sample archive and counts the right answers.

    score.py DRT [--library LIB] [--model DIR]

Ingests samples/sample.zip into a scratch library (or asks the one given), prints every answer and the totals of each kind.
Exit code: 0 when at least as many answers are right as recorded.json says, less a margin of 2 (near ties are decided by the
order in which a processor sums), and the quickstart's question among them; else 1; 2 when drt fails. Standard library only.
"""
import argparse
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "..", "..", "samples")
sys.path.insert(0, os.path.dirname(HERE))
from asking import ask, is_right, quickstart_question, run  # noqa: E402

MARGIN = 2


def options():
    p = argparse.ArgumentParser(description="Asks drt the questions of the sample archive.")
    p.add_argument("drt", help="the drt program")
    p.add_argument("--library", help="a library of sample.zip (default: a new one)")
    p.add_argument("--model", default=os.path.join(SAMPLES, "model"), help="model directory (default: samples/model)")
    return p.parse_args()


def found(question, answer):
    """Whether a document that holds the answer is among the chunks that some group retrieved before the answer began."""
    return any(h["document"].endswith("/" + d) for e in answer["events"] if e["step"] == 0 for h in e["hits"]
               for d in question["documents"])


def main():
    o = options()
    with open(os.path.join(SAMPLES, "questions.jsonl"), encoding="utf-8") as f:
        questions = [json.loads(line) for line in f]
    with open(os.path.join(HERE, "recorded.json"), encoding="utf-8") as f:
        recorded = json.load(f)
    with tempfile.TemporaryDirectory(prefix="drt-samples-") as scratch:
        library = o.library or os.path.join(scratch, "sample.drt")
        if not o.library:
            run([o.drt, "ingest", library, os.path.join(SAMPLES, "sample.zip"), "--model", o.model])
        answers = ask(o.drt, library, [q["question"] for q in questions], ["--model", o.model])
    for q, a in zip(questions, answers):
        q["right"], q["found"] = is_right(a["answer"], q["answers"]), found(q, a)
        print("%-5s %-8s %s -> %s%s" % ("right" if q["right"] else "wrong", q["kind"], q["question"], a["answer"],
                                        "" if q["right"] else "   (expected: %s)" % " | ".join(q["answers"])))
    print("\n%-8s %6s %6s   %s" % ("kind", "right", "total", "document retrieved"))
    for kind in sorted({q["kind"] for q in questions}) + ["all"]:
        rows = [q for q in questions if kind in (q["kind"], "all")]
        print("%-8s %6d %6d   %d" % (kind, sum(q["right"] for q in rows), len(rows), sum(q["found"] for q in rows)))
    right = sum(q["right"] for q in questions)
    quickstart = next(q for q in questions if q["question"] == quickstart_question())
    print("\n%d of %d right; recorded: %d. The quickstart's question: %s." % (
        right, len(questions), recorded["right"], "right" if quickstart["right"] else "wrong"))
    return 0 if right >= recorded["right"] - MARGIN and quickstart["right"] else 1


if __name__ == "__main__":
    sys.exit(main())
