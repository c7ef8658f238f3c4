/* document_tree.h: the documents of a library as a tree by their paths: archives and folders are branches. Which rows of it are
 * shown depends on what is folded and on a filter. May use: model.h, fold.h. */
#ifndef DRT_UI_DOCUMENT_TREE_H
#define DRT_UI_DOCUMENT_TREE_H

#include "ui/model.h"

/* A branch or a document, in the order of the tree: what lies below a branch follows it. */
typedef struct {
    bool branch, folded;
    int depth;
    size_t parent;     /* its node; SIZE_MAX: none */
    size_t after;      /* the first node that does not lie below */
    size_t document;   /* index into the documents; of a branch: the first one below */
    size_t start, end; /* bytes of that document's path that name the node; path[0, end) is the node's own path */
    int64_t documents, partial, skipped, chunks, bytes; /* of all documents below; of a document: its own */
    size_t matches;                                     /* documents below that are to be shown */
} tree_node;

typedef struct {
    tree_node *nodes;
    size_t n, capacity;
    size_t *rows; /* (n_rows) nodes that are shown */
    size_t n_rows;
    size_t matches;     /* documents that are to be shown, folded away or not */
    drt_string *folded; /* (n_folded) paths of folded branches, sorted */
    size_t n_folded;
} document_tree;

/* {0} is an empty tree. Builds the nodes anew; what was folded by path stays so. The documents must stay until the
 * next build. false: out of memory, the tree is empty. */
bool tree_build(document_tree *tree, const drt_document *documents, size_t n);
/* Chooses the rows: documents whose path or title holds `folded_filter` (of fold_text; length 0: all) and their
 * branches. While there is a filter nothing is folded away. */
void tree_show(document_tree *tree, const drt_document *documents, const char *folded_filter, size_t length,
               bool with_skipped);
/* Folds or opens a branch; tree_show then. */
void tree_fold(document_tree *tree, const drt_document *documents, size_t node, bool folded);
/* The row that shows a node, or the branch it is folded into; SIZE_MAX: none. */
size_t tree_row_of(const document_tree *tree, size_t node);
/* The node of the document of this index; SIZE_MAX: none. */
size_t tree_node_of(const document_tree *tree, size_t document);
void tree_free(document_tree *tree);

#endif
