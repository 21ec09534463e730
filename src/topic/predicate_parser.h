/* predicate_parser - what the two halves of the parser share: the structure of an expression
 * (predicate_parse.c) and its single tests (predicate_test.c). */
#ifndef SCENT_TOPIC_PREDICATE_PARSER_H
#define SCENT_TOPIC_PREDICATE_PARSER_H

#include "topic/predicate_tree.h"

struct predicate_parser {
    struct predicate *predicate;
    struct predicate_token token; /* the next one */
    size_t last_end;              /* of the token before */
    unsigned depth;
    size_t words; /* used so far */
    struct lemma_maker lemmas;
    struct errmsg *err;
    scent_status status;
};

enum predicate_keyword {
    KEYWORD_NONE,
    KEYWORD_AND,
    KEYWORD_OR,
    KEYWORD_NOT,
    KEYWORD_IN,
    KEYWORD_TRUE,
    KEYWORD_FALSE,
    KEYWORD_TITLE,
    KEYWORD_URL,
    KEYWORD_HOST,
    KEYWORD_LANG,
    KEYWORD_SIMILAR,
    KEYWORD_SIZE,
    KEYWORD_DEPTH,
    KEYWORD_CATEGORY,
    KEYWORD_CLASSIFIER,
    KEYWORD_QUERY,
    KEYWORD_BROWSING
};
enum predicate_keyword predicate_keyword(const struct predicate_token *token);

/* Both set parser->status and return NULL, so that a failure is one statement. */
void *predicate_fail(struct predicate_parser *parser, size_t at, scent_status status, const char *what);
void *predicate_fail_expected(struct predicate_parser *parser, const char *expected);

void predicate_advance(struct predicate_parser *parser);
bool predicate_accept(struct predicate_parser *parser, enum predicate_token_kind kind);
/* A node for the source from `start` to the last token taken; NULL: out of memory. */
struct predicate_node *predicate_node(struct predicate_parser *parser, enum predicate_kind kind, size_t start);

struct predicate_node *predicate_parse_test(struct predicate_parser *parser);

#endif
