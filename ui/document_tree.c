/* document_tree.c: see document_tree.h. */
#include "ui/document_tree.h"

#include <stdlib.h>
#include <string.h>

#include "ui/fold.h"

#define DEPTH_MAX 40 /* deeper folders are part of the name */

void tree_free(document_tree *tree) {
    for (size_t i = 0; i < tree->n_folded; i++)
        drt_string_free(&tree->folded[i]);
    free(tree->folded);
    free(tree->nodes);
    free(tree->rows);
    *tree = (document_tree){0};
}

/* ---------------------------------------------------------------------------------- order ---- */

typedef struct {
    const char *path;
    size_t length, index;
} ordered;

/* By bytes, with '/' before all others, so that what lies in a folder stays together. */
static int by_path(const void *a, const void *b) {
    const ordered *one = a, *other = b;
    size_t i = 0;
    while (i < one->length && i < other->length && one->path[i] == other->path[i])
        i++;
    int left = i < one->length ? one->path[i] == '/' ? 1 : (unsigned char)one->path[i] + 2 : 0;
    int right = i < other->length ? other->path[i] == '/' ? 1 : (unsigned char)other->path[i] + 2 : 0;
    return left != right ? left - right : (one->index > other->index) - (one->index < other->index);
}

static ordered *order_documents(const drt_document *documents, size_t n) {
    ordered *order = malloc((n + 1) * sizeof *order);
    for (size_t i = 0; i < n && order; i++)
        order[i] = (ordered){documents[i].path.data, documents[i].path.length, i};
    if (order)
        qsort(order, n, sizeof *order, by_path);
    return order;
}

/* ---------------------------------------------------------------------------------- nodes ---- */

static tree_node *add_node(document_tree *tree, tree_node node) {
    if (tree->n == tree->capacity) {
        size_t capacity = tree->capacity * 2 + 64;
        tree_node *nodes = realloc(tree->nodes, capacity * sizeof *nodes);
        if (!nodes)
            return NULL;
        tree->nodes = nodes;
        tree->capacity = capacity;
    }
    tree->nodes[tree->n] = node;
    return &tree->nodes[tree->n++];
}

static bool add_document(document_tree *tree, const drt_document *documents, const ordered *which, size_t start,
                         size_t parent, int depth) {
    const drt_document *document = &documents[which->index];
    tree_node *node = add_node(tree, (tree_node){.depth = depth,
                                                 .parent = parent,
                                                 .after = tree->n + 1,
                                                 .document = which->index,
                                                 .start = start,
                                                 .end = which->length,
                                                 .documents = 1,
                                                 .partial = document->status == DRT_DOCUMENT_PARTIAL,
                                                 .skipped = document->status == DRT_DOCUMENT_SKIPPED,
                                                 .chunks = document->chunks,
                                                 .bytes = document->bytes});
    return node;
}

/* Where the folder that begins at `start` ends, its '/' included; 0: the rest of the path names a document. */
static size_t folder_end(const ordered *which, size_t start) {
    size_t from = start + 1; /* a '/' at the very start is part of the first folder's name */
    const char *slash = from < which->length ? memchr(which->path + from, '/', which->length - from) : NULL;
    size_t end = slash ? (size_t)(slash - which->path) + 1 : 0;
    return end < which->length ? end : 0; /* a '/' at the very end leaves no name */
}

static bool shares(const ordered *one, const ordered *other, size_t length) {
    return length <= other->length && memcmp(one->path, other->path, length) == 0;
}

static int64_t *sums_of(tree_node *node, int which) {
    int64_t *sums[] = {&node->documents, &node->partial, &node->skipped, &node->chunks, &node->bytes};
    return sums[which];
}

static void close_branch(document_tree *tree, size_t branch) {
    tree->nodes[branch].after = tree->n;
    for (size_t i = branch + 1; i < tree->n; i = tree->nodes[i].after)
        for (int which = 0; which < 5; which++)
            *sums_of(&tree->nodes[branch], which) += *sums_of(&tree->nodes[i], which);
}

/* The documents order[0..n), which share path[0, start), as children of `parent`. */
static bool add_children(document_tree *tree, const drt_document *documents, const ordered *order, size_t n,
                         size_t start, size_t parent, int depth) {
    for (size_t i = 0, next; i < n; i = next) {
        size_t end = depth < DEPTH_MAX ? folder_end(&order[i], start) : 0;
        next = i + 1;
        if (end == 0) {
            if (!add_document(tree, documents, &order[i], start, parent, depth))
                return false;
            continue;
        }
        while (next < n && shares(&order[i], &order[next], end))
            next++;
        /* Folders that hold nothing but one folder are one branch with it: the first and the last tell it for all. */
        for (size_t longer; (longer = folder_end(&order[i], end)) && shares(&order[i], &order[next - 1], longer);)
            end = longer;
        size_t branch = tree->n;
        if (!add_node(tree, (tree_node){.branch = true,
                                        .depth = depth,
                                        .parent = parent,
                                        .document = order[i].index,
                                        .start = start,
                                        .end = end}) ||
            !add_children(tree, documents, order + i, next - i, end, branch, depth + 1))
            return false;
        close_branch(tree, branch);
    }
    return true;
}

