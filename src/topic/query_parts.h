/* query_parts - what reading and evaluating a query share: the tree, the uses of words, the tables by language. */
#ifndef SCENT_TOPIC_QUERY_PARTS_H
#define SCENT_TOPIC_QUERY_PARTS_H

#include "topic/user_text.h"
#include "base/map.h"
#include "topic/query.h"

enum { QUERY_MAX_DEPTH = 64, QUERY_MAX_MEMORY = 64 << 20, QUERY_NO_WINDOW = UINT16_MAX };

enum query_kind { QUERY_TERM, QUERY_SUM, QUERY_WSUM, QUERY_AND, QUERY_OR, QUERY_NOT, QUERY_MAX };

struct query_node {
    enum query_kind kind;
    struct str source; /* as it was written */
    size_t start;      /* of it */
    struct query_node **kids;
    double *weights; /* of #wsum: scaled to sum 1 */
    uint32_t nkids;
    uint16_t term; /* of QUERY_TERM */
};

/* A word counts for a term, alone or as a part of a window. */
struct query_use {
    struct stemmed_word word;
    uint16_t term, window, part;
};
struct query_window {
    uint16_t term, first_part, nparts; /* its marks: scratch->parts[first_part …] */
    uint16_t width;
    bool ordered;
};

/* For a language: what a stem means. Uses of one stem are grouped by window
 * (the word alone comes first) and within a window their parts descend. */
struct query_action {
    uint16_t term, window, part;
};
struct query_slot {
    uint64_t stem;
    uint32_t first, count;
};
struct query_table {
    uint16_t lang;
    struct map by_stem; /* to slots */
    uint64_t bits[4]; /* a filter: most words of a text mean nothing to the query */
    struct query_slot *slots;
    struct query_action *actions;
};

struct query {
    struct arena arena;
    struct str source;
    struct query_node *root;
    struct query_use uses[QUERY_MAX_WORDS];
    struct query_window windows[QUERY_MAX_WORDS];
    struct query_table tables[STEMMED_LANGS_MAX + 1]; /* the first is for all other languages */
    uint16_t nuses, nwindows, nterms, nparts, ntables;
};

/* Fills the tables from the uses. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status query_compile(struct query *query);

#endif
