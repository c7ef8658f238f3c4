/* ingest_preview.c: what an ingest would do: reads and hashes everything, extracts what is new, writes nothing. Of the
 * library it knows the places and contents, as 64-bit fingerprints, and follows how an ingest would change them.
 * May use: base, corpus, library, ingest_filter.h, ingest_sync.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/context.h"
#include "engine/base/fingerprints.h"
#include "engine/base/utf8.h"
#include "engine/session/ingest_filter.h"
#include "engine/session/ingest_sync.h"

typedef struct {
    drt_context *context;
    const drt_ingest_params *params;
    void (*tell)(void *user, const drt_preview *preview);
    drt_preview_report *report;
    drt_fingerprints places;   /* archive and path -> content of the document with text that has it; 0: none */
    drt_fingerprints contents; /* content -> how many places have it */
    drt_known_set whole;       /* places whose document was in without losses */
    drt_ingest_seen seen;
    bool out_of_memory;
} preview;

static drt_status fail_memory(const preview *p) {
    return drt_fail_memory(p->context, "a preview of an ingest");
}

static void tell(preview *p, const drt_string *path, const drt_string *format, const drt_string *reason,
                 drt_would would) {
    p->report->members[would]++;
    p->tell(p->params->user, &(drt_preview){.path = *path, .format = *format, .reason = *reason, .would = would});
}

/* ------------------------------------------------------------------------- the library ---- */

/* The content is at this place from now on. */
static bool set_place(preview *p, uint64_t place, uint64_t content) {
    uint64_t *held = drt_fingerprints_value(&p->places, place);
    uint64_t before = held ? *held : 0;
    if (!held)
        return false;
    *held = content;
    uint64_t *old = before ? drt_fingerprints_value(&p->contents, before) : NULL;
    if (old)
        --*old;
    uint64_t *count = drt_fingerprints_value(&p->contents, content);
    if (count)
        ++*count;
    return count && (old || !before);
}

static bool note_place(void *user, const drt_string *archive, const drt_string *path,
                       const uint8_t sha256[DRT_HASH_SIZE], drt_document_status status) {
    static const uint8_t unread[DRT_HASH_SIZE];
    preview *p = user;
    uint64_t place = drt_place_fingerprint(archive, path);
    bool ok = memcmp(sha256, unread, DRT_HASH_SIZE) == 0 || set_place(p, place, drt_content_fingerprint(sha256));
    ok = ok && (status != DRT_DOCUMENT_OK || drt_known_add(&p->whole, place));
    p->out_of_memory = !ok;
    return ok;
}

static bool tell_vanished(void *user, const drt_string *archive, const drt_string *path,
                          const uint8_t sha256[DRT_HASH_SIZE], drt_document_status status) {
    preview *p = user;
    (void)sha256;
    (void)status;
    drt_place_fate fate = drt_seen_fate(&p->seen, p->params, archive, path);
    p->report->unsure += fate == DRT_PLACE_UNSURE;
    if (fate == DRT_PLACE_VANISHED)
        tell(p, path, &(drt_string){0}, &(drt_string){0}, DRT_WOULD_REMOVE);
    return true;
}

/* -------------------------------------------------------------------------- the members ---- */

/* Extracts what is new, to see whether it has a text. */
static drt_status read_text(preview *p, drt_ingest_member *m, drt_would *would) {
    if (*would != DRT_WOULD_ADD && *would != DRT_WOULD_CHANGE)
        return DRT_OK;
    drt_status status = drt_raw_extract(p->context, m->raw, &m->extract);
    if (status == DRT_OK && m->extract.status == DRT_DOCUMENT_SKIPPED)
        *would = DRT_WOULD_SKIP;
    return status == DRT_FAILED ? DRT_WARN : status; /* cancelled: quietly */
}

/* As drt_store_find and a commit would have it. */
static drt_status preview_document(preview *p, drt_ingest_member *m) {
    uint64_t content = drt_content_fingerprint(m->sha256);
    const uint64_t *at_place = drt_fingerprints_value(&p->places, m->place),
                   *count = drt_fingerprints_value(&p->contents, content);
    if (!at_place || !count)
        return fail_memory(p);
    drt_would would = DRT_WOULD_ADD;
    if (*count > 0)
        would = *at_place == content ? DRT_WOULD_KNOW : DRT_WOULD_ALIAS;
    else if (*at_place != 0)
        would = DRT_WOULD_CHANGE;
    if (m->damage.data && would != DRT_WOULD_KNOW && drt_known_has(&p->whole, m->place)) {
        would = DRT_WOULD_SKIP;
        if (!drt_ingest_member_skip_damaged(m))
            return fail_memory(p);
    }
    drt_status status = read_text(p, m, &would);
    if (status != DRT_OK)
        return status;
    if (would != DRT_WOULD_KNOW && would != DRT_WOULD_SKIP && !set_place(p, m->place, content))
        return fail_memory(p);
    tell(p, &m->path, &m->format, &m->extract.reason, would);
    return DRT_OK;
}

