/* signals.c: see signals.h. The program's only global state; handlers need it. */
#include "app/signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t stop_signal; /* the last one, 0: none */
static volatile sig_atomic_t stop_count;
static volatile sig_atomic_t held;

static void on_stop(int signal_number) {
    stop_signal = signal_number;
    stop_count = stop_count + 1;
    if (stop_count > (held ? 2 : 1))
        _exit(128 + signal_number);
}

static void handle(int signal_number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler}; /* no SA_RESTART: a blocked read gives up */
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void signals_install(void) {
    handle(SIGINT, on_stop);
    handle(SIGTERM, on_stop);
    handle(SIGPIPE, SIG_DFL);
    handle(SIGXFSZ, SIG_IGN);
}

bool signals_cancelled(void *unused) {
    (void)unused;
    return stop_count > 0;
}

void signals_hold(void) {
    held = 1;
}

void signals_release(void) {
    held = 0;
    if (stop_count > 1)
        _exit(128 + stop_signal);
}

int signals_exit_status(int status) {
    return stop_count > 0 ? 128 + stop_signal : status;
}
