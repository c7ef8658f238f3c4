/* mailbox.h: the messages of a mailbox (mbox), read one after the other: a mailbox may be far larger than memory.
 * May use: base, formats.h, mail, stream. */
#ifndef DRT_CORPUS_FORMATS_MAILBOX_H
#define DRT_CORPUS_FORMATS_MAILBOX_H

#include "engine/corpus/archives/stream.h"
#include "engine/corpus/formats/formats.h"

typedef struct drt_mailbox drt_mailbox;

/* Reads the mailbox on `source`, which must outlive it. NULL: out of memory. */
drt_mailbox *drt_mailbox_open(drt_stream *source);
/* The next message without the line before it and the blank one behind it, ">From " as it was written; valid until the next
 * call. NULL: no more, or the source failed (its error says why). */
drt_stream *drt_mailbox_next(drt_mailbox *mailbox);
/* After the last message: did the mailbox end with a whole line? */
bool drt_mailbox_is_whole(const drt_mailbox *mailbox);
void drt_mailbox_close(drt_mailbox *mailbox);

bool drt_mailbox_detect(const drt_format_probe *probe);

#endif
