/* format_text.c: plain text in any encoding. See formats.h. */
#include "engine/corpus/charset.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/reflow.h"

drt_status drt_format_text_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    drt_text text;
    drt_text_start(&text, &extract->text);
    const char *data;
    size_t length;
    drt_status status = drt_charset_view(context, input->data, input->length, &decoded, &data, &length, &facts);
    if (status == DRT_OK)
        status = drt_reflow(context, &text, data, length);
    drt_buffer_free(&decoded);
    bool ok = drt_text_finish(&text);
    if (status == DRT_OK &&
        (!ok || !drt_extract_note_charset(extract, facts.replacements, facts.guessed ? facts.name : NULL)))
        status = drt_fail_memory(context, "a text");
    return status;
}
