/* format_bibtex.c: BibTeX's lists of references, as a list that people read. See formats.h. */
#include "engine/corpus/charset.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/tex/bibliography.h"

drt_status drt_format_bibtex_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    drt_buffer decoded = {0}, list = {0};
    drt_charset_facts facts;
    drt_status status = drt_charset_decode(context, input->data, input->length, NULL, 0, &decoded, &facts);
    bool ok =
        status != DRT_OK || (drt_bibtex_write(decoded.data ? decoded.data : "", decoded.length, NULL, &list) &&
                             drt_buffer_append_text(&list, "\\end{thebibliography}") &&
                             drt_extract_note_charset(extract, facts.replacements, facts.guessed ? facts.name : NULL));
    drt_format_input written = {list.data ? list.data : "", list.length, input->name, input->name_length};
    if (status == DRT_OK)
        status = ok ? drt_format_tex_extract(context, &written, extract) : drt_fail_memory(context, "a document");
    drt_buffer_free(&decoded);
    drt_buffer_free(&list);
    return status;
}
