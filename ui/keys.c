/* keys.c: the key table. See keys.h. */
#include "ui/keys.h"

#include <string.h>

#define F(n) (UI_KEY_F1 + (n)-1)

static const key_row table[] = {
    {SCOPE_GLOBAL, COMMAND_HELP, {'?', F(1)}, "help", "show or hide the keys (F1 also while typing)"},
    {SCOPE_GLOBAL, COMMAND_QUIT, {'q'}, "quit", "leave the program"},
    {SCOPE_GLOBAL, COMMAND_PALETTE, {':', F(2)}, "palette", "find a command by its name (F2 also while typing)"},
    {SCOPE_GLOBAL, COMMAND_CANCEL, {UI_KEY_ESCAPE}, "cancel", "close what is open, leave a line, clear a filter"},
    {SCOPE_GLOBAL, COMMAND_NEXT_PANE, {UI_KEY_TAB}, "next pane", "go to the next pane"},
    {SCOPE_GLOBAL, COMMAND_PREVIOUS_PANE, {UI_KEY_BACK_TAB}, "previous pane", "go to the previous pane"},
    {SCOPE_GLOBAL, COMMAND_GO_DOCUMENTS, {'1'}, "documents", "go to the documents"},
    {SCOPE_GLOBAL, COMMAND_GO_CONVERSATION, {'2'}, "conversation", "go to the conversation"},
    {SCOPE_GLOBAL, COMMAND_GO_RETRIEVAL, {'3'}, "retrieval", "see what retrieval chose"},
    {SCOPE_GLOBAL, COMMAND_GO_PASSAGE, {'4'}, "passage", "go to the passage"},
    {SCOPE_GLOBAL, COMMAND_ASK, {'a'}, "ask", "type a question"},
    {SCOPE_GLOBAL, COMMAND_STOP, {CONTROL('c')}, "stop", "stop the answer or the ingest"},
    {SCOPE_GLOBAL, COMMAND_SESSIONS, {'s'}, "past questions", "list the questions asked before"},
    {SCOPE_GLOBAL, COMMAND_INGEST, {'i'}, "ingest", "read files, folders or archives into the library"},
    {SCOPE_GLOBAL, COMMAND_INGEST_REPORT, {'I'}, "ingest report", "what the ingest did with each member"},
    {SCOPE_GLOBAL, COMMAND_ZOOM, {'z'}, "zoom", "give the pane the whole screen, or take it back"},
    {SCOPE_GLOBAL, COMMAND_EXPORT_TEXT, {'e'}, "export text", "write the answer and its evidence to a text file"},
    {SCOPE_GLOBAL, COMMAND_EXPORT_JSON, {'E'}, "export JSON", "write the answer and its trace as JSON"},
    {SCOPE_GLOBAL, COMMAND_COPY, {'y'}, "copy", "copy the answer to the terminal's clipboard"},
    {SCOPE_GLOBAL, COMMAND_THEME, {'T'}, "theme", "next theme: default, light, monochrome"},
    {SCOPE_GLOBAL, COMMAND_MOUSE, {'M'}, "mouse", "mouse to the terminal, to select text; again: back"},
    {SCOPE_GLOBAL, COMMAND_REDRAW, {CONTROL('l')}, "redraw", "draw the whole screen anew"},
    {SCOPE_GLOBAL, COMMAND_SUSPEND, {CONTROL('z')}, "suspend", "go back to the shell; fg returns"},

    {SCOPE_MOVE, COMMAND_UP, {UI_KEY_UP, 'k'}, "up", "one line up"},
    {SCOPE_MOVE, COMMAND_DOWN, {UI_KEY_DOWN, 'j'}, "down", "one line down"},
    {SCOPE_MOVE, COMMAND_LEFT, {UI_KEY_LEFT, 'h'}, "left", "to the left; close a branch"},
    {SCOPE_MOVE, COMMAND_RIGHT, {UI_KEY_RIGHT, 'l'}, "right", "to the right; open a branch"},
    {SCOPE_MOVE, COMMAND_PAGE_UP, {UI_KEY_PAGE_UP, CONTROL('b')}, "page up", "one page up"},
    {SCOPE_MOVE, COMMAND_PAGE_DOWN, {UI_KEY_PAGE_DOWN, CONTROL('f'), ' '}, "page down", "one page down"},
    {SCOPE_MOVE, COMMAND_FIRST, {UI_KEY_HOME, 'g'}, "first", "to the first line"},
    {SCOPE_MOVE, COMMAND_LAST, {UI_KEY_END, 'G'}, "last", "to the last line"},
    {SCOPE_MOVE, COMMAND_OPEN, {UI_KEY_ENTER}, "open", "open what is selected"},
    {SCOPE_MOVE, COMMAND_FILTER, {'/'}, "filter", "filter a list, search a text"},
    {SCOPE_MOVE, COMMAND_FIND_NEXT, {'n'}, "find next", "next place found"},
    {SCOPE_MOVE, COMMAND_FIND_PREVIOUS, {'N'}, "find previous", "previous place found"},

    {SCOPE_EDIT, COMMAND_EDIT_SUBMIT, {UI_KEY_ENTER}, "submit", "ask the question, take what was typed"},
    {SCOPE_EDIT, COMMAND_EDIT_LEFT, {UI_KEY_LEFT, CONTROL('b')}, "character left", "one character left"},
    {SCOPE_EDIT, COMMAND_EDIT_RIGHT, {UI_KEY_RIGHT, CONTROL('f')}, "character right", "one character right"},
    {SCOPE_EDIT,
     COMMAND_EDIT_WORD_LEFT,
     {ALT('b'), CONTROL(UI_KEY_LEFT), ALT(UI_KEY_LEFT)},
     "word left",
     "one word left"},
    {SCOPE_EDIT,
     COMMAND_EDIT_WORD_RIGHT,
     {ALT('f'), CONTROL(UI_KEY_RIGHT), ALT(UI_KEY_RIGHT)},
     "word right",
     "one word right"},
    {SCOPE_EDIT, COMMAND_EDIT_START, {UI_KEY_HOME, CONTROL('a')}, "line start", "to the start"},
    {SCOPE_EDIT, COMMAND_EDIT_END, {UI_KEY_END, CONTROL('e')}, "line end", "to the end"},
    {SCOPE_EDIT, COMMAND_EDIT_ERASE_LEFT, {UI_KEY_BACKSPACE, CONTROL('h')}, "erase left", "erase the character before"},
    {SCOPE_EDIT, COMMAND_EDIT_ERASE_RIGHT, {UI_KEY_DELETE, CONTROL('d')}, "erase right", "erase the character here"},
    {SCOPE_EDIT, COMMAND_EDIT_ERASE_WORD, {CONTROL('w'), ALT(UI_KEY_BACKSPACE)}, "erase word", "erase the word before"},
    {SCOPE_EDIT, COMMAND_EDIT_ERASE_TO_START, {CONTROL('u')}, "erase to start", "erase all before the cursor"},
    {SCOPE_EDIT, COMMAND_EDIT_ERASE_TO_END, {CONTROL('k')}, "erase to end", "erase all after the cursor"},
    {SCOPE_EDIT, COMMAND_EDIT_OLDER, {UI_KEY_UP, CONTROL('p')}, "older line", "what was typed before"},
    {SCOPE_EDIT, COMMAND_EDIT_NEWER, {UI_KEY_DOWN, CONTROL('n')}, "newer line", "what was typed after"},

    {SCOPE_PATH, COMMAND_EDIT_COMPLETE, {UI_KEY_TAB}, "complete", "complete the path"},

    {SCOPE_DOCUMENTS,
     COMMAND_REMOVE,
     {'d', UI_KEY_DELETE},
     "remove",
     "take the document, or all marked, out of the library"},
    {SCOPE_DOCUMENTS, COMMAND_MARK, {'m', UI_KEY_INSERT}, "mark", "mark or unmark the document, or the whole branch"},
    {SCOPE_DOCUMENTS, COMMAND_FOLD, {'o'}, "fold", "open or close the branch"},
    {SCOPE_DOCUMENTS, COMMAND_FOLD_ALL, {'O'}, "fold all", "open or close all branches"},
    {SCOPE_DOCUMENTS, COMMAND_SHOW_SKIPPED, {'x'}, "skipped members", "show or hide what could not be read"},

    {SCOPE_CONVERSATION, COMMAND_NEXT_MARK, {']'}, "next mark", "to the next evidence mark"},
    {SCOPE_CONVERSATION, COMMAND_PREVIOUS_MARK, {'['}, "previous mark", "to the evidence mark before"},
    {SCOPE_CONVERSATION, COMMAND_NEXT_TOKEN, {'.', '>'}, "next token", "next token of the answer; Right does the same"},
    {SCOPE_CONVERSATION, COMMAND_PREVIOUS_TOKEN, {',', '<'}, "previous token", "token before; Left does the same"},
    {SCOPE_CONVERSATION, COMMAND_NEXT_TURN, {'J'}, "next question", "to the next question and its answer"},
    {SCOPE_CONVERSATION, COMMAND_PREVIOUS_TURN, {'K'}, "previous question", "to the question before"},
    {SCOPE_CONVERSATION, COMMAND_RETRIEVER, {'r'}, "retriever", "who proposes passages: learned, bm25, both, random"},
    {SCOPE_CONVERSATION, COMMAND_MAX_TOKENS, {'t'}, "token limit", "most tokens of an answer: 32 to 1024"},
    {SCOPE_CONVERSATION, COMMAND_ASK_DOCUMENTS, {'f'}, "ask documents", "ask only documents whose path fits a pattern"},

    {SCOPE_RETRIEVAL, COMMAND_NEXT_STEP, {']'}, "next step", "to the next retrieval step"},
    {SCOPE_RETRIEVAL, COMMAND_PREVIOUS_STEP, {'['}, "previous step", "to the retrieval step before"},
    {SCOPE_RETRIEVAL, COMMAND_NEXT_GROUP, {'w'}, "next group", "to the other retrieval group"},
    {SCOPE_RETRIEVAL, COMMAND_ZOOM_IN, {'+', '='}, "zoom in", "fewer chunks in a cell of the strip"},
    {SCOPE_RETRIEVAL, COMMAND_ZOOM_OUT, {'-'}, "zoom out", "more chunks in a cell of the strip"},
    {SCOPE_RETRIEVAL, COMMAND_HOPS, {'p'}, "hops", "what group 1 found and what group 2 did with it"},
    {SCOPE_RETRIEVAL, COMMAND_SCORES, {'c'}, "scores", "all scores as a histogram, and BM25's choice"},
    {SCOPE_RETRIEVAL, COMMAND_COMPARE, {'C'}, "compare", "compare with the trace of another question"},

    {SCOPE_PASSAGE, COMMAND_NEXT_TOKEN, {'.', '>'}, "next token", "attention of the next token of the answer"},
    {SCOPE_PASSAGE, COMMAND_PREVIOUS_TOKEN, {',', '<'}, "previous token", "attention of the token before"},
    {SCOPE_PASSAGE, COMMAND_NEXT_HIT, {']'}, "next hit", "to the next passage, then to the next retrieval"},
    {SCOPE_PASSAGE, COMMAND_PREVIOUS_HIT, {'['}, "previous hit", "to the passage before"},
    {SCOPE_PASSAGE, COMMAND_NEXT_GROUP, {'w'}, "next group", "to the other retrieval group"},
    {SCOPE_PASSAGE, COMMAND_MORE_CONTEXT, {'+', '='}, "more context", "more text around the chunk"},
    {SCOPE_PASSAGE, COMMAND_LESS_CONTEXT, {'-'}, "less context", "less text around the chunk"},

    {SCOPE_DOCUMENT, COMMAND_NEXT_CHUNK, {']'}, "next chunk", "to the start of the next chunk"},
    {SCOPE_DOCUMENT,
     COMMAND_PREVIOUS_CHUNK,
     {'['},
     "previous chunk",
     "to the start of the chunk, or of the one before"},
    {SCOPE_DOCUMENT, COMMAND_GO_BYTES, {'b'}, "go to bytes", "to a range of bytes, such as 1200-1450"},

    {SCOPE_SESSIONS, COMMAND_DELETE, {'d', UI_KEY_DELETE}, "delete", "delete the question and its answer"},

    {SCOPE_INGEST, COMMAND_RESUME, {'r'}, "resume", "go on with the ingest that was stopped"},
};

