#!/usr/bin/env python3
"""Tests plant.py without drt: what it takes of the texts, where it plants, which facts it chooses. Standard library only."""
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import plant  # noqa: E402

TEXTS = [("%d.txt" % i, ["word%d " % i * 200 + "end.", "caf\u00e9 " * 150 + "end."]) for i in range(4)]


def fact(kind, *sentences):
    return {"kind": kind, "sentences": list(sentences), "question": "?", "answer": "!"}


class Plant(unittest.TestCase):
    def planted(self, facts, seed=1):
        texts = plant.take_share(TEXTS, 10 ** 6)
        return texts, plant.plant(texts, facts, seed)

    def test_sentences_stand_at_their_places_between_words(self):
        facts = [fact("one", "Fact number %d is \u00e9." % i) for i in range(50)]
        texts, planted = self.planted(facts)
        found = dict(planted)
        for f in facts:
            name, start, end = f["places"][0]
            self.assertEqual(found[name][start:end].decode(), f["sentences"][0])
            self.assertEqual(found[name][start - 1:start] + found[name][end:end + 1], b"  ")
        for name, text in texts:
            bare = found[name].decode()
            for f in facts:
                bare = bare.replace(f["sentences"][0] + " ", "")
            self.assertEqual(bare, text)

    def test_two_hops_are_far_apart(self):
        facts = [fact("two-hop", "First %d." % i, "Second %d." % i) for i in range(30)]
        _, planted = self.planted(facts)
        starts, total = {}, 0
        for name, text in planted:
            starts[name] = total
            total += len(text)
        for f in facts:
            first, second = (starts[name] + start for name, start, _ in f["places"])
            self.assertGreater(min(abs(first - second), total - abs(first - second)), .25 * total)

    def test_the_seed_decides(self):
        places = []
        for seed in (1, 1, 2):
            f = fact("one", "A fact.")
            self.planted([f], seed)
            places.append(f["places"])
        self.assertEqual(places[0], places[1])
        self.assertNotEqual(places[0], places[2])

    def test_long_texts_share_what_short_ones_leave(self):
        texts = [("long.txt", ["a" * 98] * 100), ("short.txt", ["b" * 98]), ("wide.txt", ["c" * 98] * 100)]
        sizes = {name: len(text) + 2 for name, text in plant.take_share(texts, 2100 / plant.BYTES_PER_TOKEN)}
        self.assertEqual(sizes, {"long.txt": 1000, "short.txt": 100, "wide.txt": 1000})

    def test_one_pass_key_only(self):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as f:
            f.write("".join(json.dumps(fact(kind, "%d." % i)) + "\n" for i, kind in enumerate(["passkey", "job", "passkey", "year"])))
            f.flush()
            self.assertEqual([x["kind"] for x in plant.read_facts(f.name, 60)], ["passkey", "job", "year"])
            self.assertEqual([x["kind"] for x in plant.read_facts(f.name, 2)], ["passkey", "job"])

    def test_the_facts_that_are_kept_here(self):
        facts = plant.read_facts(os.path.join(HERE, "facts.jsonl"), 60)
        self.assertEqual(len(facts), 60)
        self.assertEqual(sum(f["kind"] == "passkey" for f in facts), 1)
        own = plant.read_facts(os.path.join(HERE, "own_wordings.jsonl"), sys.maxsize)
        self.assertGreaterEqual(len(own), 40)
        for f in facts + own:
            self.assertTrue(any(f["answer"] in s for s in f["sentences"]), f)
            self.assertEqual(len(f["sentences"]), 2 if f["kind"].startswith("two-hop") else 1, f)


if __name__ == "__main__":
    unittest.main()
