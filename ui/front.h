/* front.h: the front end without terminal and engine: the model, the panes, what lies over them, who hears the keys,
 * and the whole screen as cells. What it cannot do itself it passes on as actions.
 * May use: view.h, layout.h. */
#ifndef DRT_UI_FRONT_H
#define DRT_UI_FRONT_H

#include "ui/layout.h"

#define FRONT_OVERLAYS 8 /* that can lie over each other */

typedef struct {
    const view_ops *ops;
    void *self;
    overlay_id id;
    rect area; /* as drawn last */
} front_view;

typedef struct {
    ui_model model;
    front_view panes[PANE_COUNT];
    front_view overlays[FRONT_OVERLAYS];
    size_t n_overlays;
    pane_id focus;
    bool zoomed, mouse;
    theme_id theme;
    ui_actions outside; /* where actions go that need terminal or engine */
} front;

/* The panes with an empty model of a library at `path`. false: out of memory. */
bool front_init(front *state, const char *path, const ui_actions *outside);
void front_free(front *state);

/* Tells the views that the model changed. */
void front_changed(front *state, unsigned changed);
void front_input(front *state, const ui_event *event);
/* As if a key of the command had been pressed. */
void front_command(front *state, ui_command command);
/* Does an action, of a view or of the loop. */
void front_act(front *state, const ui_action *action);
/* Draws the whole screen into the buffer, whose size it takes. */
void front_draw(front *state, cells *out);

#endif
