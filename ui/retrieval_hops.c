/* retrieval_hops.c: what one group found and what the next, whose query was made after reading that, did with it.
 * See retrieval_parts.h. */
#include <string.h>

#include "ui/retrieval_parts.h"

/* The pair begins at the current group, or before it when it is the last one. */
hops hops_of(const ui_model *model) {
    const drt_answer *trace = model_trace(model);
    int first = model->place.group;
    if (trace && first > trace->n_groups - 2)
        first = trace->n_groups - 2;
    if (!trace || first < 0)
        return (hops){NULL, NULL};
    return (hops){trace_event(trace, model->place.step, first), trace_event(trace, model->place.step, first + 1)};
}

static bool is_whole(hops pair) {
    return pair.first && pair.second;
}

/* The n-th hit of the second group that the first had not found; HIT_NONE past the last. */
static size_t new_hit(hops pair, size_t n) {
    for (size_t i = 0; i < pair.second->n_hits; i++)
        if (event_hit_of(pair.first, pair.second->hits[i].chunk) == HIT_NONE && n-- == 0)
            return i;
    return HIT_NONE;
}

/* Weight that the second group gives to what the first had found; *n: to how many chunks. */
static double kept_weight(hops pair, size_t *n) {
    double weight = 0;
    *n = 0;
    for (size_t i = 0; i < pair.second->n_hits; i++)
        if (event_hit_of(pair.first, pair.second->hits[i].chunk) != HIT_NONE) {
            weight += (double)pair.second->hits[i].weight;
            ++*n;
        }
    return weight;
}

size_t hops_lines(hops pair) {
    size_t kept;
    if (!is_whole(pair))
        return 0;
    kept_weight(pair, &kept);
    return pair.first->n_hits + pair.second->n_hits - kept;
}

size_t hops_line_of(hops pair, trace_place place) {
    if (!is_whole(pair))
        return 0;
    if (place.group == pair.first->group)
        return place.hit;
    if (place.hit >= pair.second->n_hits)
        return 0;
    size_t kept = event_hit_of(pair.first, pair.second->hits[place.hit].chunk);
    for (size_t n = 0; kept == HIT_NONE; n++)
        if (new_hit(pair, n) == place.hit)
            return pair.first->n_hits + n;
    return kept;
}

void hops_place_of(hops pair, size_t line, trace_place *place) {
    if (!is_whole(pair))
        return;
    bool found_first = line < pair.first->n_hits;
    size_t hit = found_first ? line : new_hit(pair, line - pair.first->n_hits);
    if (hit == HIT_NONE)
        return;
    place->group = found_first ? pair.first->group : pair.second->group;
    place->hit = hit;
}

/* ------------------------------------------------------------------------------------ drawing ---- */

#define HIT_COLUMNS 24 /* of a hit without its document */
#define VERDICT_COLUMNS 11

static bool is_plain(attribute look) {
    return (look & ATTRIBUTE_ROLE) == ROLE_TEXT;
}

/* Rank, weight, bar, and where there is room chunk and document. */
static void draw_hit(const drt_hit *hit, cells *out, rect area, attribute look) {
    cells_printf(out, area, 0, 0, look, "%2d %4.2f", hit->rank, (double)hit->weight);
    draw_bar(out, area, 0, 8, 6, hit->weight, is_plain(look) ? theme_heat(hit->weight) : look);
    cells_printf(out, area, 0, 15, look, "%8lld", (long long)hit->chunk);
    cells_put_cut(out, area, 0, HIT_COLUMNS, area.columns - HIT_COLUMNS, CUT_START, look, hit->document.data,
                  hit->document.length);
}

static void draw_verdict(cells *out, rect area, attribute look, attribute role, glyph_id sign, const char *word) {
    attribute shown = is_plain(look) ? role : look;
    cells_glyph(out, area, 0, 0, shown, sign);
    cells_text(out, area, 0, 2, shown, word);
}

static void draw_line(void *user, size_t index, cells *out, rect row, attribute look) {
    const hops *pair = user;
    bool found_first = index < pair->first->n_hits;
    const drt_hit *from = found_first ? &pair->first->hits[index] : NULL;
    size_t to = found_first ? event_hit_of(pair->second, from->chunk) : new_hit(*pair, index - pair->first->n_hits);
    int half = (row.columns - VERDICT_COLUMNS) / 2;
    rect verdict = rect_left(rect_after(row, half), VERDICT_COLUMNS), right = rect_after(row, half + VERDICT_COLUMNS);
    if (from)
        draw_hit(from, out, rect_left(row, half - 1), look);
    if (to == HIT_NONE) {
        draw_verdict(out, verdict, look, ROLE_DIM, GLYPH_SKIPPED, "dropped");
        return;
    }
    if (from)
        draw_verdict(out, verdict, look, ROLE_OK, GLYPH_RIGHT, "kept");
    else
        draw_verdict(out, verdict, look, ROLE_ACCENT, GLYPH_BULLET, "new");
    draw_hit(&pair->second->hits[to], out, right, look);
}

static void draw_summary(hops pair, cells *out, rect area) {
    size_t kept;
    double weight = kept_weight(pair, &kept);
    int at = cells_printf(out, area, 0, 0, theme_group(pair.first->group), "group %d", pair.first->group + 1);
    at += cells_printf(out, area, 0, at, ROLE_TEXT, " found %zu;", pair.first->n_hits) + 1;
    at += cells_printf(out, area, 0, at, theme_group(pair.second->group), "group %d", pair.second->group + 1);
    cells_printf(out, area, 0, at, ROLE_TEXT, ", having read them, kept %zu (weight %.2f), found %zu new", kept, weight,
                 pair.second->n_hits - kept);
}

static void draw_heading(hops pair, cells *out, rect row) {
    int half = (row.columns - VERDICT_COLUMNS) / 2;
    rect left = rect_left(row, half - 1), right = rect_after(row, half + VERDICT_COLUMNS);
    cells_printf(out, left, 0, 0, ROLE_DIM, " # weight grp %-2d   chunk document", pair.first->group + 1);
    cells_printf(out, right, 0, 0, ROLE_DIM, " # weight grp %-2d   chunk document", pair.second->group + 1);
}

rect hops_body(rect area) {
    return rect_below(area, 2);
}

void hops_draw(list *lines, const ui_model *model, cells *out, rect area, bool focused) {
    hops pair = hops_of(model);
    if (!is_whole(pair)) {
        static const char one[] = "This model retrieves once a step: there is no second hop.";
        cells_put_cut(out, area, 0, 0, area.columns, CUT_END, ROLE_DIM, one, strlen(one));
        return;
    }
    draw_summary(pair, out, rect_top(area, 1));
    draw_heading(pair, out, rect_top(rect_below(area, 1), 1));
    list_draw(lines, out, hops_body(area), focused, draw_line, &pair);
}
