/* Accesses come in any order, under the names that logs give. At the end those of programs are dropped, users get their
 * pseudonyms, names are sorted and numbered anew, and the accesses after them. */
#include "base/buf.h"
#include "base/rng.h"
#include "base/vec.h"
#include "trace/trace_parts.h"
#include "warc/warc.h"

#include <stdlib.h>

void pseudonym_make(struct str key, struct str name, char out[PSEUDONYM_LEN])
{
    unsigned char digest[DIGEST_KEYED];

    digest_keyed(key, name, digest);
    escape_hex(digest, PSEUDONYM_LEN / 2, out);
}

#define NOBODY UINT32_MAX

void trace_builder_init(struct trace_builder *builder, const struct trace_options *options)
{
    uint64_t seed = rng_entropy();

    *builder = (struct trace_builder){.options = options};
    names_init(&builder->users, seed);
    names_init(&builder->pages, seed);
}

void trace_builder_release(struct trace_builder *builder)
{
    names_release(&builder->users);
    names_release(&builder->pages);
    free(builder->bots);
    free(builder->accesses);
}

/* The user's number; bots[] covers it. */
static scent_status add_user(struct trace_builder *builder, struct str name, uint32_t *out)
{
    SCENT_TRY(names_add(&builder->users, name, out));
    if (*out < builder->nbots)
        return SCENT_OK;
    if (!vec_reserve(&builder->bots, &builder->bots_room, *out + (size_t)1, sizeof *builder->bots))
        return SCENT_E_NOMEM;
    while (builder->nbots <= *out)
        builder->bots[builder->nbots++] = false;
    return SCENT_OK;
}

scent_status trace_builder_bot(struct trace_builder *builder, struct str user)
{
    uint32_t number;

    SCENT_TRY(add_user(builder, user, &number));
    builder->bots[number] = true;
    return SCENT_OK;
}

scent_status trace_builder_add(struct trace_builder *builder, int64_t time, struct str user, struct str href)
{
    struct trace_access access = {.time = time};

    if (builder->count >= builder->options->max_accesses || builder->count >= TRACE_ACCESSES_MAX)
        return SCENT_E_LIMIT;
    if (!vec_reserve(&builder->accesses, &builder->room, builder->count + 1, sizeof *builder->accesses))
        return SCENT_E_NOMEM;
    SCENT_TRY(add_user(builder, user, &access.user));
    SCENT_TRY(names_add(&builder->pages, href, &access.page));
    builder->accesses[builder->count++] = access;
    return SCENT_OK;
}

static void drop_bots(struct trace_builder *builder)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < builder->count; i++)
        if (!builder->bots[builder->accesses[i].user])
            builder->accesses[kept++] = builder->accesses[i];
    builder->counts.left[TRACE_LEFT_BOT] += builder->count - kept;
    builder->count = kept;
}

/* The user's name as the trace shall have it. */
static struct str shown_name(const struct trace_builder *builder, uint32_t user, char room[PSEUDONYM_LEN])
{
    struct str name = names_at(&builder->users, user);

    if (builder->options->keep_users)
        return name;
    pseudonym_make(builder->options->key, name, room);
    return (struct str){room, PSEUDONYM_LEN};
}

static int by_name(const void *a, const void *b, void *ctx)
{
    return str_cmp(names_at(ctx, *(const uint32_t *)a), names_at(ctx, *(const uint32_t *)b));
}

/* `out` gets the names of `from` whose map is not NOBODY, sorted; map[i] becomes the new number of i. */
static scent_status sort_names(const struct names *from, uint32_t *map, struct names *out)
{
    uint32_t *order = calloc((size_t)from->count + 1, sizeof *order), count = 0;
    scent_status status = SCENT_OK;

    if (!order)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < from->count; i++)
        if (map[i] != NOBODY)
            order[count++] = i;
    if (count > 1)
        qsort_r(order, count, sizeof *order, by_name, (void *)from);
    for (uint32_t k = 0; k < count && status == SCENT_OK; k++) {
        /* Two users under one pseudonym would be one user; the file has no name twice. */
        if (k == 0 || by_name(&order[k - 1], &order[k], (void *)from) != 0)
            status = names_append(out, names_at(from, order[k]));
        map[order[k]] = out->count - 1;
    }
    free(order);
    return status;
}

static scent_status rename_users(struct trace_builder *builder)
{
    char room[PSEUDONYM_LEN];
    scent_status status = SCENT_OK;
    struct names shown;

    names_init(&shown, builder->users.seed);
    for (uint32_t i = 0; i < builder->users.count && status == SCENT_OK; i++)
        status = names_append(&shown, shown_name(builder, i, room));
    names_release(&builder->users);
    builder->users = shown;
    return status;
}

