#!/usr/bin/env python3
"""Asks drt on one device and compares with what it should say.

    answers.py golden DRT DEVICE MODEL          the documents and questions of tests/golden/trained: at least 11 of the 12 answers
    answers.py facts DRT DEVICE MODEL           200 facts hidden in the sample texts, ingested and asked on the device and on the
                                                CPU: the same answer to at least 98 %

The last line says what came out. Exit code: 0, or 1 when it is too little, or 2 when drt fails. Standard library only.
"""
import json
import os
import sys
import tempfile

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, TESTS)
from asking import ask, run  # noqa: E402

GOLDEN = os.path.join(TESTS, "golden", "trained")
TEXTS = os.path.join(TESTS, "..", "samples", "texts")
LEAST_GOLDEN, LEAST_SAME, FACTS, TOKENS = 11, .98, 200, "64K"


def golden(drt, device, model, folder):
    with open(os.path.join(GOLDEN, "answers.jsonl"), encoding="utf-8") as f:
        expected = [json.loads(line) for line in f]
    library, compute = os.path.join(folder, "golden.drt"), ["--device", device, "--model", model]
    run([drt, "ingest", library, os.path.join(GOLDEN, "documents"), *compute])
    given = ask(drt, library, [e["question"] for e in expected], ["--no-store", *compute])
    for e, a in zip(expected, given):
        if a["answer"] != e["answer"]:
            print("%s\n    expected %r, answered %r" % (e["question"], e["answer"], a["answer"]))
    same = sum(a["answer"] == e["answer"] for e, a in zip(expected, given))
    print("%d of %d golden answers" % (same, len(expected)))
    return same >= LEAST_GOLDEN


def asked_facts(drt, device, model, folder):
    """The same facts in the same places on every device -> rows of drt eval's --answers."""
    answers = os.path.join(folder, device.replace(":", "-") + ".jsonl")
    print(run([drt, "eval", "needle", "--tokens", TOKENS, "--facts", str(FACTS), "--together", str(FACTS), "--answers", answers,
               "--scratch", folder, "--device", device, "--model", model, TEXTS]), flush=True)
    with open(answers, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def facts(drt, device, model, folder):
    here, cpu = asked_facts(drt, device, model, folder), asked_facts(drt, "cpu", model, folder)
    if [a["question"] for a in here] != [a["question"] for a in cpu]:
        print("the two devices were asked different things")
        return False
    for a, b in zip(here, cpu):
        if a["answer"] != b["answer"]:
            print("%s\n    expected %r, on %s %r, on the CPU %r" % (a["question"], a["expected"], device, a["answer"], b["answer"]))
    same = sum(a["answer"] == b["answer"] for a, b in zip(here, cpu))
    print("the CPU's answer to %d of %d facts; right: %d on %s, %d on the CPU" % (
        same, len(here), sum(a["right"] for a in here), device, sum(b["right"] for b in cpu)))
    return len(here) == FACTS and same >= LEAST_SAME * FACTS


def main():
    task = {"golden": golden, "facts": facts}.get(sys.argv[1] if len(sys.argv) == 5 else "")
    if not task:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="drt-answers-") as folder:
        return 0 if task(*sys.argv[2:], folder) else 1


if __name__ == "__main__":
    sys.exit(main())
