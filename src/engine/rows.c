#include "engine/rows.h"

#include "base/vec.h"
#include "cluster/cluster.h"

#include <stdatomic.h>
#include <stdlib.h>

void rows_init(struct rows *rows, struct arena *arena)
{
    *rows = (struct rows){.arena = arena};
}

void *rows_make_room(struct rows *rows, void *items, size_t count, size_t size)
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

uint32_t rows_end_id(const struct rows *rows)
{
    uint32_t end = 0;

    for (size_t i = 0; i < rows->nadded; i++)
        if (rows->added[i].id >= end)
            end = rows->added[i].id + 1;
    return end;
}

bool rows_are_empty(const struct rows *rows)
{
    return rows->nhosts + rows->nadded + rows->nchanged + rows->nlinks + rows->nhost_changes + rows->nrobots +
               rows->nnames + rows->nvalues + rows->njudges + rows->nrevisits + rows->nreplaced +
               rows->nasked + rows->nrequisites + rows->nsent + rows->nplaces + rows->nlost == 0 &&
           !rows->set_back;
}

/* ---- partitions that another worker has taken ---- */

struct unsent {
    uint32_t part;
    bool links;
    uint64_t *pages;
    size_t count, room;
    struct unsent_links {
        uint64_t id; /* of the outgoing row */
        struct buf links;
    } *rows;
    size_t nrows, rows_room;
    uint64_t counted;
};

/* Pages that stand in other partitions may lead to these URLs: who has this one now must hear of them. */
static bool keep_link(struct unsent *unsent, uint64_t id, const struct batch_url *url)
{
    struct batch_link link = {
        .priority = url->priority,
        .depth = url->depth,
        .off_domain = url->off_domain,
        .redirects = url->redirects,
        .seed = url->seed,
        .url = url->url,
    };

    memcpy(link.own, url->own, sizeof link.own);
    if (!unsent->nrows || unsent->rows[unsent->nrows - 1].id != id) {
        if (!vec_reserve(&unsent->rows, &unsent->rows_room, unsent->nrows + 1, sizeof *unsent->rows))
            return false;
        unsent->rows[unsent->nrows].id = id;
        buf_init(&unsent->rows[unsent->nrows++].links, 0);
    }
    batch_put_link(&unsent->rows[unsent->nrows - 1].links, &link);
    return !unsent->rows[unsent->nrows - 1].links.failed;
}

static scent_status collect_unsent(void *ctx, const struct store_outgoing *row)
{
    struct unsent *unsent = ctx;
    struct bytes in = bytes_of(row->body);
    struct batch_state state;

    if (row->kind != CLUSTER_STATE || row->part != unsent->part)
        return SCENT_OK;
    while (batch_get_state(&in, STORE_URL_STATES, &state)) {
        if (unsent->links && state.kind == BATCH_URL && state.url.url.len && state.url.state == STORE_QUEUED &&
            !keep_link(unsent, row->id, &state.url))
            return SCENT_E_NOMEM;
        if (state.kind != BATCH_PAGE)
            continue;
        if (!vec_reserve(&unsent->pages, &unsent->room, unsent->count + 1, sizeof *unsent->pages))
            return SCENT_E_NOMEM;
        unsent->pages[unsent->count++] = state.page.number;
        unsent->counted += state.page.counted && !state.page.again;
    }
    return SCENT_OK;
}

/* Pages whose state was not sent are fetched again by who has the partition: they are in no collection here. */
static scent_status cancel_part(const struct rows_lost *lost, struct store *store, struct errmsg *err)
{
    struct unsent unsent = {.part = lost->part, .links = lost->links};
    scent_status status = store_each_outgoing(store, lost->mark, collect_unsent, &unsent, err);

    for (size_t i = 0; i < unsent.count && status == SCENT_OK; i++)
        status = store_disown_page(store, unsent.pages[i], STR(STEER_FOREIGN), err);
    if (status == SCENT_OK)
        status = store_cancel_outgoing(store, CLUSTER_STATE, lost->part, lost->mark, err);
    for (size_t i = 0; i < unsent.nrows; i++) {
        struct store_outgoing row = {.id = unsent.rows[i].id, .kind = CLUSTER_LINKS, .part = lost->part,
                                     .body = buf_str(&unsent.rows[i].links)};

        if (status == SCENT_OK)
            status = store_add_outgoing(store, &row, err);
        buf_release(&unsent.rows[i].links);
    }
    free(unsent.rows);
    free(unsent.pages);
    if (status == SCENT_OK)
        atomic_fetch_add(lost->disowned, unsent.counted);
    return status;
}

scent_status rows_write(const struct rows *rows, struct store *store, struct errmsg *err)
{
    for (size_t i = 0; i < rows->nhosts; i++)
        SCENT_TRY(store_add_host(store, rows->hosts[i].id, rows->hosts[i].name, err));
    for (size_t i = 0; i < rows->nadded; i++)
        SCENT_TRY(store_add_url(store, &rows->added[i], err));
    for (size_t i = 0; i < rows->nchanged; i++)
        SCENT_TRY(store_update_url(store, &rows->changed[i], err));
    for (size_t i = 0; i < rows->nhost_changes; i++)
        SCENT_TRY(store_update_host(store, &rows->host_changes[i], err));
    for (size_t i = 0; i < rows->nrobots; i++)
        SCENT_TRY(store_put_robots(store, &rows->robots[i], err));
    for (size_t i = 0; i < rows->nnames; i++)
        SCENT_TRY(store_put_dns(store, &rows->names[i], err));
    for (size_t i = 0; i < rows->nvalues; i++)
        SCENT_TRY(store_set(store, rows->values[i].name, rows->values[i].value, err));
    for (size_t i = 0; i < rows->njudges; i++)
        SCENT_TRY(store_add_judge(store, &rows->judges[i], err));
    if (rows->set_back)
        SCENT_TRY(store_advance_revisits(store, rows->set_back, err));
    for (size_t i = 0; i < rows->nrevisits; i++)
        SCENT_TRY(store_put_revisit(store, &rows->revisits[i], err));
    for (size_t i = 0; i < rows->nimported; i++)
        SCENT_TRY(store_import_revisit(store, &rows->imported[i].revisit,
                                       rows->imported[i].page.number ? &rows->imported[i].page : NULL, err));
    for (size_t i = 0; i < rows->nreplaced; i++)
        SCENT_TRY(store_replace_page(store, rows->replaced[i].page, rows->replaced[i].by, err));
    for (size_t i = 0; i < rows->nasked; i++)
        SCENT_TRY(store_set_page_robots(store, rows->asked[i].page, rows->asked[i].robots, err));
    for (size_t i = 0; i < rows->nrequisites; i++)
        SCENT_TRY(store_add_requisite(store, &rows->requisites[i], err));
    for (size_t i = 0; i < rows->ndisowned; i++)
        SCENT_TRY(store_disown_url(store, rows->disowned[i], STR(STEER_FOREIGN), err));
    for (size_t i = 0; i < rows->nlost; i++)
        SCENT_TRY(cancel_part(&rows->lost[i], store, err));
    for (size_t i = 0; i < rows->noutgoing; i++)
        SCENT_TRY(store_add_outgoing(store, &rows->outgoing[i], err));
    for (size_t i = 0; i < rows->nplaces; i++)
        SCENT_TRY(store_put_place(store, &rows->places[i], err));
    return store_add_links(store, rows->links, rows->nlinks, err);
}
