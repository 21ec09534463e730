/* query_parser - what the two halves of the parser share: the structure of a query (query_parse.c) and its terms, which
 * are what is counted (query_term.c). */
#ifndef SCENT_TOPIC_QUERY_PARSER_H
#define SCENT_TOPIC_QUERY_PARSER_H

#include "topic/query_tree.h"

enum query_token_kind {
    QTOKEN_END,
    QTOKEN_WORD,
    QTOKEN_PHRASE,
    QTOKEN_OPERATOR,
    QTOKEN_OPEN,
    QTOKEN_CLOSE,
    QTOKEN_BAD
};

struct query_token {
    enum query_token_kind kind;
    size_t start, end;   /* in the source */
    struct str text;     /* of a phrase: without its quotes; of an operator: without '#' */
    const char *problem; /* of QTOKEN_BAD */
};
struct query_token query_next_token(struct str source, size_t at);

struct query_parser {
    struct query *query;
    struct query_token token; /* the next one */
    size_t last_end;          /* of the token before */
    unsigned depth;
    struct lemma_maker lemmas;
    struct errmsg *err;
    scent_status status;
};

/* Both set parser->status and return NULL, so that a failure is one statement. */
void *query_fail(struct query_parser *parser, size_t at, scent_status status, const char *what);
void *query_fail_expected(struct query_parser *parser, const char *expected);
void *query_fail_memory(struct query_parser *parser);

void query_advance(struct query_parser *parser);
bool query_accept(struct query_parser *parser, enum query_token_kind kind);
/* A node for the source from `start` to the last token taken; NULL: out of memory. */
struct query_node *query_node(struct query_parser *parser, enum query_kind kind, size_t start);

struct query_node *query_parse_one(struct query_parser *parser);

/* A word or phrase as a term of its own. */
struct query_node *query_parse_text(struct query_parser *parser);
/* #odN, #N and #uwN: `name` is such an operator. False: it is none. */
bool query_is_window(struct str name);
struct query_node *query_parse_window(struct query_parser *parser);
/* Makes one term of the terms kids[0 … n-1], which were read one after the other. */
struct query_node *query_pool_terms(struct query_parser *parser, struct query_node **kids, size_t n, size_t start);

#endif
