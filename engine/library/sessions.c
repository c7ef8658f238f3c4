/* sessions.c: answers that the library keeps, each one row. See drt.h, store.h. */
#include <stdlib.h>
#include <time.h>

#include "engine/library/library.h"
#include "engine/library/stored_trace.h"

/* Rows read under one lock; the visitor runs without it. */
#define PAGE 64

static drt_status insert_session(drt_context *context, const drt_library *library, const drt_answer *answer,
                                 const drt_buffer *trace, int64_t *id) {
    drt_status status = drt_catalog_begin_write(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = drt_catalog_run(
        context, &library->catalog,
        "INSERT INTO sessions (time, question, answer, events, trace) VALUES (?1, ?2, ?3, ?4, ?5)",
        DRT_VALUES(drt_value_integer((int64_t)time(NULL)),
                   drt_value_text(answer->question.data ? answer->question.data : "", answer->question.length),
                   drt_value_text(answer->answer.data ? answer->answer.data : "", answer->answer.length),
                   drt_value_integer((int64_t)answer->n_events), drt_value_blob(trace->data, trace->length)));
    *id = sqlite3_last_insert_rowid(library->catalog.db);
    return drt_catalog_finish(context, &library->catalog, status);
}

drt_status drt_store_session(drt_context *context, drt_library *library, drt_answer *answer) {
    drt_buffer trace = {0};
    int64_t id = 0;
    answer->session = 0;
    drt_status status = drt_stored_trace_write(context, answer, &trace);
    if (status == DRT_OK && sqlite3_db_readonly(library->catalog.db, "main") == 1)
        status = drt_fail(context, DRT_WARN, "%s may not be written", library->catalog.path);
    if (status == DRT_OK)
        status = insert_session(context, library, answer, &trace, &id);
    drt_buffer_free(&trace);
    if (status != DRT_OK)
        return drt_fail(context, DRT_WARN, "the answer was not stored in the library: %s", drt_error(context));
    answer->session = id;
    return DRT_OK;
}

/* ------------------------------------------------------------------------------ listing ---- */

static void clear_page(drt_session_summary *page, size_t count) {
    for (size_t i = 0; i < count; i++) {
        drt_string_free(&page[i].question);
        drt_string_free(&page[i].answer);
    }
}

/* Up to PAGE sessions with id < before, newest first. */
static drt_status read_page(drt_context *context, const drt_catalog *catalog, int64_t before,
                            drt_session_summary page[PAGE], size_t *count) {
    sqlite3_stmt *query;
    bool row = true;
    *count = 0;
    drt_status status = drt_catalog_prepare(
        context, catalog, &query,
        "SELECT id, time, events, question, answer FROM sessions WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
        DRT_VALUES(drt_value_integer(before), drt_value_integer(PAGE)));
    while (status == DRT_OK && *count < PAGE && (status = drt_catalog_step(context, catalog, query, &row)) == DRT_OK &&
           row) {
        drt_session_summary *summary = &page[(*count)++];
        *summary = (drt_session_summary){
            .id = sqlite3_column_int64(query, 0),
            .time = sqlite3_column_int64(query, 1),
            .n_events = (size_t)sqlite3_column_int64(query, 2),
        };
        if (!drt_catalog_string(query, 3, &summary->question) || !drt_catalog_string(query, 4, &summary->answer))
            status = drt_fail_memory(context, "a list of sessions");
    }
    sqlite3_finalize(query);
    return status;
}

drt_status drt_library_sessions(drt_context *context, drt_library *library,
                                bool (*visit)(void *user, const drt_session_summary *summary), void *user) {
    drt_session_summary *page = calloc(PAGE, sizeof *page);
    if (!page)
        return drt_fail_memory(context, "a list of sessions");
    drt_status status;
    size_t count;
    int64_t before = INT64_MAX;
    bool more = true;
    do {
        status = read_page(context, &library->catalog, before, page, &count);
        for (size_t i = 0; i < count && status == DRT_OK && more; i++) {
            before = page[i].id;
            more = visit(user, &page[i]);
        }
        clear_page(page, count);
        if (drt_cancelled(context))
            more = false;
    } while (status == DRT_OK && more && count == PAGE);
    free(page);
    return status;
}

/* ------------------------------------------------------------------------------ loading ---- */

static drt_status take_session(drt_context *context, sqlite3_stmt *row, int64_t id, drt_answer *answer) {
    answer->session = id;
    if (!drt_catalog_string(row, 0, &answer->question) || !drt_catalog_string(row, 1, &answer->answer))
        return drt_fail_memory(context, "a session");
    drt_status status =
        drt_stored_trace_read(context, sqlite3_column_blob(row, 2), (size_t)sqlite3_column_bytes(row, 2), answer);
    if (status == DRT_FAILED)
        status = drt_fail(context, DRT_FAILED, "session %lld can't be replayed: %s", (long long)id, drt_error(context));
    return status;
}

/* Traces say where hits stand in the text; the catalog knows the pages, and who wrote it. */
static drt_status find_facts(drt_context *context, drt_library *library, drt_answer *answer) {
    drt_status status = DRT_OK;
    for (size_t i = 0; i < answer->n_events; i++)
        for (size_t h = 0; h < answer->events[i].n_hits && status == DRT_OK; h++)
            status = drt_store_hit_facts(context, library, &answer->events[i].hits[h]);
    return status;
}

drt_status drt_library_session_load(drt_context *context, drt_library *library, int64_t session, drt_answer **out) {
    sqlite3_stmt *query;
    bool row = false;
    *out = NULL;
    drt_answer *answer = calloc(1, sizeof *answer);
    if (!answer)
        return drt_fail_memory(context, "a session");
    drt_status status = drt_catalog_prepare(context, &library->catalog, &query,
                                            "SELECT question, answer, trace FROM sessions WHERE id = ?1",
                                            DRT_VALUES(drt_value_integer(session)));
    if (status == DRT_OK)
        status = drt_catalog_step(context, &library->catalog, query, &row);
    if (status == DRT_OK)
        status = row ? take_session(context, query, session, answer)
                     : drt_fail(context, DRT_FAILED, "the library has no session %lld", (long long)session);
    sqlite3_finalize(query);
    if (status == DRT_OK)
        status = find_facts(context, library, answer);
    if (status == DRT_OK)
        *out = answer;
    else
        drt_answer_free(answer);
    return status;
}

drt_status drt_library_session_delete(drt_context *context, drt_library *library, int64_t session) {
    drt_status status = drt_catalog_begin_write(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = drt_catalog_run(context, &library->catalog, "DELETE FROM sessions WHERE id = ?1",
                             DRT_VALUES(drt_value_integer(session)));
    if (status == DRT_OK && sqlite3_changes(library->catalog.db) == 0)
        status = drt_fail(context, DRT_FAILED, "the library has no session %lld", (long long)session);
    return drt_catalog_finish(context, &library->catalog, status);
}
