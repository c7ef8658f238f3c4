/* mailbox.c: the messages of a mailbox. See mailbox.h.
 *
 * A message begins behind a line like "From ada@x Tue Mar  3 10:00:00 2020" that stands behind a blank one, before a header
 * or at the beginning. Lines of a text that look so were written with a ">" before them (and with one more if they had some). */
#include "engine/corpus/formats/mailbox.h"

#include <stdlib.h>
#include <string.h>

#include "engine/corpus/formats/mail.h"

#define LINE 1000 /* bytes of a line that are looked at */

struct drt_mailbox {
    drt_stream message; /* the one at hand */
    drt_stream *source;
    drt_buffer window; /* bytes read from the source; a postmark stands in it whole */
    size_t at;         /* where the next line, or the rest of one, begins */
    bool in_line;      /* the rest of one */
    bool drained;      /* nothing more comes from the source */
    bool ended;        /* the message is over */
    bool begun;        /* what stands before the first one was passed over */
    char last;         /* byte of the source */
};

/* Drops what was handed out and reads more. */
static void read_more(drt_mailbox *box) {
    const char *data;
    ssize_t n = drt_stream_read(box->source, &data);
    box->drained = n <= 0;
    if (n <= 0)
        return;
    box->window.length -= box->at;
    if (box->window.length > 0)
        memmove(box->window.data, box->window.data + box->at, box->window.length);
    box->at = 0;
    box->last = data[n - 1];
    if (!drt_buffer_append(&box->window, data, (size_t)n))
        box->drained = !drt_stream_fail(box->source, "out of memory");
}

/* A line of the window, with its end. complete: all of it is there, or more than is looked at. */
static drt_slice line_at(const drt_mailbox *box, size_t at, bool *complete) {
    drt_slice rest = {box->window.data + at, box->window.length - at};
    const char *end = rest.length ? memchr(rest.data, '\n', rest.length) : NULL;
    if (end)
        rest.length = (size_t)(end + 1 - rest.data);
    *complete = end || box->drained || rest.length >= LINE;
    return rest;
}

static bool is_blank(drt_slice line) {
    return line.length > 0 && (*line.data == '\n' || (line.length == 2 && memcmp(line.data, "\r\n", 2) == 0));
}

static bool is_postmark(drt_slice line) {
    if (!drt_slice_begins(line, "From "))
        return false;
    return drt_mail_is_postmark(drt_slice_line(&line));
}

/* Does a message begin at this line, which is no blank one's next? Then a header follows. *complete: that can be told. */
static bool begins_message(const drt_mailbox *box, size_t at, drt_slice line, bool *complete) {
    drt_slice next, name, value;
    if (!is_postmark(line))
        return false;
    next = line_at(box, at + line.length, complete);
    return *complete && drt_mail_header(&next, &name, &value);
}

static bool is_marked(drt_slice line) {
    size_t marks = 0;
    while (marks < line.length && line.data[marks] == '>')
        marks++;
    return marks > 0 && line.length - marks >= 5 && memcmp(line.data + marks, "From ", 5) == 0;
}

/* Looks for the end of what can be handed out in one piece, from box->at on. Behind it, *skip bytes belong to nobody. A blank
 * line waits until it is clear what follows. */
static size_t find_end(drt_mailbox *box, size_t *skip) {
    size_t at = box->at, blank = SIZE_MAX;
    *skip = 0;
    while (at < box->window.length) {
        bool complete;
        drt_slice line = line_at(box, at, &complete);
        bool begins = !box->in_line;
        if (begins && !complete)
            break;
        if (begins && blank != SIZE_MAX && is_postmark(line)) {
            box->ended = true;
            *skip = at - blank;
            return blank;
        }
        if (begins && begins_message(box, at, line, &complete)) {
            box->ended = true;
            return at;
        }
        if (begins && !complete)
            break;
        if (begins && is_marked(line)) {
            if (at > box->at)
                return at;
            *skip = 1;
            box->in_line = true; /* what follows is no postmark */
            return at;
        }
        blank = begins && is_blank(line) ? at : SIZE_MAX;
        box->in_line = line.length == 0 || line.data[line.length - 1] != '\n';
        at += line.length;
    }
    if (blank == SIZE_MAX || !box->drained)
        return blank == SIZE_MAX ? at : blank;
    *skip = at - blank;
    return blank;
}

static ssize_t read_message(drt_stream *base, const char **data) {
    drt_mailbox *box = (drt_mailbox *)base;
    while (!box->ended) {
        size_t start = box->at, skip, end = find_end(box, &skip);
        box->at = end + skip;
        if (end > start) {
            *data = box->window.data + start;
            return (ssize_t)(end - start);
        }
        if (skip == 0 && !box->drained) {
            read_more(box);
        } else if (skip == 0) {
            box->ended = true;
            base->damaged = box->source->damaged;
            if (box->source->error[0])
                drt_stream_fail(base, "%s", box->source->error);
        }
    }
    return base->error[0] ? -1 : 0;
}

/* Passes over what stands before the first message. */
static void begin(drt_mailbox *box) {
    while (!box->drained && box->window.length < LINE)
        read_more(box);
    drt_slice rest = {box->window.data, box->window.length};
    if (drt_slice_begins(rest, "\xEF\xBB\xBF"))
        box->at = 3;
    for (bool complete; is_blank(line_at(box, box->at, &complete));)
        box->at += line_at(box, box->at, &complete).length;
    box->begun = true;
}

drt_stream *drt_mailbox_next(drt_mailbox *box) {
    const char *data;
    bool complete;
    if (!box->begun)
        begin(box);
    else
        while (!box->ended && read_message(&box->message, &data) > 0)
            ;
    drt_slice line = line_at(box, box->at, &complete);
    if (is_postmark(line))
        box->at += line.length;
    while (box->at == box->window.length && !box->drained)
        read_more(box);
    if (box->at == box->window.length)
        return NULL;
    drt_stream_clear(&box->message);
    box->message = (drt_stream){.read = read_message, .size = -1};
    box->ended = box->in_line = false;
    return &box->message;
}

bool drt_mailbox_is_whole(const drt_mailbox *box) {
    return box->last == '\n';
}

drt_mailbox *drt_mailbox_open(drt_stream *source) {
    drt_mailbox *box = calloc(1, sizeof *box);
    if (box && !drt_buffer_reserve(&box->window, 1)) {
        free(box);
        return NULL;
    }
    if (box)
        box->source = source;
    return box;
}

void drt_mailbox_close(drt_mailbox *box) {
    if (!box)
        return;
    drt_stream_clear(&box->message);
    drt_buffer_free(&box->window);
    free(box);
}

bool drt_mailbox_detect(const drt_format_probe *probe) {
    drt_slice rest = {probe->head, probe->head_length}, name, value;
    if (drt_slice_begins(rest, "\xEF\xBB\xBF"))
        rest = drt_slice_skip(rest, 3);
    rest = drt_slice_trim(rest);
    return drt_mail_is_postmark(drt_slice_line(&rest)) && drt_mail_header(&rest, &name, &value);
}
