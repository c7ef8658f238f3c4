/* terms.c: words of texts, as the full-text index sees them. See terms.h. */
#include "engine/library/terms.h"

#include <limits.h>
#include <stdlib.h>

#include "engine/base/utf8.h"
#include "engine/library/text.h"

bool drt_terms_unspaced(uint32_t c) {
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x0E00, 0x0EFF},   /* Thai, Lao */
        {0x1000, 0x109F},   /* Myanmar */
        {0x1780, 0x17FF},   /* Khmer */
        {0x3005, 0x3007},   /* ideographic marks */
        {0x3040, 0x312F},   /* Hiragana, Katakana, Bopomofo */
        {0x31A0, 0x31FF},   /* their extensions */
        {0x3400, 0x4DBF},   /* Han, extension A */
        {0x4E00, 0x9FFF},   /* Han */
        {0xAC00, 0xD7AF},   /* Hangul: spaced, but its words carry their particles */
        {0xF900, 0xFAFF},   /* Han, compatibility */
        {0xFF66, 0xFF9F},   /* half-width Katakana */
        {0x1B000, 0x1B16F}, /* Kana supplement */
        {0x20000, 0x3FFFF}, /* Han, further extensions */
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges && c >= ranges[i].first; i++)
        if (c <= ranges[i].last)
            return true;
    return false;
}

bool drt_terms_spread(drt_buffer *out, const char *text, size_t length) {
    out->length = 0;
    if (!drt_buffer_reserve(out, length))
        return false;
    for (size_t at = 0; at < length;) {
        uint32_t c;
        size_t n = drt_utf8_decode(text + at, length - at, &c);
        bool ok;
        if (n == 0) {
            n = 1;
            ok = drt_buffer_append_byte(out, ' ');
        } else if (drt_terms_unspaced(c)) {
            ok = drt_buffer_append_byte(out, ' ') && drt_buffer_append(out, text + at, n) &&
                 drt_buffer_append_byte(out, ' ');
        } else {
            ok = drt_buffer_append(out, text + at, n);
        }
        if (!ok)
            return false;
        at += n;
    }
    return true;
}

/* SQLite hands out FTS5's functions through a SELECT. */
static drt_status find_fts5(drt_context *context, const drt_catalog *catalog, fts5_api **api) {
    sqlite3_stmt *statement;
    bool row;
    *api = NULL;
    drt_status status = drt_catalog_prepare(context, catalog, &statement, "SELECT fts5(?1)", DRT_NO_VALUES);
    if (status == DRT_OK && sqlite3_bind_pointer(statement, 1, api, "fts5_api_ptr", NULL) == SQLITE_OK)
        status = drt_catalog_step(context, catalog, statement, &row);
    sqlite3_finalize(statement);
    if (status == DRT_OK && !*api)
        status = drt_fail(context, DRT_FATAL, "this SQLite was built without FTS5");
    return status;
}

static drt_status fail_fts5(drt_context *context, int code) {
    if (code == SQLITE_NOMEM)
        return drt_fail_memory(context, "the words of a text");
    return drt_fail(context, DRT_FATAL, "FTS5: %s", sqlite3_errstr(code));
}

drt_status drt_terms_open(drt_context *context, const drt_catalog *catalog, bool stem, drt_terms *terms) {
    fts5_api *api;
    *terms = (drt_terms){0};
    drt_status status = find_fts5(context, catalog, &api);
    if (status != DRT_OK)
        return status;
    /* porter wraps the tokenizer that its arguments name. */
    const char *arguments[] = {"unicode61", "remove_diacritics", "2"};
    void *data;
    int code = api->xFindTokenizer(api, stem ? "porter" : "unicode61", &data, &terms->functions);
    if (code == SQLITE_OK)
        code = terms->functions.xCreate(data, stem ? arguments : arguments + 1, stem ? 3 : 2, &terms->instance);
    return code == SQLITE_OK ? DRT_OK : fail_fts5(context, code);
}

void drt_terms_close(drt_terms *terms) {
    if (terms->instance)
        terms->functions.xDelete(terms->instance);
    *terms = (drt_terms){0};
}

