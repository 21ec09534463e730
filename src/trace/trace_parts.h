/* trace_parts - what the files of this module share: the inside of a trace. */
#ifndef SCENT_TRACE_TRACE_PARTS_H
#define SCENT_TRACE_TRACE_PARTS_H

#include "trace/names.h"
#include "trace/trace.h"

enum { TRACE_ACCESSES_MAX = 1 << 30 };

struct trace {
    struct names users, pages;     /* sorted */
    struct trace_access *accesses; /* by user, time and page */
    uint32_t naccesses, nsessions;
    uint32_t *user_first;          /* nusers + 1: where the accesses of each begin */
    uint32_t *page_first, *by_page; /* npages + 1: where the positions of each begin */
    int64_t idle;
    bool keep_users;
    struct trace_counts counts;
};

struct trace *trace_parts_new(void); /* empty; never NULL */

/* Below zero, zero, above: by user, time and page. */
int trace_parts_order(const struct trace_access *a, const struct trace_access *b);
/* Names and accesses are there and sorted: numbers the sessions and finds where users and pages begin. */
SCENT_NODISCARD scent_status trace_parts_index(struct trace *trace);

/* A name that stands for a user and does not tell who it is, as long as the key is secret. Pure. */
enum { PSEUDONYM_LEN = 32 }; /* hex digits: 128 bits of HMAC-SHA-256 */
void pseudonym_make(struct str key, struct str name, char out[PSEUDONYM_LEN]);

#endif
