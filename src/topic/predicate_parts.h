/* predicate_parts - what reading and evaluating a predicate share: the tree. */
#ifndef SCENT_TOPIC_PREDICATE_PARTS_H
#define SCENT_TOPIC_PREDICATE_PARTS_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/arena.h"
#include "topic/user_text.h"
#include "topic/predicate.h"

enum {
    PREDICATE_MAX_BYTES = 16 * 1024,
    PREDICATE_MAX_DEPTH = 64,
    PREDICATE_MAX_WORDS = 1000, /* in all */
    PREDICATE_MAX_CATEGORIES = 100,
    PREDICATE_MAX_PATTERN = 1024,
    PREDICATE_MAX_MEMORY = 64 << 20,
    PREDICATE_TITLE_WORDS = 128 /* a longer title is cut */
};

enum predicate_token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_TEXT,
    TOKEN_NUMBER,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_COMMA,
    TOKEN_MATCH,
    TOKEN_LT,
    TOKEN_LE,
    TOKEN_GT,
    TOKEN_GE,
    TOKEN_EQ,
    TOKEN_NE,
    TOKEN_BAD
};

enum predicate_kind {
    PREDICATE_CONST,
    PREDICATE_AND,
    PREDICATE_OR,
    PREDICATE_NOT,
    PREDICATE_WORDS,
    PREDICATE_TITLE,
    PREDICATE_URL,
    PREDICATE_HOST,
    PREDICATE_LANG,
    PREDICATE_COMPARE
};

struct predicate_operand {
    enum predicate_value value;
    uint32_t category; /* of VALUE_CATEGORY: its number */
    double number;     /* of VALUE_NUMBER */
};

struct predicate_node {
    enum predicate_kind kind;
    struct str source;             /* as it was written */
    struct predicate_node **kids;  /* of and, or, not: in the order of the source */
    struct predicate_node **cheap; /* the same, cheapest first: how they are evaluated */
    uint32_t nkids;
    uint32_t cost;
    union {
        bool truth;
        struct stemmed_words phrase;
        pcre2_code *regex;
        struct {
            struct str *items;
            size_t count;
            bool negated;
        } list;
        struct {
            enum predicate_token_kind op; /* TOKEN_LT … TOKEN_NE */
            struct predicate_operand left, right;
        } compare;
    };
};

struct predicate {
    struct arena arena;
    struct str source;
    struct predicate_node *root;
    pcre2_match_context *limits;
    pcre2_code **regexes; /* all of them, also those that folding left behind */
    size_t nregexes;
    struct str categories[PREDICATE_MAX_CATEGORIES];
    size_t ncategories;
};

/* Folds constants and orders the parts by cost. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status predicate_optimise(struct predicate *predicate);

#endif