/* Names that have accesses are numbered by their order, and the accesses accordingly. */
static scent_status renumber_accesses(struct trace_builder *builder, struct trace *trace)
{
    size_t nusers = builder->users.count, npages = builder->pages.count;
    uint32_t *users = malloc((nusers + npages + 1) * sizeof *users), *pages = users + nusers;
    scent_status status;

    if (!users)
        return SCENT_E_NOMEM;
    memset(users, 0xff, (nusers + npages) * sizeof *users); /* NOBODY */
    for (uint32_t i = 0; i < builder->count; i++)
        users[builder->accesses[i].user] = pages[builder->accesses[i].page] = 0;
    status = sort_names(&builder->users, users, &trace->users);
    if (status == SCENT_OK)
        status = sort_names(&builder->pages, pages, &trace->pages);
    for (uint32_t i = 0; i < builder->count && status == SCENT_OK; i++) {
        builder->accesses[i].user = users[builder->accesses[i].user];
        builder->accesses[i].page = pages[builder->accesses[i].page];
    }
    free(users);
    return status;
}

static int by_place(const void *a, const void *b)
{
    return trace_parts_order(a, b);
}

static scent_status fill_trace(struct trace_builder *builder, struct trace *trace)
{
    drop_bots(builder);
    SCENT_TRY(rename_users(builder));
    SCENT_TRY(renumber_accesses(builder, trace));
    trace->idle = builder->options->idle;
    trace->keep_users = builder->options->keep_users;
    trace->counts = builder->counts;
    trace->accesses = builder->accesses;
    trace->naccesses = builder->count;
    builder->accesses = NULL;
    if (trace->naccesses > 1)
        qsort(trace->accesses, trace->naccesses, sizeof *trace->accesses, by_place);
    return trace_parts_index(trace);
}

scent_status trace_builder_finish(struct trace_builder *builder, struct trace **out)
{
    struct trace *trace = trace_parts_new();
    scent_status status = fill_trace(builder, trace);

    if (status == SCENT_OK)
        *out = trace;
    else
        trace_free(trace);
    return status;
}

/* ---- a part of traces ---- */

static void add_counts(struct trace_counts *sum, const struct trace_counts *counts)
{
    sum->files += counts->files;
    sum->lines += counts->lines;
    sum->backwards += counts->backwards;
    sum->unknown += counts->unknown;
    sum->damaged += counts->damaged;
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        sum->left[i] += counts->left[i];
}

static scent_status add_accesses(struct trace_builder *builder, const struct trace *trace, const struct trace_cut *cut)
{
    for (uint32_t i = 0; i < trace->naccesses; i++) {
        const struct trace_access *access = &trace->accesses[i];
        struct str name = names_at(&trace->pages, access->page);

        if (access->time < cut->from || access->time >= cut->until)
            continue;
        if (cut->name)
            name = cut->name(cut->ctx, name);
        if (name.len)
            SCENT_TRY(trace_builder_add(builder, access->time, names_at(&trace->users, access->user), name));
    }
    return SCENT_OK;
}

scent_status trace_part(const struct trace *const *traces, size_t count, const struct trace_cut *cut,
                        struct trace **out, struct errmsg *err)
{
    /* The users have the names that they shall have. */
    struct trace_options options = {.keep_users = true, .max_accesses = TRACE_ACCESSES_MAX};
    bool keep_users = false;
    struct trace_builder builder;
    scent_status status = SCENT_OK;

    *out = NULL;
    if (count)
        options.idle = traces[0]->idle;
    trace_builder_init(&builder, &options);
    for (size_t i = 0; i < count && status == SCENT_OK; i++) {
        add_counts(&builder.counts, &traces[i]->counts);
        keep_users |= traces[i]->keep_users;
        status = add_accesses(&builder, traces[i], cut);
    }
    if (status == SCENT_OK)
        status = trace_builder_finish(&builder, out);
    if (status == SCENT_OK)
        (*out)->keep_users = keep_users;
    else
        errmsg_fail(err, status, "there is no memory for a part of the trace");
    trace_builder_release(&builder);
    return status;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

int64_t trace_time_at(const struct trace *trace, double share)
{
    uint32_t n = trace->naccesses, at = (uint32_t)(share * n);
    int64_t *times, time;

    if (at >= n)
        return INT64_MAX;
    times = malloc(n * sizeof *times);
    SCENT_BUG_IF(!times);
    for (uint32_t i = 0; i < n; i++)
        times[i] = trace->accesses[i].time;
    qsort(times, n, sizeof *times, by_time);
    time = times[at];
    free(times);
    return time;
}
