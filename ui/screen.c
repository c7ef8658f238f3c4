/* screen.c: see screen.h. The handlers of fatal signals write the bytes that restore the terminal, prepared at the
 * start, and let the signal do its work; they use nothing but write and tcsetattr. */
#include "ui/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#include "engine/drt.h"

/* term.h defines names as macros that are ours elsewhere. */
#undef columns
#undef lines

#define MODES_ON "\x1b[?2004h" /* bracketed paste */
#define MODES_OFF "\x1b[?2004l"
#define MOUSE_ON "\x1b[?1000h\x1b[?1006h" /* clicks and wheel, as decimal numbers */
#define MOUSE_OFF "\x1b[?1006l\x1b[?1000l"
#define RESTORE_MAX 512
#define TERM_NAME_MAX 128

struct screen {
    SCREEN *terminal;
    theme_id theme;
    theme_colours colours;
    bool ascii, mouse, ansi; /* ansi: a terminal that knows private modes, or skips them */
    int rows, columns;
    cells sent; /* what stdscr holds */
};

/* What the handlers need. */
static struct {
    volatile sig_atomic_t active; /* the terminal is ours now */
    struct termios before;
    char restore[RESTORE_MAX];
    size_t restore_length;
    int wake[2]; /* a byte for each signal that the loop must hear of */
    char *alternate_stack;
} state = {.wake = {-1, -1}};

/* ------------------------------------------------------------------------------ signals ---- */

static void write_all(const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t n = write(STDOUT_FILENO, bytes, length);
        if (n < 0 && errno != EINTR)
            return; /* the terminal is gone */
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
        }
    }
}

static void on_fatal(int number) {
    int saved = errno;
    if (state.active) {
        state.active = 0;
        write_all(state.restore, state.restore_length);
        tcflush(STDIN_FILENO, TCIFLUSH);
        tcsetattr(STDIN_FILENO, TCSANOW, &state.before);
    }
    raise(number); /* SA_RESETHAND: the default action, once we return */
    errno = saved;
}

static void on_event(int number) {
    int saved = errno;
    char byte = number == SIGWINCH ? 'w' : number == SIGCONT ? 'c' : 't';
    (void)!write(state.wake[1], &byte, 1); /* a full pipe holds enough of them */
    errno = saved;
}

static const int fatal_signals[] = {SIGHUP,  SIGINT, SIGQUIT, SIGTERM, SIGPIPE,
                                    SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT};
static const int event_signals[] = {SIGWINCH, SIGCONT, SIGTSTP};