typedef struct {
    drt_term_fn visit;
    void *user;
} visitor;

static int visit_token(void *user, int flags, const char *token, int length, int start, int end) {
    (void)flags;
    const visitor *to = user;
    return to->visit(to->user, token, (size_t)length, start, end) ? SQLITE_OK : SQLITE_DONE;
}

drt_status drt_terms_visit(drt_context *context, const drt_terms *terms, const char *text, size_t length,
                           drt_term_fn visit, void *user) {
    if (length > INT_MAX)
        return drt_fail(context, DRT_FAILED, "a text of %zu bytes is too long to look for", length);
    visitor to = {visit, user};
    int code = terms->functions.xTokenize(terms->instance, &to, FTS5_TOKENIZE_DOCUMENT, text, (int)length, visit_token);
    return code == SQLITE_OK || code == SQLITE_DONE ? DRT_OK : fail_fts5(context, code);
}

/* ------------------------------------------------------------------------------- lists ---- */

/* A list is LIST_MARK, then for each term its length in 2 bytes and the term. No text begins with this byte once it is
 * spread: it is no UTF-8. */
#define LIST_MARK '\xFF'
#define LONGEST_TERM 32768 /* FTS5 cuts longer ones */

struct term_list {
    drt_buffer *out;
    bool whole; /* nothing was left out for lack of memory */
};

static bool append_term(void *user, const char *term, size_t length, int start, int end) {
    (void)start, (void)end;
    size_t kept = length < LONGEST_TERM ? length : LONGEST_TERM;
    char size[2] = {(char)(kept & 0xFF), (char)(kept >> 8)};
    struct term_list *list = user;
    return list->whole = drt_buffer_append(list->out, size, 2) && drt_buffer_append(list->out, term, kept);
}

drt_status drt_terms_list(drt_context *context, const drt_terms *terms, const char *text, size_t length,
                          drt_buffer *list) {
    struct term_list target = {list, true};
    if (!drt_buffer_append_byte(list, LIST_MARK))
        return drt_fail_memory(context, "the words of a text");
    drt_status status = drt_terms_visit(context, terms, text, length, append_term, &target);
    return status == DRT_OK && !target.whole ? drt_fail_memory(context, "the words of a text") : status;
}

/* The tokenizer "porter" of a connection that takes lists: SQLite's own one, except for lists. */
typedef struct {
    fts5_tokenizer functions; /* of SQLite's */
    void *data;
} porter;

typedef struct {
    const fts5_tokenizer *functions;
    Fts5Tokenizer *instance;
} list_tokenizer;

static int create_tokenizer(void *data, const char **arguments, int n, Fts5Tokenizer **out) {
    const porter *base = data;
    list_tokenizer *made = calloc(1, sizeof *made);
    if (!made)
        return SQLITE_NOMEM;
    made->functions = &base->functions;
    int code = base->functions.xCreate(base->data, arguments, n, &made->instance);
    if (code != SQLITE_OK) {
        free(made);
        made = NULL;
    }
    *out = (Fts5Tokenizer *)(void *)made;
    return code;
}

static void delete_tokenizer(Fts5Tokenizer *tokenizer) {
    list_tokenizer *made = (list_tokenizer *)(void *)tokenizer;
    if (made)
        made->functions->xDelete(made->instance);
    free(made);
}

static int tokenize(Fts5Tokenizer *tokenizer, void *user, int flags, const char *text, int length,
                    int (*token)(void *user, int flags, const char *term, int length, int start, int end)) {
    const list_tokenizer *made = (const list_tokenizer *)(const void *)tokenizer;
    if (length < 1 || text[0] != LIST_MARK)
        return made->functions->xTokenize(made->instance, user, flags, text, length, token);
    int code = SQLITE_OK;
    for (int at = 1; at + 2 <= length && code == SQLITE_OK;) {
        int size = (unsigned char)text[at] | (unsigned char)text[at + 1] << 8;
        at += 2;
        if (size > length - at)
            return SQLITE_CORRUPT;
        code = token(user, 0, text + at, size, at, at + size);
        at += size;
    }
    return code;
}

