/* ingest_member.c: members on their way through an ingest. See ingest_member.h. */
#include "engine/session/ingest_member.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/fingerprints.h"

uint64_t drt_place_fingerprint(const drt_string *archive, const drt_string *path) {
    uint64_t of_archive = drt_fingerprint_add(DRT_FINGERPRINT_OF_NOTHING, archive->data, archive->length);
    return drt_fingerprint_add(of_archive, path->data, path->length);
}

uint64_t drt_content_fingerprint(const uint8_t sha256[DRT_HASH_SIZE]) {
    uint64_t start;
    memcpy(&start, sha256, sizeof start);
    return start;
}

drt_ingest_member *drt_ingest_member_new(drt_member_fate fate, const drt_source *source) {
    drt_ingest_member *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->fate = fate;
    memcpy(m->sha256, source->sha256, sizeof m->sha256);
    if (!drt_string_set(&m->archive, source->archive, source->archive_length) ||
        !drt_string_set(&m->path, source->path, source->path_length) ||
        !drt_string_set(&m->format, source->format, strlen(source->format)) ||
        !drt_string_set(&m->damage, source->damage, source->damage ? strlen(source->damage) : 0)) {
        drt_ingest_member_free(m);
        return NULL;
    }
    m->place = drt_place_fingerprint(&m->archive, &m->path);
    return m;
}

void drt_ingest_member_free(drt_ingest_member *m) {
    if (!m)
        return;
    drt_string_free(&m->archive);
    drt_string_free(&m->path);
    drt_string_free(&m->format);
    drt_string_free(&m->damage);
    drt_raw_free(m->raw);
    drt_tokenising_free(m->making);
    drt_extract_clear(&m->extract);
    drt_chunks_clear(&m->chunks);
    drt_prepared_free(m->prepared);
    drt_document_clear(&m->row);
    free(m);
}

size_t drt_ingest_member_bytes(const drt_ingest_member *m) {
    size_t chunk = m->chunks.n_chunks ? sizeof *m->chunks.ranges + 64 * sizeof *m->chunks.tokens : 0;
    return sizeof *m + m->extract.text.capacity + m->chunks.n_chunks * chunk +
           (m->prepared ? drt_prepared_bytes(m->prepared) : 0);
}

bool drt_ingest_member_skip(drt_ingest_member *m, const char *reason) {
    m->fate = DRT_MEMBER_SKIPPED;
    m->extract.status = DRT_DOCUMENT_SKIPPED;
    drt_buffer_free(&m->extract.text);
    drt_chunks_clear(&m->chunks);
    drt_string_free(&m->extract.reason);
    return drt_string_set(&m->extract.reason, reason, strlen(reason));
}

bool drt_ingest_member_skip_damaged(drt_ingest_member *m) {
    drt_buffer reason = {0};
    bool ok = drt_buffer_append(&reason, m->damage.data, m->damage.length) &&
              drt_buffer_append_text(&reason, "; what was read of it when it was whole stays") &&
              drt_ingest_member_skip(m, reason.data);
    drt_buffer_free(&reason);
    return ok;
}

drt_document_facts drt_ingest_member_facts(const drt_ingest_member *m, const char **authors) {
    size_t n_authors = authors ? m->extract.n_authors : 0;
    for (size_t i = 0; i < n_authors; i++)
        authors[i] = m->extract.authors[i].data;
    drt_document_facts facts = {
        .archive = m->archive.data,
        .archive_length = m->archive.length,
        .path = m->path.data,
        .path_length = m->path.length,
        .title = m->extract.title.data,
        .date = m->extract.date.data,
        .authors = authors,
        .n_authors = n_authors,
        .format = m->format.data,
        .status = m->extract.status,
        .reason = m->extract.reason.data,
        .replacements = m->extract.replacements,
        .pages = m->extract.pages,
        .n_pages = m->extract.n_pages,
    };
    memcpy(facts.sha256, m->sha256, sizeof facts.sha256);
    return facts;
}

/* ------------------------------------------------------------------------------ lists ---- */

void drt_member_list_start(drt_member_list *list) {
    list->first = NULL;
    list->end = &list->first;
}

void drt_member_list_append(drt_member_list *list, drt_ingest_member *m) {
    m->next = NULL;
    *list->end = m;
    list->end = &m->next;
}

drt_ingest_member *drt_member_list_take(drt_member_list *list) {
    drt_ingest_member *m = list->first;
    list->first = m->next;
    if (!list->first)
        list->end = &list->first;
    return m;
}

void drt_member_list_free(drt_member_list *list) {
    while (list->first)
        drt_ingest_member_free(drt_member_list_take(list));
}

/* -------------------------------------------------------------------------- under way ---- */

static size_t content_row(const uint8_t sha256[DRT_HASH_SIZE]) {
    return (size_t)(sha256[0] | sha256[1] << 8) % DRT_MEMBERS_TABLE;
}

static size_t place_row(const drt_ingest_member *m) {
    return (size_t)(m->place % DRT_MEMBERS_TABLE);
}

void drt_members_add(drt_members_under_way *table, drt_ingest_member *m) {
    drt_ingest_member **content = &table->by_content[content_row(m->sha256)], **place = &table->by_place[place_row(m)];
    m->same_content = *content;
    *content = m;
    m->same_place = *place;
    *place = m;
    m->under_way = true;
    table->n++;
    table->replacing += m->replaces;
}

void drt_members_remove(drt_members_under_way *table, drt_ingest_member *m) {
    drt_ingest_member **content = &table->by_content[content_row(m->sha256)], **place = &table->by_place[place_row(m)];
    while (*content != m)
        content = &(*content)->same_content;
    *content = m->same_content;
    while (*place != m)
        place = &(*place)->same_place;
    *place = m->same_place;
    m->under_way = false;
    table->n--;
    table->replacing -= m->replaces;
}

bool drt_members_have_content(const drt_members_under_way *table, const uint8_t sha256[DRT_HASH_SIZE]) {
    static const uint8_t unread[DRT_HASH_SIZE];
    for (const drt_ingest_member *m = table->by_content[content_row(sha256)]; m; m = m->same_content)
        if (m->fate == DRT_MEMBER_DOCUMENT && memcmp(m->sha256, sha256, DRT_HASH_SIZE) == 0)
            return memcmp(sha256, unread, DRT_HASH_SIZE) != 0;
    return false;
}

bool drt_members_have_place(const drt_members_under_way *table, const drt_ingest_member *member) {
    for (const drt_ingest_member *m = table->by_place[place_row(member)]; m; m = m->same_place)
        if (m->place == member->place && drt_string_equal(&m->archive, member->archive.data, member->archive.length) &&
            drt_string_equal(&m->path, member->path.data, member->path.length))
            return true;
    return false;
}
