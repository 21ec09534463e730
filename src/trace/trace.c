#include "trace/trace_parts.h"

#include "base/hash.h"

#include <stdlib.h>

struct trace *trace_parts_new(void)
{
    struct trace *trace = calloc(1, sizeof *trace);

    SCENT_BUG_IF(!trace);
    names_init(&trace->users, 0);
    names_init(&trace->pages, 0);
    return trace;
}

void trace_free(struct trace *trace)
{
    if (!trace)
        return;
    names_release(&trace->users);
    names_release(&trace->pages);
    free(trace->accesses);
    free(trace->user_first);
    free(trace->page_first);
    free(trace->by_page);
    free(trace);
}

int trace_parts_order(const struct trace_access *a, const struct trace_access *b)
{
    if (a->user != b->user)
        return a->user < b->user ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->page < b->page ? -1 : a->page > b->page;
}

static void number_sessions(struct trace *trace)
{
    struct trace_access *all = trace->accesses;

    for (uint32_t i = 0; i < trace->naccesses; i++) {
        bool goes_on = i && all[i].user == all[i - 1].user && all[i].time - all[i - 1].time <= trace->idle;

        trace->nsessions += !goes_on;
        all[i].session = trace->nsessions - 1;
    }
}

/* first[k + 1] holds how many there are of k; becomes where those of k begin. */
static void add_up(uint32_t *first, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        first[k + 1] += first[k];
}

scent_status trace_parts_index(struct trace *trace)
{
    uint32_t npages = trace->pages.count;

    trace->user_first = calloc((size_t)trace->users.count + 1, sizeof *trace->user_first);
    trace->page_first = calloc((size_t)npages + 1, sizeof *trace->page_first);
    trace->by_page = calloc((size_t)trace->naccesses + 1, sizeof *trace->by_page);
    if (!trace->user_first || !trace->page_first || !trace->by_page)
        return SCENT_E_NOMEM;
    number_sessions(trace);
    for (uint32_t i = 0; i < trace->naccesses; i++) {
        trace->user_first[trace->accesses[i].user + 1]++;
        trace->page_first[trace->accesses[i].page + 1]++;
    }
    add_up(trace->user_first, trace->users.count);
    add_up(trace->page_first, npages);
    for (uint32_t i = 0; i < trace->naccesses; i++)
        trace->by_page[trace->page_first[trace->accesses[i].page]++] = i;
    /* Each has moved on to where the next one begins. */
    memmove(trace->page_first + 1, trace->page_first, npages * sizeof *trace->page_first);
    trace->page_first[0] = 0;
    return SCENT_OK;
}

struct trace_size trace_size(const struct trace *trace)
{
    struct trace_size size = {
        .users = trace->users.count, .pages = trace->pages.count, .accesses = trace->naccesses,
        .sessions = trace->nsessions, .idle = trace->idle, .keep_users = trace->keep_users,
    };

    for (uint32_t i = 0; i < trace->naccesses; i++) {
        int64_t time = trace->accesses[i].time;

        size.first = i == 0 || time < size.first ? time : size.first;
        size.last = time > size.last ? time : size.last;
    }
    return size;
}

const struct trace_counts *trace_counts(const struct trace *trace)
{
    return &trace->counts;
}

static uint64_t hash_names(const struct names *names, uint64_t seed)
{
    for (uint32_t i = 0; i < names->count; i++)
        seed = hash_str(names_at(names, i), seed);
    return seed;
}

uint64_t trace_fingerprint(const struct trace *trace)
{
    uint64_t print = hash_names(&trace->pages, hash_names(&trace->users, (uint64_t)trace->idle));

    for (uint32_t i = 0; i < trace->naccesses; i++) {
        const struct trace_access *access = &trace->accesses[i];
        const uint64_t fields[] = {(uint64_t)access->time, (uint64_t)access->user << 32 | access->page};

        print = hash_bytes(fields, sizeof fields, print);
    }
    return print;
}

struct str trace_url(const struct trace *trace, uint32_t page)
{
    return names_at(&trace->pages, page);
}

struct str trace_user_name(const struct trace *trace, uint32_t user)
{
    return names_at(&trace->users, user);
}

bool trace_find_page(const struct trace *trace, struct str href, uint32_t *page)
{
    return names_search(&trace->pages, href, page);
}

const struct trace_access *trace_at(const struct trace *trace, uint32_t position)
{
    SCENT_BUG_IF(position >= trace->naccesses);
    return &trace->accesses[position];
}

struct trace_range trace_of_user(const struct trace *trace, uint32_t user)
{
    SCENT_BUG_IF(user >= trace->users.count);
    return (struct trace_range){trace->user_first[user], trace->user_first[user + 1]};
}

const uint32_t *trace_of_page(const struct trace *trace, uint32_t page, uint32_t *count)
{
    SCENT_BUG_IF(page >= trace->pages.count);
    *count = trace->page_first[page + 1] - trace->page_first[page];
    return trace->by_page + trace->page_first[page];
}

struct trace_range trace_around(const struct trace *trace, uint32_t position, uint32_t before, uint32_t after)
{
    uint32_t session = trace_at(trace, position)->session;
    struct trace_range range = {position, position + 1};

    while (before-- && range.begin > 0 && trace->accesses[range.begin - 1].session == session)
        range.begin--;
    while (after-- && range.end < trace->naccesses && trace->accesses[range.end].session == session)
        range.end++;
    return range;
}
