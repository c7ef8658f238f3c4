/* passkey.c: pass keys: the text is ingested once; each key is added in a small document, asked for, and removed. */
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/bench/bench.h"
#include "engine/eval/eval.h"

/* The library and what one pass key after the other is added to it with. */
typedef struct {
    drt_eval_state *run;
    const char *scratch;
    drt_library *library;
    drt_session *session;
    drt_fact_maker maker;
    drt_random random;
} key_chain;

/* Writes the key's document -> *file, owned, and its path in the library. */
static drt_status write_key(key_chain *chain, int number, drt_needle *needle, drt_string *file, drt_buffer *path) {
    drt_eval_state *run = chain->run;
    drt_string text = {0};
    needle->places[0].sentence = &needle->fact.sentences[0];
    needle->places[0].depth = 1;
    drt_status status =
        drt_needle_wrap(run->context, &run->eval->hay, &chain->random, needle->places[0].sentence, &text);
    if (status == DRT_OK)
        status = drt_buffer_printf(path, "key-%d.txt", number) && drt_path_join(file, chain->scratch, path->data)
                     ? drt_file_create(run->context, file->data, text.data, text.length)
                     : drt_fail_memory(run->context, "a pass key's text");
    drt_string_free(&text);
    return status;
}

static drt_status remove_document(drt_context *context, drt_library *library, const drt_buffer *path) {
    drt_document document = {0};
    drt_status status = drt_library_document(context, library, path->data, path->length, &document);
    if (status == DRT_OK)
        status = drt_library_remove(context, library, &document, NULL, 0);
    drt_document_clear(&document);
    return status;
}

/* Adds one document, asks for the key in it, removes it. */
static drt_status run_key(key_chain *chain, int number) {
    drt_context *context = chain->run->context;
    drt_ingest_report done = {0};
    drt_needle needle = {0};
    drt_string file = {0};
    drt_buffer path = {0};
    drt_status status = drt_fact_make_pass_key(context, &chain->maker, &needle.fact);
    if (status == DRT_OK)
        status = write_key(chain, number, &needle, &file, &path);
    if (status == DRT_OK)
        status = drt_eval_ingest(chain->run, chain->library, file.data, false, &done);
    if (status == DRT_OK)
        status = drt_place_locate(context, chain->library, path.data, &needle.places[0]);
    if (status == DRT_OK)
        status = drt_eval_ask(chain->run, chain->session, &needle, 1);
    if (status == DRT_OK)
        status = remove_document(context, chain->library, &path);
    if (file.data)
        unlink(file.data);
    drt_fact_clear(&needle.fact);
    drt_string_free(&file);
    drt_buffer_free(&path);
    return status;
}

static drt_status run_keys(key_chain *chain, int n) {
    drt_eval_state *run = chain->run;
    drt_status status = drt_session_open(run->context, chain->library, run->eval->model, &chain->session);
    drt_fact_maker_open(&chain->maker, run->params->seed);
    drt_random_seed(&chain->random, run->params->seed, DRT_RANDOM_PLACES);
    for (int i = 0; i < n && status == DRT_OK; i++)
        status = run_key(chain, i);
    if (status == DRT_OK)
        drt_eval_note_memory(run);
    drt_fact_maker_close(&chain->maker);
    drt_session_close(chain->session);
    return status;
}

drt_status drt_eval_pass_keys(drt_eval_state *run, drt_hay_cursor *cursor) {
    drt_string scratch = {0}, path = {0};
    key_chain chain = {.run = run};
    drt_status status = drt_bench_scratch_new(run->context, run->params->directory, &scratch);
    if (status == DRT_OK && !drt_path_join(&path, scratch.data, "library"))
        status = drt_fail_memory(run->context, "an evaluation");
    if (status == DRT_OK)
        status = drt_eval_open_library(run, path.data, &chain.library);
    if (status == DRT_OK)
        status = drt_eval_fill(run, cursor, scratch.data, chain.library, NULL, 0);
    chain.scratch = scratch.data;
    run->report->together = 1;
    if (status == DRT_OK)
        status = run_keys(&chain, run->params->needles);
    drt_library_close(chain.library);
    drt_bench_scratch_remove(&scratch);
    drt_string_free(&path);
    return status;
}
