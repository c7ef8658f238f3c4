/* ingest_sync.c: what has vanished from the sources of an ingest. See ingest_sync.h. */
#include "engine/session/ingest_sync.h"

#include "engine/session/ingest_filter.h"

static uint64_t source_fingerprint(const drt_string *archive) {
    return drt_place_fingerprint(archive, &(drt_string){0});
}

void drt_seen_start(drt_ingest_seen *seen) {
    seen->source_met = false;
}

bool drt_seen_add(drt_ingest_seen *seen, const drt_ingest_member *m) {
    seen->source = source_fingerprint(&m->archive);
    seen->source_met = true;
    return drt_known_add(&seen->met, m->place) &&
           (m->fate != DRT_MEMBER_SKIPPED || drt_known_add(&seen->unread, m->place));
}

bool drt_seen_end(drt_ingest_seen *seen) {
    return !seen->source_met || drt_known_add(&seen->sources, seen->source);
}

void drt_seen_free(drt_ingest_seen *seen) {
    drt_known_free(&seen->met);
    drt_known_free(&seen->unread);
    drt_known_free(&seen->sources);
}

typedef struct {
    const drt_ingest_params *params;
    const drt_ingest_seen *seen;
    int64_t removed;
} removing;

static bool is_below_unread(const drt_ingest_seen *seen, const drt_string *archive, const drt_string *path) {
    for (size_t end = 1; seen->unread.n > 0 && end < path->length; end++)
        if (path->data[end] == '/' &&
            drt_known_has(&seen->unread, drt_place_fingerprint(archive, &(drt_string){path->data, end})))
            return true;
    return false;
}

/* Fingerprints that agree by chance keep a path: never the other way round. */
bool drt_seen_vanished(const drt_ingest_seen *seen, const drt_ingest_params *params, const drt_string *archive,
                       const drt_string *path) {
    return drt_known_has(&seen->sources, source_fingerprint(archive)) &&
           !drt_known_has(&seen->met, drt_place_fingerprint(archive, path)) && !is_below_unread(seen, archive, path) &&
           drt_ingest_wants(params, path->data, path->length, false);
}

static bool has_vanished(void *user, const drt_string *archive, const drt_string *path) {
    const removing *r = user;
    return drt_seen_vanished(r->seen, r->params, archive, path);
}

static void tell(void *user, const drt_string *path, int64_t document) {
    removing *r = user;
    r->removed++;
    if (r->params->removed)
        r->params->removed(r->params->user, path->data, path->length, document);
}

drt_status drt_ingest_remove_vanished(drt_context *context, drt_library *library, const drt_ingest_params *params,
                                      const drt_ingest_seen *seen, int64_t *removed) {
    removing r = {.params = params, .seen = seen};
    drt_status status = drt_store_remove_places(context, library, has_vanished, tell, &r);
    *removed = r.removed;
    return status;
}
