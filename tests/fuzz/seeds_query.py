"""Seeds for fuzz_query: seeds_query.py FOLDER."""
import os
import sys

SEEDS = ("Who built the lighthouse in 1874?", "the \u6771 caf\u00e9 caf\u0065\u0301", "\"quoted\" AND (NEAR) OR - * ^ col:x {a} + 'b'", "*.t?t\0archive.zip/one.txt",
         "[a-z]*[!0-9]\\*[\0b2*", "****a*b*c*\0aaaaaaaaaabbbbbbbbbc", "[]]x[^-]\0]x-", "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22 \u4e2d\u6587\u5206\u8bcd", "don't re-read naïve")
for number, seed in enumerate(SEEDS):
    with open(os.path.join(sys.argv[1], "%d" % number), "w", encoding="utf-8") as f:
        f.write(seed)
