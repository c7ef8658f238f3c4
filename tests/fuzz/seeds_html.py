"""Seeds for fuzz_html: seeds_html.py FOLDER."""
import os
import sys

SEEDS = {
    "page": b"""<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="utf-8"><title>A &amp; B</title>
<meta name="author" content="Ada"><script>if (a < b) "</p>"</script><style>p {}</style></head><body hidden>
<nav>Home</nav><h1>Head</h1><p title="a > b">Some <b>bold</b> text&nbsp;&eacute;&#150;&#x1F600;<br/>next
<ul><li>one<li>two</ul><table><tr><td>a<td>b</table><pre>  x
    y</pre><!-- c --><div style="display:none">no</div><svg><title>t</title></svg></body></html>""",
    "xhtml": b"""<?xml version="1.0" encoding="windows-1251"?><!DOCTYPE html [<!ENTITY a "b]>">]><html><body><p/>
<![CDATA[raw <b>]]><script src="x"/>\xd7\xe0\xf1\xee\xe2\xf9\xe8\xea</body></html>""",
    "notes": b"""<h1>H</h1><meta name="citation_author" content="A"><meta property="og:title" content="T"><script
type="application/ld+json">{"@graph":[{"author":[{"name":"B"}],"datePublished":"2019"}]}</script><p>x<a epub:type="noteref"
href="#n"><sup>1</sup></a> 10<sup>6</sup><span class="pagenum">2</span></p><p>y<o:p></o:p></p><aside epub:type="footnote" id="n">
<p>note <a role="doc-noteref" href="#m">2</a></p></aside><section class="footnotes"><ol><li id="m">m</li></ol></section>""",
    "marks": b"""+++
title = 'T'
authors = ["A", 'B']
+++
a[^n] b^[in *l*] $x_1 * y$ 2*3 [[w|v]] *open _too

[^n]: note
    on

    code

A | B
--|--
c | d

+--+
| e |
+--+

Term
: def

<script>
x
</script>
[r]:
  http://x
""",
    "markdown": b"""---
title: "The Mill"
date: 2020
---
# Head *one*

Text with [a link](http://x/(y) "t"), ![image](data:image/png;base64,AAAA), `code`, **bold**, <b>tag</b>, <http://x>[^1].
- item
1. number
> quote

| a | b |
|---|---|
| c | d |

```c
int x;
```

[ref]: http://x
[^1]: note  
hard\\
break &amp; \\* end
""",
    "wrapped": b"The ferryman rowed to the other side of the\nriver, where the miller had been waiting for\nhim since dawn.\n\n"
               b"  The sea is wide,\n  the boat is small.\n\f- one\n- two\r\rlast\x00\x1b[31m",
    "utf16": "\ufeff<p>caf\u00e9\u200d \U0001f468\u200d\U0001f527".encode("utf-16-le"),
    "utf16-bare": "no mark, but plain text\n".encode("utf-16-be"),
    "utf32": "\ufeffabc".encode("utf-32-be"),
    "sjis": "\u6c34\u8eca\u5c0f\u5c4b\u306e\u9375".encode("cp932"),
    "jis": "\u3053\u3093".encode("iso2022_jp"),
    "latin": b"M\xfcnchen \xe9t\xe9",
    "decomposed": "e\u0301 \u1100\u1161 \u304b\u3099".encode(),
}

for name, data in SEEDS.items():
    with open(os.path.join(sys.argv[1], name), "wb") as f:
        f.write(data)