#define N_ROWS (sizeof table / sizeof *table)

const key_row *key_table(size_t *n) {
    *n = N_ROWS;
    return table;
}

static const char *const titles[SCOPE_COUNT] = {
    [SCOPE_GLOBAL] = "Everywhere",    [SCOPE_MOVE] = "Lists and texts",       [SCOPE_EDIT] = "While typing",
    [SCOPE_DOCUMENTS] = "Documents",  [SCOPE_CONVERSATION] = "Conversation",  [SCOPE_RETRIEVAL] = "Retrieval",
    [SCOPE_PASSAGE] = "Passage",      [SCOPE_DOCUMENT] = "A document's text", [SCOPE_SESSIONS] = "Past questions",
    [SCOPE_INGEST] = "Ingest report", [SCOPE_PATH] = "While a path is typed",
};

const char *key_scope_title(key_scope scope) {
    return titles[scope];
}

bool key_is_text(ui_key key) {
    return key >= 0x20 && key != 0x7F && key < UI_KEY_UP && !(key >= 0x80 && key < 0xA0);
}

static ui_command command_in(key_scope scope, ui_key key) {
    for (size_t i = 0; i < N_ROWS; i++)
        for (int k = 0; k < KEYS_PER_COMMAND && table[i].scope == scope; k++)
            if (table[i].keys[k] == key && key != UI_KEY_NONE)
                return table[i].command;
    return COMMAND_NONE;
}