drt_status drt_terms_accept_lists(drt_context *context, const drt_catalog *catalog) {
    fts5_api *api;
    drt_status status = find_fts5(context, catalog, &api);
    if (status != DRT_OK)
        return status;
    porter *base = calloc(1, sizeof *base);
    if (!base)
        return drt_fail_memory(context, "the full-text index");
    fts5_tokenizer functions = {create_tokenizer, delete_tokenizer, tokenize};
    int code = api->xFindTokenizer(api, "porter", &base->data, &base->functions);
    if (code == SQLITE_OK)
        code = api->xCreateTokenizer(api, "porter", base, &functions, free);
    if (code == SQLITE_OK)
        return DRT_OK;
    free(base);
    return fail_fts5(context, code);
}

/* -------------------------------------------------------------------------------- index ---- */

#define ADD_PASSAGE "INSERT INTO passages (rowid, text) VALUES (?1, ?2)"

static drt_status write_passage(drt_context *context, const drt_catalog *catalog, sqlite3_stmt *write, int64_t chunk,
                                const char *text, size_t length) {
    bool row;
    drt_status status =
        drt_catalog_rebind(context, catalog, write, DRT_VALUES(drt_value_integer(chunk), drt_value_text(text, length)));
    return status == DRT_OK ? drt_catalog_step(context, catalog, write, &row) : status;
}

drt_status drt_terms_add(drt_context *context, const drt_catalog *catalog, int64_t first, const drt_buffer *lists,
                         const uint32_t *ends, size_t n) {
    sqlite3_stmt *write;
    drt_status status = drt_catalog_prepare(context, catalog, &write, ADD_PASSAGE, DRT_NO_VALUES);
    for (size_t i = 0, start = 0; i < n && status == DRT_OK; start = ends[i++])
        status = write_passage(context, catalog, write, first + (int64_t)i, lists->data + start, ends[i] - start);
    sqlite3_finalize(write);
    return status;
}

static drt_status index_chunk(drt_context *context, const drt_catalog *catalog, drt_text_reader *reader,
                              sqlite3_stmt *write, sqlite3_stmt *chunk, int64_t document) {
    drt_buffer text = {0}, spread = {0};
    drt_status status = drt_text_reader_slice(context, reader, document, sqlite3_column_int64(chunk, 1),
                                              sqlite3_column_int64(chunk, 2), &text);
    if (status == DRT_OK && !drt_terms_spread(&spread, text.data, text.length))
        status = drt_fail_memory(context, "the words of a text");
    if (status == DRT_OK)
        status = write_passage(context, catalog, write, sqlite3_column_int64(chunk, 0), spread.data, spread.length);
    drt_buffer_free(&text);
    drt_buffer_free(&spread);
    return status;
}

drt_status drt_terms_index(drt_context *context, const drt_catalog *catalog, int64_t document, bool add) {
    sqlite3_stmt *chunks = NULL, *write = NULL;
    drt_text_reader reader;
    bool row = true;
    drt_status status = drt_text_reader_open(context, catalog, &reader);
    if (status == DRT_OK)
        status = drt_catalog_prepare(context, catalog, &write,
                                     add ? ADD_PASSAGE
                                         : "INSERT INTO passages (passages, rowid, text) VALUES ('delete', ?1, ?2)",
                                     DRT_NO_VALUES);
    if (status == DRT_OK)
        status = drt_catalog_prepare(
            context, catalog, &chunks,
            "SELECT c.id, c.start, c.end FROM documents AS d JOIN chunks AS c"
            "    ON c.id >= d.first_chunk AND c.id < d.first_chunk + d.chunks WHERE d.id = ?1 ORDER BY c.id",
            DRT_VALUES(drt_value_integer(document)));
    while (status == DRT_OK && (status = drt_catalog_step(context, catalog, chunks, &row)) == DRT_OK && row)
        status = index_chunk(context, catalog, &reader, write, chunks, document);
    sqlite3_finalize(chunks);
    sqlite3_finalize(write);
    drt_text_reader_close(&reader);
    return status;
}
