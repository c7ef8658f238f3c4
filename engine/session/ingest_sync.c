/* ingest_sync.c: what has vanished from the sources of an ingest. See ingest_sync.h. */
#include "engine/session/ingest_sync.h"

#include "engine/session/ingest_filter.h"

static uint64_t source_fingerprint(const drt_string *archive) {
    return drt_place_fingerprint(archive, &(drt_string){0});
}

void drt_seen_start(drt_ingest_seen *seen) {
    seen->source_known = seen->source_met = false;
}

static void note_source(drt_ingest_seen *seen, const drt_string *archive) {
    seen->source = source_fingerprint(archive);
    seen->source_known = true;
}

bool drt_seen_add(drt_ingest_seen *seen, const drt_ingest_member *m) {
    note_source(seen, &m->archive);
    seen->source_met = true;
    return drt_known_add(&seen->met, m->place);
}

bool drt_seen_add_unlisted(drt_ingest_seen *seen, const drt_source *source) {
    char *archive = (char *)source->archive, *path = (char *)source->path; /* only looked at */
    drt_string whole = {archive, source->archive_length}, place = {path, source->path_length};
    note_source(seen, &whole);
    return drt_known_add(&seen->unlisted, drt_place_fingerprint(&whole, &place));
}

bool drt_seen_end(drt_ingest_seen *seen) {
    return !seen->source_known || (drt_known_add(&seen->sources, seen->source) &&
                                   (seen->source_met || drt_known_add(&seen->empty, seen->source)));
}

void drt_seen_free(drt_ingest_seen *seen) {
    drt_known_free(&seen->met);
    drt_known_free(&seen->unlisted);
    drt_known_free(&seen->sources);
    drt_known_free(&seen->empty);
}

static bool is_below_unlisted(const drt_ingest_seen *seen, const drt_string *archive, const drt_string *path) {
    for (size_t end = 1; seen->unlisted.n > 0 && end < path->length; end++)
        if (path->data[end] == '/' &&
            drt_known_has(&seen->unlisted, drt_place_fingerprint(archive, &(drt_string){path->data, end})))
            return true;
    return false;
}

/* Fingerprints that agree by chance keep a path: never the other way round. */
drt_place_fate drt_seen_fate(const drt_ingest_seen *seen, const drt_ingest_params *params, const drt_string *archive,
                             const drt_string *path) {
    uint64_t source = source_fingerprint(archive);
    if (!drt_known_has(&seen->sources, source) || drt_known_has(&seen->met, drt_place_fingerprint(archive, path)) ||
        !drt_ingest_wants(params, path->data, path->length, false))
        return DRT_PLACE_STAYS;
    bool unsure = drt_known_has(&seen->empty, source) || is_below_unlisted(seen, archive, path);
    return unsure ? DRT_PLACE_UNSURE : DRT_PLACE_VANISHED;
}

typedef struct {
    const drt_ingest_params *params;
    const drt_ingest_seen *seen;
    int64_t removed, unsure;
} removing;

static bool has_vanished(void *user, const drt_string *archive, const drt_string *path) {
    removing *r = user;
    drt_place_fate fate = drt_seen_fate(r->seen, r->params, archive, path);
    r->unsure += fate == DRT_PLACE_UNSURE;
    return fate == DRT_PLACE_VANISHED;
}

static void tell(void *user, const drt_string *path, int64_t document) {
    removing *r = user;
    r->removed++;
    if (r->params->removed)
        r->params->removed(r->params->user, path->data, path->length, document);
}

drt_status drt_ingest_remove_vanished(drt_context *context, drt_library *library, const drt_ingest_params *params,
                                      const drt_ingest_seen *seen, int64_t *removed, int64_t *unsure) {
    removing r = {.params = params, .seen = seen};
    drt_status status = drt_store_remove_places(context, library, has_vanished, tell, &r);
    *removed = r.removed;
    *unsure = r.unsure;
    return status;
}