ui_command key_command(key_scope scope, bool moving, bool typing, ui_key key) {
    if (typing && key_is_text(key))
        return COMMAND_NONE;
    ui_command command = typing ? command_in(SCOPE_EDIT, key) : COMMAND_NONE;
    if (command == COMMAND_NONE)
        command = command_in(scope, key);
    if (command == COMMAND_NONE && moving && !typing)
        command = command_in(SCOPE_MOVE, key);
    return command != COMMAND_NONE ? command : command_in(SCOPE_GLOBAL, key);
}

const key_row *key_find(ui_command command) {
    for (size_t i = 0; i < N_ROWS; i++)
        if (table[i].command == command)
            return &table[i];
    return NULL;
}

ui_key key_of(key_scope scope, ui_command command) {
    for (size_t i = 0; i < N_ROWS; i++)
        if (table[i].scope == scope && table[i].command == command)
            return table[i].keys[0];
    const key_row *row = key_find(command);
    return row ? row->keys[0] : UI_KEY_NONE;
}

/* ------------------------------------------------------------------------------- names ---- */

static const struct {
    ui_key key;
    const char *name;
} names[] = {
    {UI_KEY_TAB, "Tab"},
    {UI_KEY_ENTER, "Enter"},
    {UI_KEY_ESCAPE, "Esc"},
    {UI_KEY_BACKSPACE, "Backspace"},
    {UI_KEY_UP, "Up"},
    {UI_KEY_DOWN, "Down"},
    {UI_KEY_LEFT, "Left"},
    {UI_KEY_RIGHT, "Right"},
    {UI_KEY_HOME, "Home"},
    {UI_KEY_END, "End"},
    {UI_KEY_PAGE_UP, "PgUp"},
    {UI_KEY_PAGE_DOWN, "PgDn"},
    {UI_KEY_INSERT, "Insert"},
    {UI_KEY_DELETE, "Delete"},
    {UI_KEY_BACK_TAB, "Shift-Tab"},
    {' ', "Space"},
};