/* What the parent chose to ignore (nohup) stays ignored. */
static void install(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

static void install_handlers(void) {
    for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
        install(fatal_signals[i], on_fatal, SA_RESETHAND | SA_ONSTACK);
    for (size_t i = 0; i < sizeof event_signals / sizeof *event_signals; i++)
        install(event_signals[i], on_event, SA_RESTART);
}

static void remove_handlers(void) {
    for (size_t i = 0; i < sizeof fatal_signals / sizeof *fatal_signals; i++)
        install(fatal_signals[i], SIG_DFL, 0);
    for (size_t i = 0; i < sizeof event_signals / sizeof *event_signals; i++)
        install(event_signals[i], SIG_DFL, 0);
}

/* So that a handler can run when the stack has overflowed. */
static bool use_alternate_stack(void) {
    size_t size = (size_t)64 << 10;
    state.alternate_stack = malloc(size);
    stack_t stack = {.ss_sp = state.alternate_stack, .ss_size = size};
    return state.alternate_stack && sigaltstack(&stack, NULL) == 0;
}

static void drop_alternate_stack(void) {
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    free(state.alternate_stack);
    state.alternate_stack = NULL;
}

static bool open_wake_pipe(void) {
    if (pipe(state.wake) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(state.wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(state.wake[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

static void close_wake_pipe(void) {
    for (int i = 0; i < 2; i++) {
        if (state.wake[i] >= 0)
            close(state.wake[i]);
        state.wake[i] = -1;
    }
}

/* ------------------------------------------------------------------------ restore bytes ---- */

static void restore_add(const char *bytes) {
    size_t length = strlen(bytes);
    if (length > RESTORE_MAX - state.restore_length)
        return;
    memcpy(state.restore + state.restore_length, bytes, length);
    state.restore_length += length;
}

/* A terminfo string without its padding, "$<5/>". */
static void restore_add_capability(const char *name) {
    const char *text = tigetstr((char *)(uintptr_t)name);
    char plain[128];
    size_t n = 0;
    if (!text || text == (char *)-1)
        return;
    while (*text && n + 1 < sizeof plain) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end)
            text = end + 1;
        else
            plain[n++] = *text++;
    }
    plain[n] = '\0';
    restore_add(plain);
}

static bool has_capability(const char *name) {
    const char *text = tigetstr((char *)(uintptr_t)name);
    return text && text != (char *)-1;
}

static void prepare_restore(bool ansi) {
    state.restore_length = 0;
    if (ansi)
        restore_add(MOUSE_OFF MODES_OFF);
    restore_add_capability("rmacs");
    restore_add_capability("sgr0");
    restore_add_capability("op");
    restore_add_capability("cnorm");
    restore_add_capability("rmkx");
    if (has_capability("rmcup"))
        restore_add_capability("rmcup");
    else
        restore_add("\r\n");
}

/* --------------------------------------------------------------------------------- open ---- */

#define INSTEAD "ask from the command line instead: drt ask LIB QUESTION"

static bool is_plain_name(const char *term) {
    return strlen(term) <= TERM_NAME_MAX && !strchr(term, '/');
}

bool screen_usable(char *why, size_t size) {
    const char *term = getenv("TERM");
    int found = 0;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        snprintf(why, size, "the front end needs a terminal, but standard %s is none; " INSTEAD,
                 isatty(STDIN_FILENO) ? "output" : "input");
        return false;
    }
    if (!term || !*term) {
        snprintf(why, size, "the front end needs to know the terminal's type, but TERM is not set; " INSTEAD);
        return false;
    }
    /* setupterm's own result says what is wrong, found tells "unknown" from "no database". */
    bool known = is_plain_name(term) && setupterm((char *)(uintptr_t)term, STDOUT_FILENO, &found) == OK;
    bool usable = known && has_capability("cup") && has_capability("clear");
    if (known)
        del_curterm(cur_term);
    if (usable)
        return true;
    snprintf(why, size, "the front end cannot run on this terminal: TERM is '%.40s', %s; " INSTEAD, term,
             known ? "which cannot move the cursor" : "which no terminal description here knows");
    return false;
}

static bool names_utf8(const char *locale) {
    const char *dot = locale ? strchr(locale, '.') : NULL;
    return dot && (strncasecmp(dot + 1, "utf-8", 5) == 0 || strncasecmp(dot + 1, "utf8", 4) == 0);
}

/* Does the terminal show UTF-8? A locale that is set but not installed still tells. */
static bool locale_is_utf8(void) {
    if (!setlocale(LC_CTYPE, "")) {
        static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
        const char *value = NULL;
        for (size_t i = 0; i < 3 && !(value && *value); i++)
            value = getenv(variables[i]);
        if (names_utf8(value))
            setlocale(LC_CTYPE, "C.UTF-8");
    }
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static theme_colours colours_of_terminal(void) {
    const char *no_color = getenv("NO_COLOR");
    if ((no_color && *no_color) || !has_colors())
        return COLOURS_NONE;
    return COLORS >= 256 ? COLOURS_256 : COLORS >= 16 ? COLOURS_16 : COLORS >= 8 ? COLOURS_8 : COLOURS_NONE;
}

static void define_pairs(screen *shown) {
    for (int role = 0; role < ROLE_COUNT && shown->colours != COLOURS_NONE; role++) {
        theme_style style = theme_lookup(shown->theme, shown->colours, (attribute)role);
        init_pair((short)(role + 1), style.foreground, style.background);
    }
}

static void set_modes(const screen *shown, bool on) {
    if (!shown->ansi)
        return;
    if (on)
        write_all(MODES_ON, sizeof MODES_ON - 1);
    if (on && shown->mouse)
        write_all(MOUSE_ON, sizeof MOUSE_ON - 1);
    if (!on)
        write_all(MOUSE_OFF MODES_OFF, sizeof MOUSE_OFF MODES_OFF - 1);
}

static void take_size(screen *shown) {
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
    shown->rows = known ? size.ws_row : LINES > 0 ? LINES : 24;
    shown->columns = known ? size.ws_col : COLS > 0 ? COLS : 80;
    if (shown->rows != LINES || shown->columns != COLS)
        resize_term(shown->rows, shown->columns);
}

/* Takes the terminal over. Signals wait until it can be restored. */
static bool take_terminal(screen *shown) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    use_env(FALSE); /* LINES and COLUMNS of the environment may be stale */
    use_tioctl(TRUE);
    shown->terminal = newterm(NULL, stdout, stdin);
    if (shown->terminal) {
        shown->ansi = strstr(tigetstr((char *)(uintptr_t) "clear"), "\x1b[") != NULL;
        prepare_restore(shown->ansi);
        install_handlers();
        state.active = 1;
        raw();
        noecho();
        nonl();
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return shown->terminal;
}

static void start_colours(screen *shown) {
    shown->colours = colours_of_terminal();
    if (shown->colours == COLOURS_NONE)
        return;
    start_color();
    use_default_colors();
    define_pairs(shown);
}

screen *screen_open(const screen_params *params, char *why, size_t size) {
    if (!screen_usable(why, size))
        return NULL;
    screen *shown = calloc(1, sizeof *shown);
    bool utf8 = locale_is_utf8();
    snprintf(why, size, "out of memory");
    if (!shown || tcgetattr(STDIN_FILENO, &state.before) != 0 || !open_wake_pipe() || !use_alternate_stack() ||
        !take_terminal(shown)) {
        drop_alternate_stack();
        close_wake_pipe();
        free(shown);
        return NULL;
    }
    shown->ascii = !utf8 || params->ascii;
    shown->theme = params->theme;
    shown->mouse = params->mouse;
    start_colours(shown);
    take_size(shown);
    refresh();
    set_modes(shown, true);
    return shown;
}

void screen_close(screen *shown) {
    if (!shown)
        return;
    set_modes(shown, false);
    endwin();
    tcflush(STDIN_FILENO, TCIFLUSH); /* mouse reports under way */
    tcsetattr(STDIN_FILENO, TCSANOW, &state.before);
    state.active = 0;
    remove_handlers();
    delscreen(shown->terminal);
    drop_alternate_stack();
    close_wake_pipe();
    cells_free(&shown->sent);
    free(shown);
}

/* ----------------------------------------------------------------------------- settings ---- */

int screen_rows(const screen *shown) {
    return shown->rows;
}

int screen_columns(const screen *shown) {
    return shown->columns;
}

bool screen_ascii(const screen *shown) {
    return shown->ascii;
}

bool screen_mouse(const screen *shown) {
    return shown->mouse;
}

void screen_set_theme(screen *shown, theme_id theme) {
    shown->theme = theme;
    define_pairs(shown);
    screen_redraw(shown);
}

void screen_set_mouse(screen *shown, bool on) {
    shown->mouse = on;
    if (!shown->ansi)
        return;
    if (on)
        write_all(MOUSE_ON, sizeof MOUSE_ON - 1);
    else
        write_all(MOUSE_OFF, sizeof MOUSE_OFF - 1);
}

/* ------------------------------------------------------------------------------ present ---- */

static attr_t ncurses_emphasis(uint8_t emphasis) {
    return (emphasis & THEME_BOLD ? A_BOLD : 0) | (emphasis & THEME_DIM ? A_DIM : 0) |
           (emphasis & THEME_UNDERLINE ? A_UNDERLINE : 0) | (emphasis & THEME_REVERSE ? A_REVERSE : 0);
}

/* The glyph as wide characters; one that this libc measures differently is shown as question marks, so that ncurses
 * and our layout agree. */
static void wide_of(const glyph *from, wchar_t out[CCHARW_MAX + 1]) {
    size_t n = 0;
    for (size_t at = 0; at < from->length && n < CCHARW_MAX;) {
        uint32_t code = 0;
        size_t size = drt_utf8_decode(from->bytes + at, from->length - at, &code);
        if (size == 0)
            break;
        if (n == 0 || wcwidth((wchar_t)code) == 0)
            out[n++] = (wchar_t)code;
        at += size;
    }
    if (n == 0 || (out[0] >= 0x80 && wcwidth(out[0]) != from->width)) {
        out[0] = L'?';
        n = 1;
    }
    out[n] = L'\0';
}

static void send_row(const screen *shown, const cells *what, int row) {
    for (int column = 0; column < what->columns;) {
        const cell *from = cells_at(what, row, column);
        theme_style style = theme_lookup(shown->theme, shown->colours, from->look);
        short pair = shown->colours == COLOURS_NONE ? 0 : (short)((from->look & ATTRIBUTE_ROLE) + 1);
        wchar_t wide[CCHARW_MAX + 1];
        cchar_t shown_char;
        wide_of(&from->shown, wide);
        int width = from->shown.width == 2 ? 2 : 1;
        bool narrowed = width == 2 && wide[0] == L'?';
        setcchar(&shown_char, wide, ncurses_emphasis(style.emphasis), pair, NULL);
        mvadd_wch(row, column, &shown_char);
        if (narrowed)
            mvadd_wch(row, column + 1, &shown_char);
        column += width;
    }
}

static bool same_row(const cells *a, const cells *b, int row) {
    return memcmp(cells_at(a, row, 0), cells_at(b, row, 0), (size_t)a->columns * sizeof(cell)) == 0;
}

static bool same_size(const cells *a, const cells *b) {
    return a->rows == b->rows && a->columns == b->columns && a->data;
}

void screen_present(screen *shown, const cells *what) {
    bool comparable = same_size(&shown->sent, what);
    for (int row = 0; row < what->rows && what->columns > 0; row++)
        if (!comparable || !same_row(&shown->sent, what, row))
            send_row(shown, what, row);
    if ((comparable || cells_resize(&shown->sent, what->rows, what->columns)) && what->columns > 0 && what->rows > 0)
        memcpy(shown->sent.data, what->data, (size_t)what->rows * (size_t)what->columns * sizeof(cell));
    curs_set(what->cursor_row >= 0 ? 1 : 0);
    if (what->cursor_row >= 0)
        move(what->cursor_row, what->cursor_column);
    refresh();
}

void screen_redraw(screen *shown) {
    cells_free(&shown->sent);
    clearok(curscr, TRUE);
}

static void take_again(screen *shown) {
    reset_prog_mode();
    install_handlers();
    state.active = 1;
    take_size(shown);
    screen_redraw(shown);
    refresh();
    set_modes(shown, true);
}

void screen_suspend(screen *shown) {
    struct sigaction stop = {.sa_handler = SIG_DFL};
    set_modes(shown, false);
    endwin();
    tcsetattr(STDIN_FILENO, TCSANOW, &state.before);
    state.active = 0;
    sigaction(SIGTSTP, &stop, NULL);
    kill(getpid(), SIGTSTP);
    char heard[64]; /* the SIGCONT that brought us here, and resizes: all is taken anew */
    while (read(state.wake[0], heard, sizeof heard) > 0)
        continue;
    take_again(shown);
}

/* After SIGCONT without our own suspension (SIGSTOP): whatever happened to the terminal meanwhile. */
static void recover(screen *shown) {
    endwin();
    take_again(shown);
}

void screen_copy(screen *shown, const char *text, size_t length) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!shown->ansi)
        return;
    write_all("\x1b]52;c;", 7);
    for (size_t i = 0; i < length; i += 3) {
        unsigned char byte[3] = {0};
        size_t n = length - i < 3 ? length - i : 3;
        memcpy(byte, text + i, n);
        char out[4] = {digits[byte[0] >> 2], digits[(byte[0] & 3) << 4 | byte[1] >> 4],
                       n > 1 ? digits[(byte[1] & 15) << 2 | byte[2] >> 6] : '=', n > 2 ? digits[byte[2] & 63] : '='};
        write_all(out, 4);
    }
    write_all("\x1b\\", 2);
}

/* --------------------------------------------------------------------------------- wait ---- */

static int hear_signals(screen *shown) {
    char bytes[64];
    ssize_t n;
    bool resized = false, stop = false, resumed = false;
    while ((n = read(state.wake[0], bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            resized = resized || bytes[i] == 'w';
            stop = stop || bytes[i] == 't';
            resumed = resumed || bytes[i] == 'c';
        }
    if (stop)
        screen_suspend(shown);
    else if (resumed)
        recover(shown);
    else if (resized) {
        take_size(shown);
        screen_redraw(shown);
    }
    return resized || stop || resumed ? SCREEN_CHANGED : 0;
}

static int hear_input(event_decoder *decoder) {
    char bytes[4096];
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n > 0)
        return events_feed(decoder, bytes, (size_t)n) ? SCREEN_INPUT : 0;
    return n == 0 || (errno != EINTR && errno != EAGAIN) ? SCREEN_GONE : 0;
}

int screen_wait(screen *shown, event_decoder *decoder, int other_fd, int timeout_ms) {
    struct pollfd waited[3] = {{.fd = STDIN_FILENO, .events = POLLIN},
                               {.fd = state.wake[0], .events = POLLIN},
                               {.fd = other_fd, .events = POLLIN}}; /* poll skips a negative fd */
    if (poll(waited, 3, timeout_ms) <= 0)
        return 0;
    int heard = 0;
    if (waited[1].revents)
        heard |= hear_signals(shown);
    if (waited[0].revents & POLLIN)
        heard |= hear_input(decoder);
    else if (waited[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        heard |= SCREEN_GONE;
    if (waited[2].revents)
        heard |= SCREEN_OTHER;
    return heard;
}
