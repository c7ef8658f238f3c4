#!/usr/bin/env python3
"""Tests the sample archive and its questions without drt: same bytes when built again, readable by other tools, every
question with an answer that stands in the documents it names. Standard library only."""
import html
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "..", "..", "samples")
sys.path.insert(0, os.path.dirname(HERE))
from asking import quickstart_question  # noqa: E402

KINDS = {"name", "place", "number", "date", "thing", "prose", "two-hop"}
DC = "{http://purl.org/dc/elements/1.1/}"


def text_of_page(data):
    """Words of an HTML or XHTML page; no more than the tests need."""
    body = re.sub(r"(?s)<head>.*?</head>", "", data.decode("utf-8"))
    return html.unescape(re.sub(r"<[^>]+>", " ", body))


def documents():
    """Name -> text (white space made single spaces) of every document of the archive."""
    found = {}
    with zipfile.ZipFile(os.path.join(SAMPLES, "sample.zip")) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            if name.endswith(".tar"):
                with tarfile.open(fileobj=io.BytesIO(data)) as inner:
                    found.update({name + "/" + m.name: inner.extractfile(m).read().decode("utf-8") for m in inner})
            elif name.endswith(".epub"):
                with zipfile.ZipFile(io.BytesIO(data)) as book:
                    found[name] = "\n".join(text_of_page(book.read(n)) for n in book.namelist() if "/chapter" in n)
            else:
                found[name] = text_of_page(data) if name.endswith(".html") else data.decode("utf-8")
    return {name: " ".join(text.split()) for name, text in found.items()}


class Archive(unittest.TestCase):
    def test_builds_to_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            again = os.path.join(folder, "again.zip")
            subprocess.run([sys.executable, "-B", os.path.join(SAMPLES, "build.py"), again], check=True)
            with open(again, "rb") as a, open(os.path.join(SAMPLES, "sample.zip"), "rb") as b:
                self.assertTrue(a.read() == b.read(), "sample.zip is not what samples/build.py makes of samples/texts")

    def test_every_member_is_whole(self):
        with zipfile.ZipFile(os.path.join(SAMPLES, "sample.zip")) as archive:
            self.assertIsNone(archive.testzip())
        self.assertGreaterEqual(len(documents()), 24)
        for name, text in documents().items():
            self.assertGreater(len(text.split()), 300, name)

    def test_the_epub_is_a_book(self):
        with zipfile.ZipFile(os.path.join(SAMPLES, "sample.zip")) as archive:
            book = zipfile.ZipFile(io.BytesIO(archive.read("books/the-salt-road.epub")))
        self.assertEqual(book.namelist()[0], "mimetype")
        self.assertEqual(book.read("mimetype"), b"application/epub+zip")
        package = xml.fromstring(book.read("OEBPS/content.opf"))
        self.assertEqual(package.find(".//" + DC + "title").text, "The Salt Road")
        chapters = [n for n in book.namelist() if "/chapter" in n]
        self.assertEqual(len(chapters), 3)
        for name in chapters:
            xml.fromstring(book.read(name))


class Questions(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(SAMPLES, "questions.jsonl"), encoding="utf-8") as f:
            self.questions = [json.loads(line) for line in f]

    def test_well_formed(self):
        self.assertGreaterEqual(len(self.questions), 60)
        self.assertEqual([q["id"] for q in self.questions], list(range(1, len(self.questions) + 1)))
        self.assertEqual({q["kind"] for q in self.questions}, KINDS)
        self.assertEqual(len({q["question"] for q in self.questions}), len(self.questions))
        for q in self.questions:
            self.assertEqual(set(q), {"id", "kind", "question", "answers", "documents"}, q)
            self.assertTrue(q["answers"] and q["documents"] and "\n" not in q["question"], q)

    def test_answers_stand_in_the_documents_named(self):
        texts = documents()
        for q in self.questions:
            for name in q["documents"]:
                self.assertIn(name, texts, q)
            for answer in q["answers"]:
                self.assertTrue(any(answer in texts[name] for name in q["documents"]), q)

    def test_every_document_is_asked_about(self):
        self.assertEqual(set(documents()) - {name for q in self.questions for name in q["documents"]}, set())

    def test_the_quickstart_asks_one_of_them(self):
        self.assertIn(quickstart_question(), [q["question"] for q in self.questions])


if __name__ == "__main__":
    unittest.main()
