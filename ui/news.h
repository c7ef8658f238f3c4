/* news.h: what the worker's messages change in the model. May use: model.h, worker.h. */
#ifndef DRT_UI_NEWS_H
#define DRT_UI_NEWS_H

#include "ui/model.h"
#include "ui/worker.h"

/* Takes what the message holds into the model and frees it. Returns the CHANGED_* bits. */
unsigned model_take_news(ui_model *model, news *message);
/* A new turn at the end, looked at, whose answer is to come. false: out of memory. */
bool model_begin_turn(ui_model *model, const char *question, size_t length);
/* An ingest of this path has been asked for. */
void model_begin_ingest(ui_model *model, const char *path);
void model_notice(ui_model *model, notice_kind kind, const char *text, size_t length);

#endif
