/* evidence.h: retrieved chunks as people and programs see them; documents as JSON. May use: drt.h. */
#ifndef DRT_APP_EVIDENCE_H
#define DRT_APP_EVIDENCE_H

#include "app/json.h"
#include "app/workspace.h"

/* Text around hits (--context). Keeps the last document's text, since hits of one document come together. */
typedef struct {
    workspace *work;
    int64_t characters; /* on either side; 0: none */
    int64_t document;   /* whose text is held; 0: none */
    drt_string text;
} surroundings;

void surroundings_free(surroundings *around);

/* "page": its number, or null where a document has none. */
void evidence_page_json(json_writer *json, int64_t page);
/* {"chunk": ..., "text": ...}; with surroundings also "before" and "after". */
void evidence_hit_json(json_writer *json, const drt_hit *hit, surroundings *around);
/* {"step", "group", "null_mass", "hits"}, its object left open for further fields. */
void evidence_event_json(json_writer *json, const drt_event *event, surroundings *around);
/* Where a hit stands, and its text indented below: document, title, authors, date, page, byte range, chunk. `head` leads the line. */
void evidence_hit_print(const char *head, const drt_hit *hit, surroundings *around);

/* The passages that an answer rests on: the union over all events, largest weight first, at most 5, of
 * weight 0.05 and more. */
void evidence_passages_print(const drt_answer *answer, surroundings *around);

/* An answer as one JSON object, left open for further fields: json_close() ends it. */
void evidence_answer_json(json_writer *json, const drt_answer *answer, const char *library, surroundings *around);

/* ` "Title" by Ada Renn, Bo Tarn (2019)`, as far as the document has them. */
void evidence_citation_print(const drt_document *document);
/* The fields of `drt ls --json` and of an ingest report, the object left open. */
void evidence_document_json(json_writer *json, const drt_document *document);
const char *evidence_document_status(drt_document_status status);

#endif
