/* ingest_member.h: a member on its way through an ingest, and what is known of those under way.
 * May use: base, corpus, library, chunker.h. */
#ifndef DRT_SESSION_INGEST_MEMBER_H
#define DRT_SESSION_INGEST_MEMBER_H

#include "engine/corpus/corpus.h"
#include "engine/library/store.h"

typedef enum {
    DRT_MEMBER_DOCUMENT, /* has chunks */
    DRT_MEMBER_SKIPPED,  /* becomes a catalog row without text */
    DRT_MEMBER_KNOWN,    /* its content is in the library, or will be before it */
    DRT_MEMBER_MISSING   /* a path that could not be read; nothing to store */
} drt_member_fate;

typedef struct drt_tokenising drt_tokenising; /* ingest_tokenise.c */
void drt_tokenising_free(drt_tokenising *making);

/* Belongs to one stage at a time. */
typedef struct drt_ingest_member {
    struct drt_ingest_member *next; /* in a list of its stage */
    drt_member_fate fate;
    drt_string archive, path, format;
    uint8_t sha256[DRT_HASH_SIZE];
    drt_string damage;      /* why its bytes end early; data NULL: they are whole */
    drt_raw *raw;           /* until it is extracted */
    bool expected;          /* its content was in the library when it was read: not extracted yet */
    drt_tokenising *making; /* while it is tokenised */
    drt_extract extract;
    drt_chunks chunks;
    drt_prepared *prepared;
    int64_t first_chunk; /* id, once it is certain that it gets chunks */
    int32_t segment;     /* the encoder's number for it */
    size_t encoded, written;
    int64_t document;                                    /* catalog id; 0: none yet */
    drt_document row;                                    /* as the catalog has it, once committed */
    bool replaces;                                       /* another document has its path until it is stored, */
    bool replaces_whole;                                 /* all of which is in */
    bool under_way;                                      /* is in the table below */
    uint64_t place;                                      /* fingerprint of archive and path */
    struct drt_ingest_member *same_content, *same_place; /* chains of the table */
} drt_ingest_member;

/* For tables: equal ones are nearly always the same place, or content. */
uint64_t drt_place_fingerprint(const drt_string *archive, const drt_string *path);
uint64_t drt_content_fingerprint(const uint8_t sha256[DRT_HASH_SIZE]);

/* NULL: out of memory. */
drt_ingest_member *drt_ingest_member_new(drt_member_fate fate, const drt_source *source);
void drt_ingest_member_free(drt_ingest_member *member);
size_t drt_ingest_member_bytes(const drt_ingest_member *member); /* of memory, about */
/* A document that can't become one is a skipped member; drops what was made of it. false: out of memory. */
bool drt_ingest_member_skip(drt_ingest_member *member, const char *reason);
/* The same of one whose bytes end early where the library has a document that is whole: that stays. */
bool drt_ingest_member_skip_damaged(drt_ingest_member *member);

/* Borrows the member's strings; authors is room for its n_authors, or NULL: the facts name none. */
drt_document_facts drt_ingest_member_facts(const drt_ingest_member *member, const char **authors);

typedef struct {
    drt_ingest_member *first, **end;
} drt_member_list;

void drt_member_list_start(drt_member_list *list);
void drt_member_list_append(drt_member_list *list, drt_ingest_member *member);
drt_ingest_member *drt_member_list_take(drt_member_list *list);
void drt_member_list_free(drt_member_list *list);

/* Documents and known members that are decided but not yet staged in the library: what the library can't say yet. */
#define DRT_MEMBERS_TABLE 1024

typedef struct {
    drt_ingest_member *by_content[DRT_MEMBERS_TABLE], *by_place[DRT_MEMBERS_TABLE];
    size_t n;         /* members in it */
    size_t replacing; /* of those, `replaces` */
} drt_members_under_way;

void drt_members_add(drt_members_under_way *table, drt_ingest_member *member);
void drt_members_remove(drt_members_under_way *table, drt_ingest_member *member);
/* A document of this content that is not all zero. */
bool drt_members_have_content(const drt_members_under_way *table, const uint8_t sha256[DRT_HASH_SIZE]);
/* A member of the same archive and path. */
bool drt_members_have_place(const drt_members_under_way *table, const drt_ingest_member *member);

#endif
