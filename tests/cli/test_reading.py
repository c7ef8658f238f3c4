"""test_reading.py: ingest, ls, show, info, rm, verify, sessions, model: exact output where it is fixed."""
import os, re, shutil, subprocess, sys, unittest

import cli

TEXT = "The mill of Tarn burned in the dry summer.\n\nThe miller built it again. Zoë paid 84,000 crowns."
LS = "doc:%-6d %-7s %-9s %6d chunks %10d bytes  %s\n"
STAGE = r"\*?%s [0-9.]+[kM]?%s/s \d+%%"
STAGES = ", ".join(STAGE % (name, "B" if name == "read" else "") for name in ("read", "tokenise", "encode", "write", "index"))
SUMMARY = r"\d+ chunks, \d+ tokens, \d+\.\d s(, \d+ tokens/s)?\r?\n" + STAGES + r"\r?\n\Z"


class Reading(cli.Case):
    def one(self):
        """a library with one small document"""
        self.write("notes/mill.txt", TEXT + "\n")
        self.drt("ingest", "lib", "notes")
        return "lib"

    def test_ingest_says_what_it_did(self):
        self.write("notes/mill.txt", TEXT)
        ran = self.drt("ingest", "lib", "notes")
        self.assertEqual(ran.out, b"")
        self.assertRegex(ran.err.decode(), r"\A1 new documents in lib, 0 known, 0 skipped; " + SUMMARY)
        ran = self.drt("ingest", "lib", "notes")
        self.assertRegex(ran.err.decode(), r"\A0 new documents in lib, 1 known, 0 skipped; 0 chunks, 0 tokens, ")

    def test_broken_among_good(self):
        self.write("half/good.txt", TEXT)
        self.write("half/bad.zip", b"PK\x03\x04nothing")
        self.write("half/noise.bin", bytes(range(256)) * 8)
        ran = self.drt("ingest", "lib", "half", "--report", "report.jsonl", code=1)
        self.assertRegex(ran.err.decode(), r"(?m)^skipped: half/bad\.zip: .+$")
        self.assertRegex(ran.err.decode(), r"(?m)^skipped: half/noise\.bin: .+$")
        self.assertRegex(ran.err.decode(), r"(?m)^1 new documents in lib, 0 known, 2 skipped; " + SUMMARY)
        listed = self.ls("lib")
        self.assertEqual({d["document"]: d["status"] for d in listed},
                         {"half/good.txt": "ok", "half/bad.zip": "skipped", "half/noise.bin": "skipped"})
        with open(self.path("report.jsonl"), "rb") as f:
            report = self.objects(f.read())
        for d in report:
            self.assertIs(d.pop("known"), False)
        self.assertEqual(sorted(report, key=lambda d: d["id"]), sorted(listed, key=lambda d: d["id"]))
        self.assertIn(": " + next(d["reason"] for d in listed if d["document"] == "half/bad.zip"), self.drt("ls", "lib").out.decode())

    def test_many_broken_are_named_in_bounds(self):
        for i in range(30):
            self.write("bad/%02d.zip" % i, b"PK\x03\x04nothing")
        ran = self.drt("ingest", "lib", "bad", code=1)
        self.assertEqual(len(re.findall(r"(?m)^skipped: ", ran.err.decode())), 20)
        self.assertIn(b"\n... and 10 more that are not whole: see drt ls\n", ran.err)

    def test_scripts_without_spaces_are_found(self):
        """each pair of neighbours of a sentence that is longer than a chunk, words of one character and more"""
        sentence = "燈塔看守人每天傍晚點燃油燈船隻才能安全入港"
        texts = {"zh": sentence + "。", "ja": "東京タワーは高い。猫がPython3の本を読む。", "ko": "등대지기는 매일 저녁 등불을 켰다.", "th": "คนเฝ้าประภาคารจุดตะเกียงทุกเย็น"}
        for name, text in texts.items():
            self.write("many/%s.txt" % name, text + "\n")
        self.drt("ingest", "lib", "many")
        queries = [("zh", sentence[i:i + 2]) for i in range(len(sentence) - 1)]
        queries += [("zh", "燈"), ("zh", "看守人"), ("ja", "猫"), ("ja", "東京"), ("ja", "タワー"), ("ja", "Python3"), ("ja", "猫がPython3")]
        queries += [("ko", "등대"), ("ko", "등불을"), ("th", "ประภาคาร"), ("th", "ตะเกียง")]
        lines = "\n".join(query for _, query in queries).encode()
        answers = self.objects(self.drt("ask", "lib", "--json", "--max-tokens=1", "--no-store", "--retriever", "bm25", input=lines).out, len(queries))
        for (name, query), answer in zip(queries, answers):
            self.assertEqual({h["document"] for h in answer["events"][0]["hits"]}, {"many/%s.txt" % name}, query)

    def test_documents_are_found_by_the_name_that_ls_shows(self):
        names = ["line\nfeed.txt", "esc\x1b[31m.txt", "back\\slash.txt", "\u009bc1.txt", " lead.txt", "--text", "plain.txt"]
        for name in names:
            self.write("odd/" + name, "This is %s of the quay." % ascii(name))
        self.drt("ingest", "lib", "odd")
        for line, d in zip(self.drt("ls", "lib").out.decode().splitlines(), self.ls("lib"), strict=True):
            shown = line.split(" bytes  ", 1)[1]
            for selector in shown, d["document"]:
                self.assertIn(ascii(d["document"][4:]), self.drt("show", "--text", "lib", "--", selector).out.decode())
            self.drt("rm", "lib", "--", shown)
        self.assertEqual(self.ls("lib"), [])

    def test_missing_paths(self):
        self.exactly("ingest", "lib", "nosuch", "also\x1b[31m", code=2, err="drt: nosuch: No such file or directory\ndrt: also\\x1B[31m: No such file or directory\n")
        self.assertFalse(os.path.exists(self.path("lib")))
        self.write("mill.txt", TEXT)
        ran = self.drt("ingest", "lib", "nosuch", "mill.txt", code=1)
        self.assertIn(b"drt: nosuch: No such file or directory\n", ran.err)
        self.assertEqual([d["document"] for d in self.ls("lib")], ["mill.txt"])

    def test_report_that_cannot_be_written(self):
        self.write("mill.txt", TEXT)
        self.exactly("ingest", "--report", "no/such/folder", "lib", "mill.txt", code=2,
                     err="drt: cannot write the report no/such/folder: No such file or directory\n")
        self.assertFalse(os.path.exists(self.path("lib")))
        ran = self.drt("ingest", "--report", "/dev/full", "lib", "mill.txt", code=2)
        self.assertIn(b"drt: the report /dev/full is not whole: No space left on device\n", ran.err)

    def test_progress_is_for_terminals(self):
        for i in range(40):
            self.write("many/d%02d.txt" % i, TEXT + str(i))
        ran = self.drt("ingest", "lib", "many")
        self.assertEqual(len(ran.err.splitlines()), 2, ran)
        seen = self.terminal("ingest", "lib2", "many")
        self.assertRegex(seen.decode(), r"\d+ read, 0 failed, \d+ chunks, \d+ tokens/s.*, \d+ MB ")
        self.assertNotIn(b"\x1b", seen)
        self.assertRegex(seen.decode(), r"\r40 new documents in lib2, 0 known, 0 skipped; " + SUMMARY)

    def test_ls(self):
        lib = self.one()
        size = len(TEXT.encode())
        self.exactly("ls", lib, out=LS % (1, "ok", "text", 1, size, "notes/mill.txt"))
        self.assertEqual(self.ls(lib), [{"document": "notes/mill.txt", "title": None, "authors": [], "date": None, "format": "text", "status": "ok",
                                         "reason": None, "replacements": 0, "bytes": size, "chunks": 1, "id": 1, "first_chunk": 0, "aliases": []}])
        self.exactly("ls", lib, "--document", "*mill*", out=LS % (1, "ok", "text", 1, size, "notes/mill.txt"))
        self.exactly("ls", lib, "--document", "*.html")

    def test_show(self):
        lib = self.one()
        size = len(TEXT.encode())
        self.exactly("show", lib, "doc:1", out="notes/mill.txt, doc:1, %d bytes, chunks 0-0\n\n%s\n" % (size, TEXT))
        self.exactly("show", lib, "notes/mill.txt", "--text", out=TEXT + "\n")
        self.exactly("show", "--text", lib, "0", out=TEXT + "\n")
        self.exactly("show", lib, "0", out="notes/mill.txt, bytes 0-%d of %d, chunk 0 of doc:1\n\n%s\n" % (size, size, TEXT))
        self.assertEqual(self.objects(self.drt("show", lib, "0", "--json").out, 1),
                         [{"document": "notes/mill.txt", "id": 1, "title": None, "chunk": 0, "dead": False, "page": None, "start": 0, "end": size, "text": TEXT}])

    def test_show_what_is_not_there(self):
        lib = self.one()
        for selector in "1", "99999999", "99999999999999999999", "doc:2", "doc:0", "doc:x", "nosuch", "":
            ran = self.drt("show", lib, "--", selector, code=1)
            self.assertEqual((ran.out, len(ran.err.splitlines())), (b"", 1), ran)

    def test_chunks_cover_the_text(self):
        """citations are byte ranges: each chunk's text is exactly what its range says"""
        lib = self.library("town")
        for d in self.ls(lib):
            text = self.drt("show", "--text", lib, "doc:%d" % d["id"]).out[:-1]
            self.assertEqual(len(text), d["bytes"])
            at = 0
            for chunk in range(d["first_chunk"], d["first_chunk"] + d["chunks"]):
                o = self.objects(self.drt("show", "--json", lib, str(chunk)).out, 1)[0]
                self.assertEqual(o["text"].encode(), text[o["start"]:o["end"]])
                self.assertGreaterEqual(o["start"], at - 4)     # a character's bytes may be shared
                self.assertEqual(text[at:o["start"]].strip(), b"")
                at = o["end"]
            self.assertEqual(text[at:].strip(), b"")

    def test_pages(self):
        """evidence from formats with pages says which page it is from"""
        fixtures = self.path("papers")
        subprocess.run([sys.executable, "-B", os.path.join(cli.HERE, "..", "corpus", "pdf.py"), fixtures], check=True)
        lib = self.path("papers.drt")
        self.drt("ingest", lib, os.path.join(fixtures, "paper.pdf"))
        text = self.drt("show", "--text", lib, "doc:1").out[:-1]
        borders = [text.index(b"2. Part B"), text.index(b"3. Part C")]
        for chunk in range(self.ls(lib)[0]["chunks"]):
            o = self.objects(self.drt("show", "--json", lib, str(chunk)).out, 1)[0]
            begins = o["end"] - len(o["text"].encode().lstrip())
            self.assertEqual(o["page"], 1 + sum(begins >= b for b in borders), o)
            self.assertIn(", p. %d, bytes " % o["page"], self.drt("show", lib, str(chunk)).out.decode())
        hits = self.objects(self.drt("search", lib, "--json", "--retriever", "bm25", "the beach of Thorn").out, 1)[0]["groups"][0]["hits"]
        self.assertTrue("Thorn" in hits[0]["text"] and hits[0]["page"] == 2, hits)
        self.assertRegex(self.drt("search", lib, "--retriever", "bm25", "the beach of Thorn").out.decode(), r"papers?\S* \"On Sluices\" by .*, p. 2, bytes ")
        asked = self.objects(self.drt("ask", lib, "--json", "--max-tokens", "2", "--retriever", "bm25", "Who saw the beach of Thorn?").out, 1)[0]
        pages = {h["chunk"]: h["page"] for e in asked["events"] for h in e["hits"]}
        self.assertEqual(pages[hits[0]["chunk"]], 2)
        stored = self.objects(self.drt("sessions", lib, "1", "--json").out, 1)[0]
        self.assertEqual({h["chunk"]: h["page"] for e in stored["events"] for h in e["hits"]}, pages)
        self.drt("verify", lib)

    def test_citations(self):
        """ls and evidence say title, authors and date"""
        self.write("ledger.tex", "\\title{The Ledger}\\author{Ada Renn \\and Bo Tarn}\\date{May 2019}\\begin{document}"
                   "The reeve of Osk keeps seven herons.\\end{document}")
        self.write("many.md", "---\ntitle: Herons\nauthor: [A One, B Two, C Three, D Four]\n---\nHerons of Osk are grey.\n")
        lib = self.path("cited.drt")
        self.drt("ingest", lib, "ledger.tex", "many.md")
        for ran in (self.drt("search", lib, "--json", "herons of Osk"), self.drt("ask", lib, "--json", "--max-tokens=1", "Who keeps herons?"),
                    self.drt("sessions", lib, "1", "--json")):
            o = self.objects(ran.out, 1)[0]
            cited = {h["document"]: (h["title"], h["authors"], h["date"], h["page"]) for e in o.get("groups") or o["events"] for h in e["hits"]}
            self.assertEqual(cited, {"ledger.tex": ("The Ledger", ["Ada Renn", "Bo Tarn"], "2019-05", None),
                                     "many.md": ("Herons", ["A One", "B Two", "C Three", "D Four"], None, None)})
        listed = self.drt("ls", lib).out.decode().splitlines()
        self.assertTrue(listed[0].endswith('ledger.tex "The Ledger" by Ada Renn, Bo Tarn (2019-05)'), listed)
        self.assertTrue(listed[1].endswith('many.md "Herons" by A One, B Two, C Three and others'), listed)
        self.assertEqual([d["authors"] for d in self.ls(lib)], [["Ada Renn", "Bo Tarn"], ["A One", "B Two", "C Three", "D Four"]])
        found = self.drt("search", lib, "--retriever", "bm25", "seven herons of the reeve").out.decode()
        self.assertIn('ledger.tex "The Ledger" by Ada Renn, Bo Tarn (2019-05), bytes ', found)

    def test_rm(self):
        lib = self.one()
        self.write("copy.txt", TEXT + "\n")
        self.drt("ingest", lib, "copy.txt")
        self.assertEqual(self.ls(lib)[0]["aliases"], ["copy.txt"])
        self.exactly("rm", lib, "copy.txt", out="removed copy.txt\n")
        self.assertEqual(self.ls(lib)[0]["aliases"], [])
        ran = self.drt("rm", lib, "nosuch", "doc:1", code=1)
        self.assertEqual(ran.out, b"removed notes/mill.txt\n")
        self.assertEqual(len(ran.err.splitlines()), 1)
        self.assertEqual(self.ls(lib), [])
        ran = self.drt("verify", lib, "--compact")
        self.assertRegex(ran.out.decode(), r"\A\d+ documents and \d+ chunks checked, 0 problems\n\d+ bytes given back\n\Z")
        ran = self.drt("ask", lib, "x", code=2)
        self.assertEqual(ran.err, b"drt: lib: the library is empty; put something in with: drt ingest lib PATH...\n")

    def test_verify_finds_damage(self):
        lib = self.copy("town")
        self.assertRegex(self.drt("verify", lib).out.decode(), r"\A3 documents and \d+ chunks checked, 0 problems\n\Z")
        with open(os.path.join(lib, "memory.bin"), "r+b") as f:
            f.truncate(1000)
        ran = self.drt("verify", lib, code=None)
        self.assertIn(ran.code, (1, 2))
        self.assertNotEqual(ran.err, b"")

    def test_info(self):
        ran = self.drt("info", self.library("town"))
        self.assertRegex(ran.out.decode(), r"(?m)^documents +3$")
        self.assertRegex(ran.out.decode(), r"(?m)^memory +int8, 64 slots of 384 a chunk$")
        self.assertRegex(ran.out.decode(), r"(?m)^fingerprint +[0-9a-f]{64}$")
        ran = self.drt("info")
        self.assertTrue(ran.out.startswith(b"drt "))
        for line in "formats", "devices", "model", "memory for each million tokens of text":
            self.assertRegex(ran.out.decode(), r"(?m)^%s$" % line)
        self.assertRegex(ran.out.decode(), r"(?m)^  text  +\S*\.?txt")

    def test_formats(self):
        lines = self.drt("info", "--formats").out.decode().splitlines()
        self.assertRegex("\n".join(lines), r"(?m)^pdf +\.pdf +PDF, with poppler's pdftotext$")
        self.assertRegex("\n".join(lines), r"(?m)^zip +\.zip ")
        rows = self.objects(self.drt("info", "--formats", "--json").out, len(lines))
        for line, row in zip(lines, rows):
            self.assertEqual(" ".join(line.split()), " ".join([row["format"], *row["extensions"], row["description"]]))
        whole = self.drt("info").out.decode().splitlines()
        self.assertEqual([line.strip() for line in whole[2 : 2 + len(lines)]], lines)
        self.assertEqual(self.drt("info", "--formats", self.library("town"), code=None).code, 2)
        self.assertEqual(self.drt("info", "--formats", "--memory", code=None).code, 2)

    def test_memory_plan(self):
        out = self.drt("info", "--memory", "--device", "cpu", self.library("town")).out.decode()
        for item in "weights", "working space", "encoder", "reader", "landmarks", "records":
            self.assertRegex(out, r"(?m)^%s +[\d.]+ +[\d.]+" % item)
        plan = self.objects(self.drt("info", "--memory", "--json", "--device", "cpu", self.library("town")).out, 1)[0]
        self.assertEqual(plan["chunks"], sum(d["chunks"] for d in self.ls(self.library("town"))))
        self.assertTrue(plan["ingest"]["fits"] and plan["ask"]["fits"])
        self.assertGreater(plan["ask"]["lanes"], 0)
        sizes = {item["item"]: item["host_bytes"] + item["device_bytes"] for item in plan["items"]}
        self.assertEqual(sizes["landmarks"], plan["chunks"] * 384 * 2)
        self.assertGreater(sizes["weights"], 33e6)
        self.assertEqual(self.drt("info", "--memory", "--gpu-memory", "much", code=None).code, 2)

    def test_sessions(self):
        lib = self.copy("town")
        self.exactly("sessions", lib)
        said = self.objects(self.drt("ask", "--json", lib, cli.QUESTION).out, 1)[0]
        self.drt("ask", "--no-store", lib, cli.QUESTION)
        listed = self.objects(self.drt("sessions", "--json", lib).out, 1)[0]
        self.assertRegex(listed.pop("time"), r"\A20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        self.assertEqual(listed, {"session": said["session"], "question": cli.QUESTION, "answer": said["answer"], "n_events": len(said["events"])})
        self.assertRegex(self.drt("sessions", lib).out.decode(), r"\A +\d+  \S+  %s -> %s\n\Z" % (re.escape(cli.QUESTION), cli.ANSWER))
        number = str(said["session"])
        kept = self.objects(self.drt("sessions", "--json", lib, number).out, 1)[0]
        for field in said:
            if field != "timing_ms":
                self.assertEqual(kept[field], said[field], field)
        self.assertEqual(len(kept["tokens"]), said["n_tokens"])
        self.assertEqual(kept["token_ends"][-1], len(said["answer"].encode()))
        self.assertEqual(len(kept["attention"]), said["n_tokens"])
        for group in (g for token in kept["attention"] for g in token):
            self.assertEqual({len(hit) for hit in group}, {64})
            self.assertTrue(all(0 <= share <= 255 for hit in group for share in hit))
        self.assertEqual(len(kept["histograms"]), len(said["events"]))
        live = sum(d["chunks"] for d in self.ls(lib))
        for h in kept["histograms"]:
            self.assertEqual((len(h["bins"]), sum(h["bins"])), (64, live))
        plain = self.drt("sessions", lib, number).out.decode()
        self.assertTrue(plain.startswith("> %s\n%s\n" % (cli.QUESTION, cli.ANSWER)), plain)
        self.assertRegex(plain, r"(?m)^step 0, group 2: \d+ % of the attention on nothing$")
        self.exactly("sessions", lib, number, "--delete")
        self.exactly("sessions", lib)
        for args in (number,), (number, "--delete"):
            self.assertEqual(len(self.drt("sessions", lib, *args, code=1).err.splitlines()), 1)
        self.exactly("sessions", lib, "first", code=2, err="drt: sessions: 'first' is no session id: drt sessions %s lists them\n" % lib)
        self.exactly("sessions", lib, "--delete", code=2, err="drt: sessions: --delete needs the ID of a session\n")

    def test_model(self):
        model = os.path.join(cli.HERE, "..", "golden", "tiny")
        o = self.objects(self.drt("model", "info", "--json", model, code=None).out)
        samples = os.path.join(cli.HERE, "..", "..", "samples", "model")
        o = self.objects(self.drt("model", "info", "--json", samples).out, 1)[0]
        self.assertEqual((o["config"]["d_model"], o["config"]["group_layers"], o["config"]["chunk_size"]), (384, [3, 3], 64))
        self.assertRegex(o["fingerprint"], r"\A[0-9a-f]{64}\Z")
        self.assertIn("parameters      %d\n" % o["parameters"], self.drt("model", "info", samples).out.decode())
        ran = self.drt("model", "info", self.dir, code=2)
        self.assertEqual((ran.out, len(ran.err.splitlines())), (b"", 1))


cli.main()
