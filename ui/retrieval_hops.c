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

/* Where the columns start: what the first group gave the chunk, what became of it, what the second gave it, where it
 * is. */
enum { AT_VERDICT = 15, AT_SECOND = 25, AT_CHUNK = 40, AT_DOCUMENT = 48 };

static bool is_plain(attribute look) {
    return (look & ATTRIBUTE_ROLE) == ROLE_TEXT;
}

static void draw_weight(const drt_hit *hit, cells *out, rect row, int at, attribute look) {
    cells_printf(out, row, 0, at, look, "%2d %4.2f", hit->rank, (double)hit->weight);
    draw_bar(out, row, 0, at + 8, 6, hit->weight, is_plain(look) ? theme_heat(hit->weight) : look);
}

static void draw_verdict(cells *out, rect row, attribute look, attribute role, glyph_id sign, const char *word) {
    attribute shown = is_plain(look) ? role : look;
    cells_glyph(out, row, 0, AT_VERDICT, shown, sign);
    cells_text(out, row, 0, AT_VERDICT + 2, shown, word);
}

static void draw_line(void *user, size_t index, cells *out, rect row, attribute look) {
    const hops *pair = user;
    bool found_first = index < pair->first->n_hits;
    const drt_hit *from = found_first ? &pair->first->hits[index] : NULL;
    size_t second = found_first ? event_hit_of(pair->second, from->chunk) : new_hit(*pair, index - pair->first->n_hits);
    const drt_hit *to = second != HIT_NONE ? &pair->second->hits[second] : NULL;
    const drt_hit *shown = from ? from : to;
    if (from)
        draw_weight(from, out, row, 0, look);
    if (to)
        draw_weight(to, out, row, AT_SECOND, look);
    if (!to)
        draw_verdict(out, row, look, ROLE_DIM, GLYPH_SKIPPED, "dropped");
    else if (from)
        draw_verdict(out, row, look, ROLE_OK, GLYPH_RIGHT, "kept");
    else
        draw_verdict(out, row, look, ROLE_ACCENT, GLYPH_BULLET, "new");
    if (!shown)
        return;
    cells_printf(out, row, 0, AT_CHUNK, look, "%7lld", (long long)shown->chunk);
    cells_put_cut(out, row, 0, AT_DOCUMENT, row.columns - AT_DOCUMENT, CUT_START, look, shown->document.data,
                  shown->document.length);
}

static void draw_summary(hops pair, cells *out, rect row) {
    size_t kept;
    double weight = kept_weight(pair, &kept);
    int at = cells_printf(out, row, 0, 0, theme_group(pair.first->group), "group %d", pair.first->group + 1);
    at += cells_printf(out, row, 0, at, ROLE_TEXT, " found %zu; having read them, ", pair.first->n_hits);
    at += cells_printf(out, row, 0, at, theme_group(pair.second->group), "group %d", pair.second->group + 1);
    cells_printf(out, row, 0, at, ROLE_TEXT,
                 row.columns >= 80 ? " kept %zu (weight %.2f) and found %zu new" : " kept %zu (%.2f), %zu new", kept,
                 weight, pair.second->n_hits - kept);
}

static void draw_heading(hops pair, cells *out, rect row) {
    cells_printf(out, row, 0, 0, ROLE_DIM, " # group %d", pair.first->group + 1);
    cells_printf(out, row, 0, AT_SECOND, ROLE_DIM, " # group %d", pair.second->group + 1);
    cells_text(out, row, 0, AT_CHUNK, ROLE_DIM, "  chunk document");
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
