#include "engine/rows.h"

void rows_init(struct rows *rows, struct arena *arena)
{
    *rows = (struct rows){.arena = arena};
}

/* Room for one more of `size` bytes: arrays double at powers of two, so no field holds their room. */
static void *make_room(struct rows *rows, void *items, size_t count, size_t size)
{
    void *grown = items;

    if (count >= 8 && (count & (count - 1)) == 0)
        grown = arena_grow(rows->arena, items, count * size, 2 * count * size);
    else if (count == 0)
        grown = arena_array(rows->arena, 8, size);
    if (!grown)
        rows->failed = true;
    return grown;
}

#define ROWS_APPEND(rows, field, n, value)                                                   \
    do {                                                                                     \
        void *grown_ = make_room(rows, (rows)->field, (rows)->n, sizeof *(rows)->field);     \
        if (grown_) {                                                                        \
            (rows)->field = grown_;                                                          \
            (rows)->field[(rows)->n++] = (value);                                            \
        }                                                                                    \
    } while (0)

void rows_add_host(struct rows *rows, uint32_t id, struct str name)
{
    ROWS_APPEND(rows, hosts, nhosts, ((struct rows_host){id, name}));
}

void rows_add_url(struct rows *rows, const struct store_url *url)
{
    ROWS_APPEND(rows, added, nadded, *url);
}

void rows_change_url(struct rows *rows, const struct store_url *url)
{
    ROWS_APPEND(rows, changed, nchanged, *url);
}

void rows_add_link(struct rows *rows, const struct store_link *link)
{
    ROWS_APPEND(rows, links, nlinks, *link);
}

void rows_change_host(struct rows *rows, const struct store_host *host)
{
    ROWS_APPEND(rows, host_changes, nhost_changes, *host);
}

void rows_put_robots(struct rows *rows, const struct store_robots *robots)
{
    ROWS_APPEND(rows, robots, nrobots, *robots);
}

void rows_put_name(struct rows *rows, const struct store_dns *name)
{
    ROWS_APPEND(rows, names, nnames, *name);
}

uint32_t rows_end_id(const struct rows *rows)
{
    uint32_t end = 0;

    for (size_t i = 0; i < rows->nadded; i++)
        if (rows->added[i].id >= end)
            end = rows->added[i].id + 1;
    return end;
}

void rows_set_value(struct rows *rows, const char *name, struct str value)
{
    ROWS_APPEND(rows, values, nvalues, ((struct rows_value){name, value}));
}

void rows_put_revisit(struct rows *rows, const struct store_revisit *revisit)
{
    ROWS_APPEND(rows, revisits, nrevisits, *revisit);
}

void rows_replace_page(struct rows *rows, uint64_t page, uint64_t by)
{
    ROWS_APPEND(rows, replaced, nreplaced, ((struct rows_replaced){page, by}));
}

bool rows_are_empty(const struct rows *rows)
{
    return rows->nhosts + rows->nadded + rows->nchanged + rows->nlinks + rows->nhost_changes + rows->nrobots +
               rows->nnames + rows->nvalues + rows->nrevisits + rows->nreplaced ==
           0;
}

static scent_status write_rest(const struct rows *rows, struct store *store, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < rows->nhost_changes && status == SCENT_OK; i++)
        status = store_update_host(store, &rows->host_changes[i], err);
    for (size_t i = 0; i < rows->nrobots && status == SCENT_OK; i++)
        status = store_put_robots(store, &rows->robots[i], err);
    for (size_t i = 0; i < rows->nnames && status == SCENT_OK; i++)
        status = store_put_dns(store, &rows->names[i], err);
    for (size_t i = 0; i < rows->nvalues && status == SCENT_OK; i++)
        status = store_set(store, rows->values[i].name, rows->values[i].value, err);
    return status;
}

static scent_status write_revisits(const struct rows *rows, struct store *store, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < rows->nrevisits && status == SCENT_OK; i++)
        status = store_put_revisit(store, &rows->revisits[i], err);
    for (size_t i = 0; i < rows->nreplaced && status == SCENT_OK; i++)
        status = store_replace_page(store, rows->replaced[i].page, rows->replaced[i].by, err);
    return status;
}

scent_status rows_write(const struct rows *rows, struct store *store, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < rows->nhosts && status == SCENT_OK; i++)
        status = store_add_host(store, rows->hosts[i].id, rows->hosts[i].name, err);
    for (size_t i = 0; i < rows->nadded && status == SCENT_OK; i++)
        status = store_add_url(store, &rows->added[i], err);
    for (size_t i = 0; i < rows->nchanged && status == SCENT_OK; i++)
        status = store_update_url(store, &rows->changed[i], err);
    if (status == SCENT_OK)
        status = write_rest(rows, store, err);
    if (status == SCENT_OK)
        status = write_revisits(rows, store, err);
    return status == SCENT_OK ? store_add_links(store, rows->links, rows->nlinks, err) : status;
}