static drt_status on_raw(void *user, const drt_source *source, drt_raw **raw) {
    preview *p = user;
    drt_ingest_member *m = drt_ingest_member_new(DRT_MEMBER_DOCUMENT, source);
    if (m) {
        m->raw = *raw;
        *raw = NULL;
    }
    drt_status status = m && drt_seen_add(&p->seen, m) ? preview_document(p, m) : fail_memory(p);
    drt_ingest_member_free(m);
    return status;
}

static drt_status on_skipped(void *user, const drt_source *source, drt_extract *extract) {
    preview *p = user;
    drt_ingest_member *m = drt_ingest_member_new(DRT_MEMBER_SKIPPED, source);
    drt_status status = m && drt_seen_add(&p->seen, m) ? DRT_OK : fail_memory(p);
    if (status == DRT_OK)
        tell(p, &m->path, &m->format, &extract->reason, DRT_WOULD_SKIP);
    drt_ingest_member_free(m);
    return status;
}

static bool on_unlisted(void *user, const drt_source *source) {
    preview *p = user;
    return drt_seen_add_unlisted(&p->seen, source);
}

static bool is_wanted(void *user, const char *path, size_t path_length, bool holds_others) {
    const preview *p = user;
    return drt_ingest_wants(p->params, path, path_length, holds_others);
}

static drt_status tell_unreadable(preview *p, const char *path) {
    drt_buffer shown = {0};
    drt_string text = {0}, reason = {0};
    const char *sentence = drt_error(p->context);
    bool ok = drt_utf8_append_escaped(&shown, path, strlen(path)) && drt_string_take(&text, &shown) &&
              drt_string_set(&reason, sentence, strlen(sentence));
    if (ok)
        tell(p, &text, &(drt_string){0}, &reason, DRT_WOULD_SKIP);
    drt_buffer_free(&shown);
    drt_string_free(&text);
    drt_string_free(&reason);
    return ok ? DRT_OK : fail_memory(p);
}

static drt_status walk_arguments(preview *p) {
    drt_corpus_params walk = drt_corpus_params_default();
    walk.raw = on_raw;
    walk.member = on_skipped;
    walk.wanted = is_wanted;
    walk.passed_over = &p->report->passed_over;
    walk.unlisted = on_unlisted;
    walk.user = p;
    drt_status status = DRT_OK;
    for (size_t i = 0; i < p->params->n_paths && status == DRT_OK && !drt_cancelled(p->context); i++) {
        drt_seen_start(&p->seen);
        status = drt_corpus_walk(p->context, p->params->paths[i], &walk);
        if (status == DRT_OK && !drt_seen_end(&p->seen))
            status = fail_memory(p);
        if (status == DRT_FAILED)
            status = tell_unreadable(p, p->params->paths[i]);
    }
    return status;
}

drt_status drt_ingest_preview(drt_context *context, drt_library *library, const drt_ingest_params *params,
                              void (*member)(void *user, const drt_preview *preview), drt_preview_report *report) {
    preview p = {.context = context, .params = params, .tell = member, .report = report};
    *report = (drt_preview_report){0};
    drt_status status = library ? drt_store_places(context, library, note_place, &p) : DRT_OK;
    if (status == DRT_OK && p.out_of_memory)
        status = fail_memory(&p);
    if (status == DRT_OK)
        status = walk_arguments(&p);
    report->cancelled = drt_cancelled(context);
    if (status == DRT_OK && params->sync && library && !report->cancelled)
        status = drt_store_places(context, library, tell_vanished, &p);
    drt_seen_free(&p.seen);
    drt_known_free(&p.whole);
    drt_fingerprints_free(&p.places);
    drt_fingerprints_free(&p.contents);
    if (status == DRT_OK && report->members[DRT_WOULD_SKIP] > 0)
        return drt_fail(context, DRT_WARN, "%lld members would be skipped", (long long)report->members[DRT_WOULD_SKIP]);
    return status;
}
