/* ui.h: the interactive front end, as app/ starts it. */
#ifndef DRT_UI_UI_H
#define DRT_UI_UI_H

#include <stdio.h>

#include "ui/theme.h"
#include "ui/worker.h"

typedef struct {
    worker_params engine; /* library, device, where models are found */
    theme_id theme;
    bool ascii, mouse;
    /* Writes an answer with its evidence for people, or with its trace as JSON; user is engine.user. Errors stand in
     * the stream. */
    void (*export)(void *user, const drt_answer *answer, const char *library, bool json, FILE *out);
} ui_params;

/* Runs until the user leaves. false: it could not start; `why` has a sentence. */
bool ui_run(const ui_params *params, char *why, size_t size);

#endif
