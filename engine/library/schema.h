/* schema.h: the tables of catalog.sqlite, their version and migrations. The SQL in schema.c is the
 * format's specification. May use: catalog.h. */
#ifndef DRT_LIBRARY_SCHEMA_H
#define DRT_LIBRARY_SCHEMA_H

#include "engine/library/catalog.h"
#include "engine/library/store.h"

/* Makes the tables of a new catalog and its row about the model. */
drt_status drt_schema_create(drt_context *context, const drt_catalog *catalog, const drt_store_identity *identity);
/* Is this a catalog that this program reads? migrate: bring an older one up to date (needs writing), all of
 * the way or not at all; without it an older one is read as if it were of today, where its format allows that, or
 * refused with what to do. */
drt_status drt_schema_check(drt_context *context, const drt_catalog *catalog, bool migrate);
/* The same against other steps than the program's (tests): step v takes a catalog from user_version v to
 * v + 1; stand-in v does for a reader instead, NULL: nothing does. */
drt_status drt_schema_check_steps(drt_context *context, const drt_catalog *catalog, bool migrate,
                                  const char *const *steps, const char *const *stand_ins, int n_steps);
/* Temporary tables of the same shape, where documents wait for drt_store_commit. They take no lock on
 * the catalog. */
drt_status drt_schema_stage(drt_context *context, const drt_catalog *catalog);

#endif
