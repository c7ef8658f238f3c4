/* signals.h: SIGINT and SIGTERM stop the current work cleanly, a second one quits; SIGPIPE ends the
 * program quietly; SIGXFSZ (file-size limit) is an error of the write instead of a death. */
#ifndef DRT_APP_SIGNALS_H
#define DRT_APP_SIGNALS_H

#include <stdbool.h>

void signals_install(void);
/* True once a signal asked to stop; fits drt_context_params.cancelled. */
bool signals_cancelled(void *unused);
/* While held, a second signal waits until the release (a third does not): for output that must come whole. */
void signals_hold(void);
void signals_release(void);
/* The exit status of a run that a signal stopped: 130 or 143; `status` when none came. */
int signals_exit_status(int status);

#endif
