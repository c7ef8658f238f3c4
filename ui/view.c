/* view.c: the tables of views, and saying actions. See view.h. */
#include "ui/view.h"

#include <stdarg.h>
#include <string.h>

static const view_ops *const panes[PANE_COUNT] = {
    [PANE_DOCUMENTS] = &view_documents,
    [PANE_CONVERSATION] = &view_conversation,
    [PANE_RETRIEVAL] = &view_retrieval,
    [PANE_PASSAGE] = &view_passage,
};

static const view_ops *const overlays[OVERLAY_COUNT] = {
    [OVERLAY_PALETTE] = &overlay_palette,
    [OVERLAY_SESSIONS] = &overlay_sessions,
    [OVERLAY_EXPORT_TEXT] = &overlay_export_text,
    [OVERLAY_EXPORT_JSON] = &overlay_export_json,
    [OVERLAY_HELP] = &overlay_help,
    [OVERLAY_COMPARE] = &overlay_compare,
    [OVERLAY_INGEST] = &overlay_ingest,
    [OVERLAY_INGEST_REPORT] = &overlay_ingest_report,
    [OVERLAY_REMOVE] = &overlay_remove,
    [OVERLAY_DOCUMENT] = &overlay_document,
};

const view_ops *view_of_pane(pane_id pane) {
    return panes[pane];
}

const view_ops *view_of_overlay(overlay_id overlay) {
    return overlays[overlay];
}

void emit(const ui_actions *actions, action_kind kind, int64_t number) {
    actions->take(actions->user, &(ui_action){.kind = kind, .number = number});
}

void emit_text(const ui_actions *actions, action_kind kind, const char *text, size_t length) {
    actions->take(actions->user, &(ui_action){.kind = kind, .text = text, .length = length});
}

void emit_overlay(const ui_actions *actions, overlay_id overlay, int64_t number) {
    actions->take(actions->user, &(ui_action){.kind = ACTION_OVERLAY, .overlay = overlay, .number = number});
}

void emit_place(const ui_actions *actions, trace_place place) {
    actions->take(actions->user, &(ui_action){.kind = ACTION_PLACE, .place = place});
}

void emit_notice(const ui_actions *actions, notice_kind kind, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    actions->take(actions->user,
                  &(ui_action){.kind = ACTION_NOTICE, .number = kind, .text = text, .length = strlen(text)});
}
