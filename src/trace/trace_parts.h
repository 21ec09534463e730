/* trace_parts - what the files of this module share: the inside of a trace, and how it is put together. */
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

/* ---- building: accesses as they come, then a trace of them ----
 *
 * 24 bytes an access while they come and as much again while they are sorted, and two tables of names. */

struct trace_builder {
    const struct trace_options *options;
    struct names users, pages; /* as they came; users under the names that the logs give them */
    bool *bots;                /* of users, by number */
    size_t nbots, bots_room;
    struct trace_access *accesses;
    uint32_t count;
    size_t room;
    struct trace_counts counts;
};

void trace_builder_init(struct trace_builder *builder, const struct trace_options *options);
void trace_builder_release(struct trace_builder *builder);

/* SCENT_E_LIMIT: no room is allowed for it; nothing changes. */
SCENT_NODISCARD scent_status trace_builder_add(struct trace_builder *builder, int64_t time, struct str user,
                                               struct str href);
/* None of the accesses of `user` will be taken. */
SCENT_NODISCARD scent_status trace_builder_bot(struct trace_builder *builder, struct str user);
/* The accesses are taken out of `builder`. */
SCENT_NODISCARD scent_status trace_builder_finish(struct trace_builder *builder, struct trace **out);

/* A name that stands for a user and does not tell who it is, as long as the key is secret. Pure. */
enum { PSEUDONYM_LEN = 32 }; /* hex digits: 128 bits of HMAC-SHA-256 */
void pseudonym_make(struct str key, struct str name, char out[PSEUDONYM_LEN]);

#endif
