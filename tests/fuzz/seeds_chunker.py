"""Seeds for fuzz_chunker: seeds_chunker.py FOLDER. A chunk size in a byte, then text."""
import os
import sys

TEXTS = [
    "The lamp was lit at dusk.\n\nNobody saw the keeper\nagain that year.",
    "\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3002 \U0001f469\u200d\U0001f680 e\u0301\u0323 \ufb01ne \u00bd \u3314 \ufdfa",
    "<lmk> <par> </s> \u2581word <0x41>\n \n\n  two  spaces\t tab \u00a0 end ",
    "x" * 300 + " " + "9" * 100,
    "nul \0 inside",
    "",
]

for i, text in enumerate(TEXTS):
    for size in (2, 5, 64):
        with open(os.path.join(sys.argv[1], f"{i}_{size}"), "wb") as f:
            f.write(bytes([size]) + text.encode())
with open(os.path.join(sys.argv[1], "invalid"), "wb") as f:
    f.write(b"\x40caf\xe9 \xff\xfe \xed\xa0\x80 \xf0\x9f")
