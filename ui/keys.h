/* keys.h: what keys there are and what they do. One table holds every key of every view with its command and
 * help line; the help overlay, the palette, the hints of the last line and the man page are made from it.
 * May use: nothing. */
#ifndef DRT_UI_KEYS_H
#define DRT_UI_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A key: a Unicode code point, or one of these; modifiers are added. */
typedef uint32_t ui_key;

enum {
    UI_KEY_NONE = 0,
    UI_KEY_TAB = 0x09,
    UI_KEY_ENTER = 0x0D,
    UI_KEY_ESCAPE = 0x1B,
    UI_KEY_BACKSPACE = 0x7F,
    UI_KEY_UP = 0x110000,
    UI_KEY_DOWN,
    UI_KEY_LEFT,
    UI_KEY_RIGHT,
    UI_KEY_HOME,
    UI_KEY_END,
    UI_KEY_PAGE_UP,
    UI_KEY_PAGE_DOWN,
    UI_KEY_INSERT,
    UI_KEY_DELETE,
    UI_KEY_BACK_TAB,
    UI_KEY_F1, /* .. F12 = F1 + 11 */
    UI_KEY_F12 = UI_KEY_F1 + 11,
    UI_KEY_CONTROL = 1 << 24, /* with a lower-case letter or a key above */
    UI_KEY_ALT = 1 << 25,
    UI_KEY_SHIFT = 1 << 26 /* with keys above only; letters are upper case instead */
};

#define CONTROL(letter) (UI_KEY_CONTROL | (letter))
#define ALT(key) (UI_KEY_ALT | (key))

/* "Ctrl-L", "PgDn", "q", "Space". */
void key_label(ui_key key, char out[32]);
/* A character that is typed into text: no control, no modifier. */
bool key_is_text(ui_key key);

/* Where keys apply. Each view has its own section; some are shared. */
typedef enum {
    SCOPE_GLOBAL, /* everywhere, unless text is being typed */
    SCOPE_MOVE,   /* in every list and text */
    SCOPE_EDIT,   /* while a line is typed */
    SCOPE_PATH,   /* while that line is a path */
    SCOPE_DOCUMENTS,
    SCOPE_CONVERSATION, /* the answer, when the question line has not the cursor */
    SCOPE_RETRIEVAL,
    SCOPE_PASSAGE,
    SCOPE_DOCUMENT, /* a document opened as text */
    SCOPE_SESSIONS,
    SCOPE_INGEST, /* the report of an ingest */
    SCOPE_COUNT
} key_scope;

/* "Everywhere", "Lists and texts", ... */
const char *key_scope_title(key_scope scope);

typedef enum {
    COMMAND_NONE,
    /* everywhere */
    COMMAND_QUIT,
    COMMAND_HELP,
    COMMAND_PALETTE,
    COMMAND_NEXT_PANE,
    COMMAND_PREVIOUS_PANE,
    COMMAND_CANCEL,
    COMMAND_STOP,
    COMMAND_REDRAW,
    COMMAND_SUSPEND,
    COMMAND_ASK,
    COMMAND_SESSIONS,
    COMMAND_INGEST,
    COMMAND_INGEST_REPORT,
    COMMAND_ZOOM,
    COMMAND_THEME,
    COMMAND_MOUSE,
    COMMAND_GO_DOCUMENTS,
    COMMAND_GO_CONVERSATION,
    COMMAND_GO_RETRIEVAL,
    COMMAND_GO_PASSAGE,
    COMMAND_EXPORT_TEXT,
    COMMAND_EXPORT_JSON,
    COMMAND_COPY,
    /* lists and texts */
    COMMAND_UP,
    COMMAND_DOWN,
    COMMAND_LEFT,
    COMMAND_RIGHT,
    COMMAND_PAGE_UP,
    COMMAND_PAGE_DOWN,
    COMMAND_FIRST,
    COMMAND_LAST,
    COMMAND_OPEN,   /* Enter */
    COMMAND_FILTER, /* '/': filter a list, search a text */
    COMMAND_FIND_NEXT,
    COMMAND_FIND_PREVIOUS,
    /* a line being typed */
    COMMAND_EDIT_SUBMIT,
    COMMAND_EDIT_LEFT,
    COMMAND_EDIT_RIGHT,
    COMMAND_EDIT_WORD_LEFT,
    COMMAND_EDIT_WORD_RIGHT,
    COMMAND_EDIT_START,
    COMMAND_EDIT_END,
    COMMAND_EDIT_ERASE_LEFT,
    COMMAND_EDIT_ERASE_RIGHT,
    COMMAND_EDIT_ERASE_WORD,
    COMMAND_EDIT_ERASE_TO_START,
    COMMAND_EDIT_ERASE_TO_END,
    COMMAND_EDIT_OLDER,
    COMMAND_EDIT_NEWER,
    COMMAND_EDIT_COMPLETE,
    /* documents */
    COMMAND_REMOVE,
    COMMAND_FOLD,
    COMMAND_FOLD_ALL,
    COMMAND_SHOW_SKIPPED,
    COMMAND_MARK,
    /* a document opened as text */
    COMMAND_NEXT_CHUNK,
    COMMAND_PREVIOUS_CHUNK,
    COMMAND_GO_BYTES,
    /* the report of an ingest */
    COMMAND_RESUME,
    /* conversation */
    COMMAND_NEXT_TURN,
    COMMAND_PREVIOUS_TURN,
    COMMAND_RETRIEVER,
    COMMAND_MAX_TOKENS,
    COMMAND_ASK_DOCUMENTS,
    COMMAND_NEXT_MARK,
    COMMAND_PREVIOUS_MARK,
    /* retrieval and passage */
    COMMAND_NEXT_STEP,
    COMMAND_PREVIOUS_STEP,
    COMMAND_NEXT_GROUP,
    COMMAND_NEXT_TOKEN,
    COMMAND_PREVIOUS_TOKEN,
    COMMAND_ZOOM_IN,
    COMMAND_ZOOM_OUT,
    COMMAND_HOPS,
    COMMAND_SCORES,
    COMMAND_COMPARE,
    COMMAND_MORE_CONTEXT,
    COMMAND_LESS_CONTEXT,
    COMMAND_NEXT_HIT,
    COMMAND_PREVIOUS_HIT,
    /* sessions */
    COMMAND_DELETE,
    COMMAND_COUNT
} ui_command;

#define KEYS_PER_COMMAND 3

typedef struct {
    key_scope scope;
    ui_command command;
    ui_key keys[KEYS_PER_COMMAND]; /* NONE where fewer; a row without any is for the palette alone */
    const char *name;              /* in the palette: "quit", "next pane" */
    const char *help;              /* one line */
} key_row;

/* All rows, by scope; *n gets their number. */
const key_row *key_table(size_t *n);
/* The command of a key: the scope's own row wins, then moving (when moving is true), then everywhere.
 * typing: a line has the cursor: keys that are text mean text; editing keys come first, and none moves. */
ui_command key_command(key_scope scope, bool moving, bool typing, ui_key key);
/* The first key of a command in this scope, else anywhere; NONE: it has none. */
ui_key key_of(key_scope scope, ui_command command);
/* The row of a command; NULL for COMMAND_NONE. */
const key_row *key_find(ui_command command);

/* The man page's KEYS section in mdoc. */
void key_write_mdoc(FILE *file);

#endif
