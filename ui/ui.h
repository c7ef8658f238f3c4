/* ui.h: the interactive front end, as app/ starts it. */
#ifndef DRT_UI_UI_H
#define DRT_UI_UI_H

#include "ui/theme.h"
#include "ui/worker.h"

typedef struct {
    worker_params engine; /* library, device, where models are found */
    theme_id theme;
    bool ascii, mouse;
} ui_params;

/* Runs until the user leaves. false: it could not start; `why` has a sentence. */
bool ui_run(const ui_params *params, char *why, size_t size);

#endif
