/* events.c: see events.h. Sequences as xterm sends them, which tmux, screen, rxvt and the Linux console share but
 * for the variants in the tables. */
#include "ui/events.h"

#include <stdlib.h>
#include <string.h>

#include "engine/drt.h"

#define ESC 0x1B
#define SEQUENCE_MAX 64 /* a control sequence longer than this is none */
#define PASTE_END "\x1b[201~"

bool events_feed(event_decoder *decoder, const void *bytes, size_t length) {
    if (decoder->start > 0) {
        decoder->length -= decoder->start;
        memmove(decoder->pending, decoder->pending + decoder->start, decoder->length);
        decoder->start = 0;
    }
    if (decoder->length + length > decoder->capacity) {
        size_t capacity = (decoder->length + length) * 2 + 256;
        unsigned char *pending = realloc(decoder->pending, capacity);
        if (!pending)
            return false;
        decoder->pending = pending;
        decoder->capacity = capacity;
    }
    if (length > 0)
        memcpy(decoder->pending + decoder->length, bytes, length);
    decoder->length += length;
    return true;
}

void events_free(event_decoder *decoder) {
    free(decoder->pending);
    free(decoder->paste);
    *decoder = (event_decoder){0};
}

static size_t available(const event_decoder *decoder) {
    return decoder->length - decoder->start;
}

static const unsigned char *at(const event_decoder *decoder) {
    return decoder->pending + decoder->start;
}

bool events_waits(const event_decoder *decoder) {
    return available(decoder) > 0 || decoder->swallowing;
}

static ui_event key_event(ui_key key) {
    return (ui_event){.kind = EVENT_KEY, .key = key};
}

/* ---------------------------------------------------------------------------- sequences ---- */

/* Numbers of a control sequence. */
typedef struct {
    int values[8];
    int n;
    unsigned char lead; /* '<', '=', '>', '?' or 0 */
    unsigned char intermediate, final;
    size_t length; /* bytes after ESC [ */
} sequence;

/* Parses what follows ESC [. Returns 1 whole, 0 not yet, -1 no control sequence. */
static int parse_sequence(const unsigned char *bytes, size_t length, sequence *out) {
    *out = (sequence){.n = 0};
    size_t i = 0;
    bool digits = false;
    if (i < length && bytes[i] >= '<' && bytes[i] <= '?')
        out->lead = bytes[i++];
    for (; i < length && i < SEQUENCE_MAX; i++) {
        unsigned char byte = bytes[i];
        if (byte >= '0' && byte <= '9') {
            int *value = &out->values[out->n];
            *value = *value < 100000 ? *value * 10 + (byte - '0') : *value;
            digits = true;
        } else if (byte == ';' || byte == ':') {
            if (out->n < 7)
                out->n++;
            digits = false;
        } else if (byte >= 0x20 && byte <= 0x2F) {
            out->intermediate = byte;
        } else if (byte >= 0x40 && byte <= 0x7E) {
            out->final = byte;
            out->length = i + 1;
            if (digits || out->n > 0)
                out->n++;
            return 1;
        } else {
            return -1;
        }
    }
    return i < SEQUENCE_MAX ? 0 : -1;
}

static ui_key modifiers_of(const sequence *read) {
    int bits = read->n >= 2 ? read->values[1] - 1 : 0;
    ui_key keys = 0;
    if (bits < 0 || bits > 15)
        return 0;
    keys |= bits & 1 ? (ui_key)UI_KEY_SHIFT : 0;
    keys |= bits & 2 ? (ui_key)UI_KEY_ALT : 0;
    keys |= bits & 4 ? (ui_key)UI_KEY_CONTROL : 0;
    return keys;
}

