"""Seeds for fuzz_letters: seeds_letters.py FOLDER."""
import os
import sys

SEEDS = {
    "rst": """:Author: A\n\nTitle\n=====\n\nText *a* **b** ``c`` `d <e>`_ :f:`g` |h| [1]_ [#]_ word_::\n\n  code\n\n- i\n- j\n\n.. [1] note\n.. [#] n
.. note:: x\n   y\n\n.. code:: c\n\n   z\n\n+---+\n| a |\n+---+\n\n== ==\na  b\n== ==\n\n| v\n\n.. _t: u\n""",
    "session": """====\nTop\n====\n\n:Authors: - A\n  - B\n:Other: x\n\n.. |m| replace:: *mill*\n\n>>> f()\n1\n\n|m| |n|\n""",
    "colours": """{"worksheets":[{"cells":[{"cell_type":"code","input":"x\\u0000y","outputs":[{"text":"\\u001b[1mb\\r\\u001b[0mc\\n"}]}]}]}""",
    "notebook": """{"metadata":{"title":"T","authors":[{"name":"A"}]},"cells":[{"cell_type":"markdown","source":["# H\\n","t"]},
{"cell_type":"code","source":"x","outputs":[{"text":["1"]},{"data":{"text/plain":"2"}}]}]}""",
    "srt": "1\n00:00:01,000 --> 00:00:02,000\n<i>a</i>\nb\n\n2\n00:01:01,000 --> 00:01:02,000\n{\\an8}c &amp; d\n",
    "vtt": "WEBVTT\n\nNOTE x\n\nn\n00:01.000 --> 00:02.000\n<v A>a\n",
    "ass": "[Script Info]\nTitle: T\n[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,{\\b}a\\Nb\n",
    "mail": """From: =?utf-8?Q?A=C3=A9?= <a@b>\nSubject: =?iso-8859-1?B?6Q==?= x\nDate: Tue, 3 Mar 2020 10:00:00 +0100
Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\nt\n--c\nContent-Type: text/html
\n<b>h</b>\n--c--\n--b\nContent-Disposition: attachment; filename="x.txt"\nContent-Transfer-Encoding: base64\n\nYWJj\n--b
Content-Type: message/rfc822\n\nSubject: y\n\nz\n--b--\n""",
    "names": "From: =?utf-8?Q?\"\"\t\t\xff?= <a@b>, \"A\\\\ \\\"\" <b@c>, d (e \\), =?utf-8*de?B?w6TDtsM=?= =?utf-8?B?vA==?= <f>\n"
             "Content-Type: text/plain; format=flowed\n\n> a \n> b\n-- \n-----BEGIN PGP SIGNED MESSAGE-----\n\n- -\n",
    "parameters": "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Disposition: attachment; filename*0*=utf-8''%C3;\n"
                  " filename*1=x\n\na\n--b\nContent-Type: application/pkcs7-mime\n\nMII\n",
    "mbox": "From a@b Tue Mar  3 10:00:00 2020\nSubject: x\n\na\n>From\n\n>>From\n\nFrom a@b Tue Mar  3 10:00:00 2020\nSubject: y\n\nb=\n",
}

for name, text in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "w") as f:
        f.write(text)
