"""Seeds for fuzz_lines: seeds_lines.py FOLDER."""
import os
import sys

SEEDS = (b"Who lit the lamp?\nWhen?\r\n\n  \xc2\xa0 \n\xef\xbb\xbfWhere?", b"esc \x1b[31m\x1b]0;t\x07 \xc2\x9b \x7f\x00 \xff\xfe end", "e\u0301 \u706f \U0001f469\u200d\U0001f680 \u202etxt".encode(),
         b"a long line of words that has to be broken at its spaces\tand tabs\n" * 3, b"w" * 300, "\ufeff\u2028\u2029\u00ad\u200b".encode())
for number, seed in enumerate(SEEDS):
    with open(os.path.join(sys.argv[1], "%d" % number), "wb") as f:
        f.write(seed)