static ui_key key_of_tilde(int number) {
    static const ui_key known[] = {
        [1] = UI_KEY_HOME,    [2] = UI_KEY_INSERT,    [3] = UI_KEY_DELETE,   [4] = UI_KEY_END,
        [5] = UI_KEY_PAGE_UP, [6] = UI_KEY_PAGE_DOWN, [7] = UI_KEY_HOME,     [8] = UI_KEY_END,
        [11] = UI_KEY_F1,     [12] = UI_KEY_F1 + 1,   [13] = UI_KEY_F1 + 2,  [14] = UI_KEY_F1 + 3,
        [15] = UI_KEY_F1 + 4, [17] = UI_KEY_F1 + 5,   [18] = UI_KEY_F1 + 6,  [19] = UI_KEY_F1 + 7,
        [20] = UI_KEY_F1 + 8, [21] = UI_KEY_F1 + 9,   [23] = UI_KEY_F1 + 10, [24] = UI_KEY_F1 + 11,
    };
    return number >= 0 && (size_t)number < sizeof known / sizeof *known ? known[number] : UI_KEY_NONE;
}

static ui_key key_of_final(unsigned char final) {
    switch (final) {
    case 'A':
        return UI_KEY_UP;
    case 'B':
        return UI_KEY_DOWN;
    case 'C':
        return UI_KEY_RIGHT;
    case 'D':
        return UI_KEY_LEFT;
    case 'F':
        return UI_KEY_END;
    case 'H':
        return UI_KEY_HOME;
    case 'Z':
        return UI_KEY_BACK_TAB;
    case 'M':
        return UI_KEY_ENTER; /* keypad, after ESC O */
    case 'P':
    case 'Q':
    case 'R':
    case 'S':
        return UI_KEY_F1 + (ui_key)(final - 'P');
    default:
        return UI_KEY_NONE;
    }
}

/* A mouse report of mode 1006. */
static ui_event mouse_event(const sequence *read) {
    int code = read->values[0];
    ui_event event = {
        .kind = EVENT_MOUSE, .button = code & 3, .column = read->values[1] - 1, .row = read->values[2] - 1};
    if (read->n != 3 || event.row < 0 || event.column < 0 || code >= 128 || (!(code & 64) && (code & 3) == 3))
        return (ui_event){.kind = EVENT_NONE};
    if (code & 64)
        event.mouse = code & 1 ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP;
    else if (code & 32)
        event.mouse = MOUSE_DRAG;
    else
        event.mouse = read->final == 'm' ? MOUSE_RELEASE : MOUSE_PRESS;
    if ((code & 64) && (code & 2))
        return (ui_event){.kind = EVENT_NONE}; /* a wheel that turns sideways */
    return event;
}

/* What a control sequence means; EVENT_NONE: nothing that we know. */
static ui_event event_of(event_decoder *decoder, const sequence *read) {
    static const ui_event none = {.kind = EVENT_NONE};
    if (read->lead == '<' && (read->final == 'M' || read->final == 'm'))
        return mouse_event(read);
    if (read->lead || read->intermediate)
        return none;
    if (read->final == '~') {
        if (read->values[0] == 200) {
            decoder->pasting = true;
            decoder->paste_length = 0;
        }
        ui_key key = key_of_tilde(read->values[0]);
        return key ? key_event(key | modifiers_of(read)) : none;
    }
    /* ESC [ 12;40 R would be F3, but is the answer to a query. */
    if (read->final == 'M' || (read->n > 0 && read->values[0] != 1))
        return none;
    ui_key key = key_of_final(read->final);
    return key ? key_event(key | modifiers_of(read)) : none;
}

/* ----------------------------------------------------------------------------- strings ---- */

/* Skips the rest of an OSC, DCS, PM, APC or SOS string. false: its end has not come. A string that a terminal
 * left unfinished must not swallow typing for ever: `late` ends it. */
