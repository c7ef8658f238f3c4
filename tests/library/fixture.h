/* fixture.h: what the library's tests share: a scratch folder, a library of tiny chunks (S=8, d=16), and
 * documents whose landmarks and memory follow from their text, so that a reader can tell whether all of a
 * document is there. */
#ifndef DRT_TESTS_LIBRARY_FIXTURE_H
#define DRT_TESTS_LIBRARY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/library/store.h"

#define CHUNK_SIZE 8
#define D_MODEL 16
#define CHUNK_BYTES 40 /* of text, at most */

typedef struct {
    char folder[64];  /* scratch */
    char library[96]; /* folder/lib.drt */
    drt_context *context;
    char warnings[4096];
    int n_warnings;
    bool cancel;
} fixture;

/* For cmocka: *state is a fixture. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* "folder/name"; valid until the next call. */
const char *fixture_path(const fixture *with, const char *name);
/* A file of the library; valid until the next call. */
const char *library_path(const fixture *with, const char *name);

/* The model that tests pretend to have; number tells several apart. */
drt_store_identity test_identity(int number);
/* Opens with model 1; fails the test when that fails. */
drt_library *open_library(fixture *with, drt_library_mode mode);
/* Opening must fail; checks that the sentence holds `expected`. */
void expect_no_library(fixture *with, drt_library_mode mode, const char *expected);

/* Cuts text at spaces into chunks of at most CHUNK_BYTES. Returns how many; ranges holds `capacity`. */
size_t cut_text(const char *text, size_t length, drt_range *ranges, size_t capacity);
/* The landmark and the int8 record of one chunk's text. */
void make_chunk(const char *text, size_t length, uint16_t landmark[D_MODEL], uint8_t *record);
size_t record_size(void);

drt_document_facts test_facts(const char *path, const char *text);
/* begin, append, end; returns the status of the first failure. */
drt_status write_document(drt_context *context, drt_library *library, const drt_document_facts *facts, const char *text,
                          int64_t *document);
/* The same with facts from path and text; must succeed. */
int64_t add_document(fixture *with, drt_library *library, const char *path, const char *text);
void commit(fixture *with, drt_library *library);

/* Checks text, chunks, landmarks and memory of a live document against each other. */
void check_document(drt_context *context, drt_library *library, const drt_document *document);
/* Does that for all documents; returns how many have text. */
int64_t check_library(drt_context *context, drt_library *library);
void expect_text(fixture *with, drt_library *library, const char *selector, const char *text);
/* The document must not be there. */
void expect_no_document(fixture *with, drt_library *library, const char *selector);

#endif
