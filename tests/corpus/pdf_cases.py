"""pdf_cases.py: small PDF files, each after something that tools of this kind were reported to do wrong, and what must
become of them. pdf_cases.py EXTRACT [NAME...] writes them, runs corpus_extract on all of them and compares; with names it
shows these."""
import json
import os
import subprocess
import sys
import tempfile

import pdf_layout
import pdf_structure
from pdf_case import CASES

assert pdf_layout and pdf_structure  # they fill CASES


def main(extract, names):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name in names or CASES:
            path = os.path.join(folder, name + ".pdf")
            content = CASES[name][0]()
            with open(path, "wb") as out:
                out.write(content if isinstance(content, bytes) else content.data())
            paths.append(path)
        run = subprocess.run([extract] + paths, stdout=subprocess.PIPE, timeout=300, check=True)
    for line in run.stdout.decode().splitlines():
        found = json.loads(line)
        name = found["path"][:-len(".pdf")]
        wanted = dict(CASES[name][1])
        wrong = [key for key in ("text", "title", "authors", "date", "reason")
                 if key in wanted and (wanted[key] is not None or key in ("title", "date")) and found.get(key) != wanted[key]]
        wrong += [] if found["status"] in wanted["status"].split("|") else ["status"]
        wrong += ["has not: " + piece for piece in wanted.get("has", ()) if piece not in found["text"]]
        wrong += ["has: " + piece for piece in wanted.get("lacks", ()) if piece in found["text"]]
        if wrong or names:
            print("%s: %s\n  %s\n" % (name, "; ".join(wrong) or "as it should be", json.dumps(found, ensure_ascii=False)))
            if "text" in wrong:
                print("  wanted: %s\n" % json.dumps(wanted["text"], ensure_ascii=False))
        failed += bool(wrong)
    print("%d of %d cases failed" % (failed, len(names or CASES)))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