void key_label(ui_key key, char out[32]) {
    const char *control = key & UI_KEY_CONTROL ? "Ctrl-" : "";
    const char *alt = key & UI_KEY_ALT ? "Alt-" : "";
    const char *shift = key & UI_KEY_SHIFT ? "Shift-" : "";
    ui_key bare = key & ~(ui_key)(UI_KEY_CONTROL | UI_KEY_ALT | UI_KEY_SHIFT);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].key == bare) {
            snprintf(out, 32, "%s%s%s%s", control, alt, shift, names[i].name);
            return;
        }
    if (bare >= UI_KEY_F1 && bare <= UI_KEY_F12)
        snprintf(out, 32, "%s%s%sF%d", control, alt, shift, (int)(bare - UI_KEY_F1) + 1);
    else if (bare < 0x80)
        snprintf(out, 32, "%s%s%s%c", control, alt, shift,
                 key & UI_KEY_CONTROL && bare >= 'a' && bare <= 'z' ? (char)(bare - 32) : (char)bare);
    else
        snprintf(out, 32, "%s%s%sU+%04X", control, alt, shift, (unsigned)bare);
}

/* In mdoc a backslash and a leading dot or quote would be read as markup. */
static void write_mdoc_key(ui_key key, FILE *file) {
    char name[32];
    key_label(key, name);
    fputs(strlen(name) == 1 && strchr(".,:;?![]()|-'\"\\", *name) ? "\\&" : "", file);
    for (const char *c = name; *c; c++)
        fputs(*c == '\\' ? "\\e" : *c == '-' ? "\\-" : (char[2]){*c, '\0'}, file);
}

void key_write_mdoc(FILE *file) {
    for (int scope = 0; scope < SCOPE_COUNT; scope++) {
        bool any = false;
        for (size_t i = 0; i < N_ROWS; i++) {
            if (table[i].scope != (key_scope)scope)
                continue;
            if (!any)
                fprintf(file, ".Ss %s\n.Bl -tag -width Ds\n", key_scope_title((key_scope)scope));
            any = true;
            fputs(".It Sy", file);
            for (int k = 0; k < KEYS_PER_COMMAND && table[i].keys[k]; k++) {
                fputs(k > 0 ? " No or Sy " : " ", file);
                write_mdoc_key(table[i].keys[k], file);
            }
            fprintf(file, "\n%s\n", table[i].help);
        }
        if (any)
            fputs(".El\n", file);
    }
}
