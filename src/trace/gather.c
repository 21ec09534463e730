#include "trace/gather.h"

#include "base/vec.h"
#include "trace/pseudonym.h"

#include <stdlib.h>
#include <sys/random.h>

#define NOBODY UINT32_MAX

static uint64_t draw_seed(void)
{
    uint64_t seed = 0;

    SCENT_BUG_IF(getrandom(&seed, sizeof seed, 0) != sizeof seed);
    return seed;
}

void gather_init(struct gather *gather, const struct trace_options *options)
{
    uint64_t seed = draw_seed();

    *gather = (struct gather){.options = options};
    names_init(&gather->users, seed);
    names_init(&gather->pages, seed);
}

void gather_release(struct gather *gather)
{
    names_release(&gather->users);
    names_release(&gather->pages);
    free(gather->bots);
    free(gather->accesses);
}

/* The user's number; bots[] covers it. */
static scent_status add_user(struct gather *gather, struct str name, uint32_t *out)
{
    scent_status status = names_add(&gather->users, name, out);

    if (status == SCENT_OK && *out >= gather->bots_room) {
        uint32_t room = gather->users.room;
        bool *bots = realloc(gather->bots, room * sizeof *bots);

        if (!bots)
            return SCENT_E_NOMEM;
        memset(bots + gather->bots_room, 0, (room - gather->bots_room) * sizeof *bots);
        gather->bots = bots;
        gather->bots_room = room;
    }
    return status;
}

scent_status gather_bot(struct gather *gather, struct str user)
{
    uint32_t number;
    scent_status status = add_user(gather, user, &number);

    if (status == SCENT_OK)
        gather->bots[number] = true;
    return status;
}

scent_status gather_add(struct gather *gather, int64_t time, struct str user, struct str href)
{
    struct trace_access access = {.time = time};
    scent_status status;

    if (gather->count >= gather->options->max_accesses || gather->count >= TRACE_ACCESSES_MAX)
        return SCENT_E_LIMIT;
    if (!vec_reserve(&gather->accesses, &gather->room, gather->count + 1, sizeof *gather->accesses))
        return SCENT_E_NOMEM;
    status = add_user(gather, user, &access.user);
    if (status == SCENT_OK)
        status = names_add(&gather->pages, href, &access.page);
    if (status == SCENT_OK)
        gather->accesses[gather->count++] = access;
    return status;
}

static void drop_bots(struct gather *gather)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < gather->count; i++)
        if (!gather->bots[gather->accesses[i].user])
            gather->accesses[kept++] = gather->accesses[i];
    gather->counts.left[TRACE_LEFT_BOT] += gather->count - kept;
    gather->count = kept;
}

/* The user's name as the trace shall have it. */
static struct str shown_name(const struct gather *gather, uint32_t user, char room[PSEUDONYM_LEN])
{
    struct str name = names_at(&gather->users, user);

    if (gather->options->keep_users)
        return name;
    pseudonym_make(gather->options->key, name, room);
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
    scent_status status = order ? SCENT_OK : SCENT_E_NOMEM;

    for (uint32_t i = 0; order && i < from->count; i++)
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

static scent_status rename_users(struct gather *gather)
{
    char room[PSEUDONYM_LEN];
    scent_status status = SCENT_OK;
    struct names shown;

    names_init(&shown, gather->users.seed);
    for (uint32_t i = 0; i < gather->users.count && status == SCENT_OK; i++)
        status = names_append(&shown, shown_name(gather, i, room));
    names_release(&gather->users);
    gather->users = shown;
    return status;
}

static uint32_t *new_map(uint32_t count)
{
    uint32_t *map = malloc(((size_t)count + 1) * sizeof *map);

    if (map)
        memset(map, 0xff, ((size_t)count + 1) * sizeof *map); /* NOBODY */
    return map;
}

/* Names that have accesses are numbered by their order, and the accesses accordingly. */
static scent_status renumber(struct gather *gather, struct trace *trace)
{
    uint32_t *users = new_map(gather->users.count), *pages = new_map(gather->pages.count);
    scent_status status = users && pages ? SCENT_OK : SCENT_E_NOMEM;

    for (uint32_t i = 0; i < gather->count && status == SCENT_OK; i++)
        users[gather->accesses[i].user] = pages[gather->accesses[i].page] = 0;
    if (status == SCENT_OK)
        status = sort_names(&gather->users, users, &trace->users);
    if (status == SCENT_OK)
        status = sort_names(&gather->pages, pages, &trace->pages);
    for (uint32_t i = 0; i < gather->count && status == SCENT_OK; i++) {
        gather->accesses[i].user = users[gather->accesses[i].user];
        gather->accesses[i].page = pages[gather->accesses[i].page];
    }
    free(users);
    free(pages);
    return status;
}

static int by_place(const void *a, const void *b)
{
    return trace_parts_order(a, b);
}

scent_status gather_finish(struct gather *gather, struct trace **out)
{
    struct trace *trace = trace_parts_new();
    scent_status status;

    drop_bots(gather);
    status = rename_users(gather);
    if (status == SCENT_OK)
        status = renumber(gather, trace);
    if (status != SCENT_OK) {
        trace_free(trace);
        return status;
    }
    trace->idle = gather->options->idle;
    trace->keep_users = gather->options->keep_users;
    trace->counts = gather->counts;
    trace->accesses = gather->accesses;
    trace->naccesses = gather->count;
    gather->accesses = NULL;
    if (trace->naccesses > 1)
        qsort(trace->accesses, trace->naccesses, sizeof *trace->accesses, by_place);
    status = trace_parts_index(trace);
    if (status == SCENT_OK)
        *out = trace;
    else
        trace_free(trace);
    return status;
}
