"""Seeds for fuzz_rtf: seeds_rtf.py FOLDER."""
import os
import sys

SEEDS = {
    "text": rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 A;}{\f2\fcharset128 B;}{\f3\fcharset2 Symbol;}}
{\info{\title T}{\author A; B}{\creatim\yr2019\mo5\dy17}}{\header h}one \b two\b0\par {\f1 \'cc\'e8} {\f2\'96\'da} {\f3 ab}
\uc1\u8212?\u-10179?\u-8704? {\upr{no}{\*\ud yes}}\emdash\~\_\-\{\par}""",
    "blocks": rb"""{\rtf1 a{\footnote\pard n\par}b\par\trowd\pard\intbl a\cell b\cell\row\pard\ls1{\listtext 1}i\par\pard t
{\field{\*\fldinst x}{\fldrslt y}}{\shp{\*\shpinst{\shptxt box}}{\shprslt no}}{\v h}{\deleted d}\bin3 abc\outlinelevel1 h\par}""",
}

for name, data in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(data)
