"""What the tests that ask questions share: answers compared as in reading benchmarks, and `drt ask --json` run on a batch.

Used by tests/samples/score.py and tests/facts/plant.py. May use the standard library only.
"""
import json
import os
import re
import string
import subprocess
import sys
import unicodedata

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = dict.fromkeys(map(ord, string.punctuation + "\u2018\u2019\u201c\u201d\u2013\u2014"))


def normalise(answer):
    """Lower case, without punctuation and articles, single spaces: "The 84,000 crowns." -> "84000 crowns"."""
    text = unicodedata.normalize("NFKC", answer).lower().translate(PUNCTUATION)
    return " ".join(ARTICLES.sub(" ", text).split())


def is_right(answer, accepted):
    """Whether an answer equals one of the accepted ones once both are normalised."""
    return normalise(answer) in {normalise(a) for a in accepted}


def stop(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def run(command, **options):
    """Runs a command that must end with exit code 0; returns its standard output as text."""
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", **options)
    if done.returncode != 0:
        stop("%s ended with exit code %d" % (" ".join(map(str, command[:3])), done.returncode))
    return done.stdout


def ask(drt, library, questions, options=()):
    """One `drt ask --json` for all questions -> its objects, one per question, in question order."""
    out = run([drt, "ask", library, "--json", *options], input="\n".join(questions) + "\n")
    answers = [json.loads(line) for line in out.splitlines()]
    if [a["question"] for a in answers] != list(questions):
        stop("drt ask gave %d objects for %d questions, or in another order" % (len(answers), len(questions)))
    for a in answers:
        if "error" in a:
            stop("drt ask failed on %r: %s" % (a["question"], a["error"]))
    return answers


def quickstart_question():
    """The question that quickstart.sh asks."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "quickstart.sh"), encoding="utf-8") as f:
        return re.search(r'^QUESTION="(.*)"$', f.read(), re.MULTILINE).group(1)