static bool swallow(event_decoder *decoder, bool late) {
    const unsigned char *bytes = at(decoder);
    size_t length = available(decoder);
    for (size_t i = 0; i < length; i++) {
        bool bell = bytes[i] == 0x07 || bytes[i] == 0x18 || bytes[i] == 0x1A;
        if (bell || (bytes[i] == ESC && i + 1 < length)) {
            decoder->start += i + (bell ? 1 : bytes[i + 1] == '\\' ? 2 : 0);
            decoder->swallowing = 0;
            return true;
        }
        if (bytes[i] == ESC) {
            decoder->start += i; /* ESC as last byte: the next one decides */
            if (late)
                decoder->swallowing = 0;
            return late;
        }
    }
    decoder->start += length;
    if (late)
        decoder->swallowing = 0;
    return false;
}

/* ------------------------------------------------------------------------------- paste ---- */

static void paste_add(event_decoder *decoder, const unsigned char *bytes, size_t length) {
    if (length > EVENT_PASTE_MAX - decoder->paste_length)
        length = EVENT_PASTE_MAX - decoder->paste_length;
    if (decoder->paste_length + length > decoder->paste_capacity) {
        size_t capacity = (decoder->paste_length + length) * 2 + 256;
        char *paste = realloc(decoder->paste, capacity);
        if (!paste)
            return; /* this part of the paste is lost */
        decoder->paste = paste;
        decoder->paste_capacity = capacity;
    }
    if (length > 0)
        memcpy(decoder->paste + decoder->paste_length, bytes, length);
    decoder->paste_length += length;
}

/* Drops invalid bytes and controls but line feeds and tabs; \r\n and \r become \n. In place. */
static size_t tidy_paste(char *text, size_t length) {
    size_t out = 0;
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t size = drt_utf8_decode(text + i, length - i, &code);
        if (size == 0) {
            i++;
            continue;
        }
        if (code == '\r') {
            text[out++] = '\n';
            i += i + 1 < length && text[i + 1] == '\n' ? 2 : 1;
            continue;
        }
        if ((code >= 0x20 && code != 0x7F && !(code >= 0x80 && code < 0xA0)) || code == '\n' || code == '\t') {
            memmove(text + out, text + i, size);
            out += size;
        }
        i += size;
    }
    return out;
}

/* Bytes at the end that may be the start of PASTE_END. */
static size_t partial_end(const unsigned char *bytes, size_t length) {
    size_t most = sizeof PASTE_END - 2;
    for (size_t n = length < most ? length : most; n > 0; n--)
        if (memcmp(bytes + length - n, PASTE_END, n) == 0)
            return n;
    return 0;
}

/* Where PASTE_END starts; length: nowhere. */
static size_t find_end(const unsigned char *bytes, size_t length) {
    for (size_t i = 0; i + sizeof PASTE_END - 1 <= length; i++)
        if (memcmp(bytes + i, PASTE_END, sizeof PASTE_END - 1) == 0)
            return i;
    return length;
}

static ui_event paste_next(event_decoder *decoder) {
    const unsigned char *bytes = at(decoder);
    size_t length = available(decoder), end = find_end(bytes, length);
    if (end == length) {
        size_t taken = length - partial_end(bytes, length);
        paste_add(decoder, bytes, taken);
        decoder->start += taken;
        return (ui_event){.kind = EVENT_NONE};
    }
    paste_add(decoder, bytes, end);
    decoder->start += end + sizeof PASTE_END - 1;
    decoder->pasting = false;
    return (ui_event){.kind = EVENT_PASTE,
                      .paste = decoder->paste ? decoder->paste : "",
                      .paste_length = tidy_paste(decoder->paste, decoder->paste_length)};
}

/* -------------------------------------------------------------------------------- keys ---- */

static ui_key key_of_control(unsigned char byte) {
    if (byte == '\n')
        return UI_KEY_ENTER;
    if (byte == UI_KEY_TAB || byte == UI_KEY_ENTER || byte == UI_KEY_BACKSPACE || byte == UI_KEY_ESCAPE)
        return byte;
    if (byte == 0)
        return CONTROL(' ');
    return byte < 0x1B ? CONTROL((ui_key)byte + 'a' - 1) : CONTROL((ui_key)byte + '@');
}

