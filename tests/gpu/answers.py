#!/usr/bin/env python3
"""Asks drt on one device and compares with what it should say.

    answers.py golden DRT DEVICE MODEL          the documents and questions of tests/golden/trained: at least 11 of the 12 answers
    answers.py facts DRT DEVICE MODEL FACTS     up to 200 facts planted in the sample texts, ingested and asked on the device and
                                                on the CPU: the same answer to at least 98 %

The last line says what came out. Exit code: 0, or 1 when it is too little, or 2 when drt fails. Standard library only.
"""
import json
import os
import sys
import tempfile

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [TESTS, os.path.join(TESTS, "facts")]
import plant  # noqa: E402
from asking import ask, is_right, run  # noqa: E402

GOLDEN = os.path.join(TESTS, "golden", "trained")
TEXTS = os.path.join(TESTS, "..", "samples", "texts")
LEAST_GOLDEN, LEAST_SAME, FACTS, TOKENS, SEED = 11, .98, 200, 150000, 1


def answers_of(drt, device, model, folder, texts, questions):
    """Ingests the texts and asks the questions there -> answers."""
    library = os.path.join(folder, device.replace(":", "-") + ".drt")
    compute = ["--device", device, "--model", model]
    run([drt, "ingest", library, texts, *compute])
    return [a["answer"] for a in ask(drt, library, questions, ["--no-store", *compute])]


def golden(drt, device, model, folder):
    with open(os.path.join(GOLDEN, "answers.jsonl"), encoding="utf-8") as f:
        expected = [json.loads(line) for line in f]
    given = answers_of(drt, device, model, folder, os.path.join(GOLDEN, "documents"), [e["question"] for e in expected])
    for e, answer in zip(expected, given):
        if answer != e["answer"]:
            print("%s\n    expected %r, answered %r" % (e["question"], e["answer"], answer))
    same = sum(answer == e["answer"] for e, answer in zip(expected, given))
    print("%d of %d golden answers" % (same, len(expected)))
    return same >= LEAST_GOLDEN


def write_planted(facts, folder):
    os.mkdir(folder)
    for name, text in plant.plant(plant.take_share(plant.read_texts(TEXTS), TOKENS), facts, SEED):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(text)


def facts(drt, device, model, folder, path):
    chosen = plant.read_facts(path, FACTS)
    texts = os.path.join(folder, "texts")
    write_planted(chosen, texts)
    given = {d: answers_of(drt, d, model, folder, texts, [f["question"] for f in chosen]) for d in {device, "cpu"}}
    for f, here, cpu in zip(chosen, given[device], given["cpu"]):
        if here != cpu:
            print("%s\n    expected %r, on %s %r, on the CPU %r" % (f["question"], f["answer"], device, here, cpu))
    same = sum(here == cpu for here, cpu in zip(given[device], given["cpu"]))
    right = {d: sum(is_right(answer, [f["answer"]]) for f, answer in zip(chosen, given[d])) for d in given}
    print("the CPU's answer to %d of %d facts; right: %s" % (
        same, len(chosen), ", ".join("%d on %s" % (right[d], d) for d in sorted(right, reverse=True))))
    return same >= LEAST_SAME * len(chosen)


def main():
    task, arguments = {"golden": (golden, 4), "facts": (facts, 5)}.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if not task or len(sys.argv) - 1 != arguments:
        print(__doc__, file=sys.stderr)
        return 2
    drt, device, model = sys.argv[2:5]
    with tempfile.TemporaryDirectory(prefix="drt-answers-") as folder:
        return 0 if task(drt, device, model, folder, *sys.argv[5:]) else 1


if __name__ == "__main__":
    sys.exit(main())
