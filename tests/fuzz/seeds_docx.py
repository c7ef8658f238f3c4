"""Seeds for fuzz_docx: seeds_docx.py FOLDER."""
import os
import sys
import zipfile

TEXT = """<w:document><w:body><w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t>
</w:r><w:ins><w:r><w:t>in</w:t><w:tab/><w:br/></w:r></w:ins><w:del><w:r><w:delText>no</w:delText></w:r></w:del>
<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>IF</w:instrText>
<w:fldChar w:fldCharType="separate"/><w:t>f</w:t><w:fldChar w:fldCharType="end"/></w:r></w:p>
<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc><w:p/></w:tc></w:tr><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:p><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></mc:Choice>
<mc:Fallback><w:t>no</w:t></mc:Fallback></mc:AlternateContent><m:f><m:num><m:t>a</m:t></m:num><m:den><m:t>b</m:t></m:den></m:f>
<m:sub><m:t>ab</m:t></m:sub><m:sup/><m:naryPr><m:chr m:val="&#8721;"/></m:naryPr><m:rad/><m:d><m:t>x</m:t></m:d></w:p>
</w:body></w:document>"""
NOTES = """<w:footnotes><w:footnote w:type="separator" w:id="0"/><w:footnote w:id="2"><w:p><w:r><w:t>note</w:t></w:r></w:p>
</w:footnote></w:footnotes>"""
STYLES = """<w:styles><w:style w:styleId="a"><w:name w:val="heading 1"/><w:basedOn w:val="b"/><w:numPr><w:ilvl w:val="1"/>
<w:numId w:val="1"/></w:numPr></w:style><w:style w:styleId="b"><w:name w:val="List Bullet"/><w:basedOn w:val="a"/><w:vanish/>
</w:style></w:styles><w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt
w:val="lowerRoman"/><w:lvlText w:val="%1.%2"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="upperLetter"/><w:lvlText w:val="%2"/>
</w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/>
</w:lvlOverride></w:num></w:numbering>"""
for name, seed in ("text", TEXT), ("styles", STYLES):
    with open(os.path.join(sys.argv[1], name), "w") as f:
        f.write(seed)
for method in zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED:
    with zipfile.ZipFile(os.path.join(sys.argv[1], "file%d" % method), "w", method) as z:
        z.writestr("_rels/.rels", '<Relationship Type="/officeDocument" Target="word/document.xml"/>')
        z.writestr("word/_rels/document.xml.rels", '<Relationship Type="/footnotes" Target="footnotes.xml"/>')
        z.writestr("word/document.xml", TEXT)
        z.writestr("word/footnotes.xml", NOTES)
        z.writestr("docProps/core.xml", "<dc:title>T</dc:title><dc:creator>A;B</dc:creator>")
