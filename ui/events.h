/* events.h: the bytes of a terminal as keys, pastes and mouse reports. Pure: fed with bytes and told when no more
 * came, so that every stream of bytes can be tested. What a terminal says unasked (answers to queries, focus
 * reports, unknown sequences) is swallowed whole and never taken for typing. May use: drt.h (UTF-8), keys.h. */
#ifndef DRT_UI_EVENTS_H
#define DRT_UI_EVENTS_H

#include "ui/keys.h"

typedef enum { EVENT_NONE, EVENT_KEY, EVENT_PASTE, EVENT_MOUSE } event_kind;

typedef enum { MOUSE_PRESS, MOUSE_RELEASE, MOUSE_DRAG, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN } mouse_action;

typedef struct {
    event_kind kind;
    ui_key key;
    const char *paste; /* valid until the next call; valid UTF-8 with line ends as '\n' */
    size_t paste_length;
    mouse_action mouse;
    int button;      /* 0 left, 1 middle, 2 right */
    int row, column; /* from 0 */
} ui_event;

#define EVENT_PASTE_MAX ((size_t)1 << 20) /* what goes beyond is dropped */
#define EVENT_ESCAPE_MS 60                /* Esc alone is a key when nothing followed for so long */

typedef struct {
    unsigned char *pending; /* bytes not yet understood, from `start` */
    size_t start, length, capacity;
    char *paste;
    size_t paste_length, paste_capacity;
    bool pasting;
    int swallowing; /* within a string (OSC, DCS...) whose end has not come: 0, or its kind */
} event_decoder;

/* {0} is a decoder at its start. Adds bytes. false: out of memory, they are lost. */
bool events_feed(event_decoder *decoder, const void *bytes, size_t length);
/* The next event; EVENT_NONE: more bytes are needed. late: no byte came for EVENT_ESCAPE_MS, so that what has
 * begun is not finished any more. */
ui_event events_next(event_decoder *decoder, bool late);
/* Something has begun that `late` would decide. */
bool events_waits(const event_decoder *decoder);
void events_free(event_decoder *decoder);

#endif
