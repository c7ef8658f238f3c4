"""Seeds for fuzz_epub: seeds_epub.py FOLDER."""
import os
import sys
import zipfile

CONTAINER = '<container><rootfiles><rootfile full-path="O/b.opf"/></rootfiles></container>'
PACKAGE = """<package><metadata><dc:title>T</dc:title><dc:creator>A</dc:creator><dc:date opf:event="publication">1</dc:date>
</metadata><manifest><item id="a" href="a%20b.xhtml"/><item id="n" href="n.xhtml" properties="nav"/>
<item id="c" href="../c.xhtml#x" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="c"/><itemref idref="n"/><itemref idref="a"/><itemref idref="no"/></spine></package>"""
LOCKED = """<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.idpf.org/2008/embedding"/><CipherData>
<CipherReference URI="c.xhtml"/></CipherData></EncryptedData><EncryptedData><EncryptionMethod Algorithm="aes"/><CipherData>
<CipherReference URI="O/a%20b.xhtml"/></CipherData></EncryptedData></encryption>"""


def book(name, method, **files):
    with zipfile.ZipFile(os.path.join(sys.argv[1], name), "w", method) as z:
        z.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        for path, text in files["parts"]:
            z.writestr(path, text)


PARTS = [("META-INF/container.xml", CONTAINER), ("O/b.opf", PACKAGE), ("O/a b.xhtml", "<p>one</p>"),
         ("c.xhtml", "<p>two</p>"), ("O/n.xhtml", "<nav>x</nav>")]
book("stored", zipfile.ZIP_STORED, parts=PARTS)
book("packed", zipfile.ZIP_DEFLATED, parts=PARTS)
book("locked", zipfile.ZIP_STORED, parts=PARTS + [("META-INF/encryption.xml", LOCKED)])
book("bare", zipfile.ZIP_STORED, parts=[("x.html", "<p>page")])
with open(os.path.join(sys.argv[1], "pieces"), "w") as f:
    f.write("\0".join([CONTAINER.replace("O/b", "b"), PACKAGE.replace("a%20b", "a").replace("n.xhtml", "nav.xhtml"), LOCKED.replace("c.x", "n.x"),
                       "<h1>Head</h1><p>one &eacute;</p>", "<nav><ol><li><a href='a.xhtml#x'>Head</a></li></ol></nav>"]))