/* --------------------------------------------------------------------------------- folding ---- */

static int compare_path(const drt_string *path, size_t length, const drt_string *other) {
    int order = memcmp(path->data, other->data, length < other->length ? length : other->length);
    return order ? order : (length > other->length) - (length < other->length);
}

/* Where the node's path stands among the folded ones, or would; *found tells which. */
static size_t fold_place(const document_tree *tree, const drt_document *documents, const tree_node *node, bool *found) {
    size_t low = 0, high = tree->n_folded;
    *found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_path(&documents[node->document].path, node->end, &tree->folded[middle]);
        *found = *found || order == 0;
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Out of memory: it will be open after the next build. */
static void remember_fold(document_tree *tree, const drt_document *documents, const tree_node *node) {
    bool known;
    size_t place = fold_place(tree, documents, node, &known);
    if (known)
        return;
    drt_string *grown = realloc(tree->folded, (tree->n_folded + 1) * sizeof *grown);
    drt_string copy = {0};
    tree->folded = grown ? grown : tree->folded;
    if (!grown || !model_string_set(&copy, documents[node->document].path.data, node->end))
        return;
    memmove(grown + place + 1, grown + place, (tree->n_folded - place) * sizeof *grown);
    grown[place] = copy;
    tree->n_folded++;
}

static void forget_fold(document_tree *tree, const drt_document *documents, const tree_node *node) {
    bool known;
    size_t place = fold_place(tree, documents, node, &known);
    if (!known)
        return;
    drt_string_free(&tree->folded[place]);
    tree->n_folded--;
    memmove(tree->folded + place, tree->folded + place + 1, (tree->n_folded - place) * sizeof *tree->folded);
}

void tree_fold(document_tree *tree, const drt_document *documents, size_t node, bool folded) {
    if (!tree->nodes[node].branch)
        return;
    tree->nodes[node].folded = folded;
    if (folded)
        remember_fold(tree, documents, &tree->nodes[node]);
    else
        forget_fold(tree, documents, &tree->nodes[node]);
}

bool tree_build(document_tree *tree, const drt_document *documents, size_t n) {
    ordered *order = order_documents(documents, n);
    tree->n = tree->n_rows = tree->matches = 0;
    bool ok = order && add_children(tree, documents, order, n, 0, SIZE_MAX, 0);
    size_t *rows = ok ? realloc(tree->rows, (tree->n + 1) * sizeof *rows) : NULL;
    free(order);
    if (!rows) {
        tree->n = 0;
        return false;
    }
    tree->rows = rows;
    for (size_t i = 0; i < tree->n && tree->n_folded > 0; i++)
        if (tree->nodes[i].branch)
            fold_place(tree, documents, &tree->nodes[i], &tree->nodes[i].folded);
    return true;
}

/* ------------------------------------------------------------------------------------ rows ---- */

static bool is_wanted(const drt_document *document, const char *filter, size_t length, bool with_skipped) {
    if (document->status == DRT_DOCUMENT_SKIPPED && !with_skipped)
        return false;
    return fold_contains(document->path.data, document->path.length, filter, length) ||
           (document->title.data && fold_contains(document->title.data, document->title.length, filter, length));
}

void tree_show(document_tree *tree, const drt_document *documents, const char *folded_filter, size_t length,
               bool with_skipped) {
    for (size_t i = 0; i < tree->n; i++)
        tree->nodes[i].matches = 0;
    tree->matches = tree->n_rows = 0;
    for (size_t i = tree->n; i-- > 0;) { /* children before their branch */
        tree_node *node = &tree->nodes[i];
        if (!node->branch) {
            node->matches = is_wanted(&documents[node->document], folded_filter, length, with_skipped);
            tree->matches += node->matches;
        }
        if (node->parent != SIZE_MAX)
            tree->nodes[node->parent].matches += node->matches;
    }
    for (size_t i = 0, next; i < tree->n; i = next) {
        const tree_node *node = &tree->nodes[i];
        next = node->matches == 0 || (node->folded && length == 0) ? node->after : i + 1;
        if (node->matches > 0)
            tree->rows[tree->n_rows++] = i;
    }
}

size_t tree_row_of(const document_tree *tree, size_t node) {
    size_t low = 0, high = tree->n_rows; /* rows before low are at or before the node */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->rows[middle] <= node)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return SIZE_MAX;
    size_t shown = tree->rows[low - 1];
    return node < tree->nodes[shown].after ? low - 1 : SIZE_MAX;
}

size_t tree_node_of(const document_tree *tree, size_t document) {
    for (size_t i = 0; i < tree->n; i++)
        if (!tree->nodes[i].branch && tree->nodes[i].document == document)
            return i;
    return SIZE_MAX;
}