/* One character at bytes; its length, 0 when it is not whole yet. *key NONE: no valid character, skip it. */
static size_t character(const unsigned char *bytes, size_t length, bool late, ui_key *key) {
    uint32_t code = 0;
    *key = UI_KEY_NONE;
    if (bytes[0] < 0x20 || bytes[0] == 0x7F) {
        *key = key_of_control(bytes[0]);
        return 1;
    }
    size_t size = drt_utf8_decode((const char *)bytes, length, &code);
    if (size > 0) {
        *key = code >= 0x80 && code < 0xA0 ? UI_KEY_NONE : code;
        return size;
    }
    size_t needed = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : bytes[0] >= 0xC2 ? 2 : 1;
    bool cut = length < needed && !late;
    for (size_t i = 1; i < length && i < needed; i++)
        cut = cut && (bytes[i] & 0xC0) == 0x80;
    return cut ? 0 : 1;
}

/* The old mouse report: ESC [ M and three bytes. We never ask for it; some terminals send it all the same. */
#define OLD_MOUSE 6

/* After ESC: *taken bytes are used up; 0: more are needed. */
static ui_event after_escape(event_decoder *decoder, bool late, size_t *taken) {
    static const ui_event none = {.kind = EVENT_NONE};
    const unsigned char *bytes = at(decoder);
    size_t length = available(decoder);
    sequence read;
    *taken = 0;
    if (length == 1) {
        *taken = late ? 1 : 0;
        return late ? key_event(UI_KEY_ESCAPE) : none;
    }
    switch (bytes[1]) {
    case '[':
        if (length >= 3 && bytes[2] == 'M') {
            *taken = length >= OLD_MOUSE ? OLD_MOUSE : late ? length : 0;
            return none;
        }
        if (length >= 3 && bytes[2] == '[') { /* F1..F5 of the Linux console */
            *taken = length >= 4 ? 4 : late ? length : 0;
            return length >= 4 && bytes[3] >= 'A' && bytes[3] <= 'E' ? key_event(UI_KEY_F1 + bytes[3] - 'A') : none;
        }
        switch (parse_sequence(bytes + 2, length - 2, &read)) {
        case 1:
            *taken = 2 + read.length;
            return event_of(decoder, &read);
        case 0:
            *taken = late ? length : 0;
            return none;
        default:
            *taken = 2;
            return none;
        }
    case 'O':
        if (length == 2 && !late)
            return none;
        *taken = length == 2 ? 2 : 3;
        ui_key key = length == 2 ? UI_KEY_NONE : key_of_final(bytes[2]);
        return key ? key_event(key) : none;
    case ']':
    case 'P':
    case '^':
    case '_':
    case 'X':
        /* Alt with one of these looks the same; a string follows at once or not at all. */
        if (length == 2 && !late)
            return none;
        *taken = 2;
        if (length == 2)
            return key_event(ALT((ui_key)bytes[1]));
        decoder->swallowing = bytes[1];
        return none;
    case ESC:
        *taken = 1;
        return key_event(UI_KEY_ESCAPE);
    default: {
        ui_key typed;
        size_t size = character(bytes + 1, length - 1, late, &typed);
        *taken = size > 0 ? 1 + size : 0;
        return size > 0 && typed ? key_event(ALT(typed)) : none;
    }
    }
}

ui_event events_next(event_decoder *decoder, bool late) {
    static const ui_event none = {.kind = EVENT_NONE};
    for (;;) {
        if (decoder->swallowing && !swallow(decoder, late))
            return none;
        if (decoder->pasting)
            return paste_next(decoder);
        if (available(decoder) == 0)
            return none;
        size_t taken;
        ui_event event;
        if (at(decoder)[0] == ESC) {
            event = after_escape(decoder, late, &taken);
        } else {
            ui_key key;
            taken = character(at(decoder), available(decoder), late, &key);
            event = key ? key_event(key) : none;
        }
        if (taken == 0)
            return none;
        decoder->start += taken;
        if (event.kind != EVENT_NONE)
            return event;
    }
}
