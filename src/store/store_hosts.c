/* What a crawl must know of hosts, names and fetched URLs to go on being polite after a restart. */
#include "store/store_row.h"

scent_status store_update_host(struct store *store, const struct store_host *host, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_UPDATE_HOST, err);

    if (status != SCENT_OK)
        return status;
    row_add_int(&row, host->delay_us);
    row_add_int(&row, host->not_before);
    row_add_int(&row, host->failures);
    row_add_optional(&row, host->ip);
    row_add_int(&row, host->pages);
    row_add_int(&row, row_id(host->id));
    status = row_end(&row, err);
    if (status == SCENT_OK && sqlite3_changes64(store->db) != 1)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s has no host row %lu", store->path, host->id + 1ul);
    return status;
}

/* ---- robots ---- */

scent_status store_put_robots(struct store *store, const struct store_robots *robots, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_PUT_ROBOTS, err);

    if (status != SCENT_OK)
        return status;
    row_add_int(&row, row_id(robots->host));
    row_add_int(&row, robots->secure);
    row_add_int(&row, robots->fetched);
    row_add_int(&row, robots->expires);
    row_add_int(&row, robots->status);
    row_add_blob(&row, robots->rules);
    return row_end(&row, err);
}

struct robots_caller {
    store_robots_fn *fn;
    void *ctx;
};

static scent_status robots_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct robots_caller *caller = ctx;
    struct store_robots robots = {.host = column_id(row, 0),
                                  .secure = sqlite3_column_int(row, 1),
                                  .fetched = sqlite3_column_int64(row, 2),
                                  .expires = sqlite3_column_int64(row, 3),
                                  .status = sqlite3_column_int(row, 4),
                                  .rules = column_str(row, 5)};

    (void)err;
    return caller->fn(caller->ctx, &robots);
}

scent_status store_each_robots(struct store *store, store_robots_fn *fn, void *ctx, struct errmsg *err)
{
    struct robots_caller caller = {fn, ctx};

    return row_walk_all(store, SCHEMA_EACH_ROBOTS, robots_row, &caller, err);
}

/* ---- dns ---- */

scent_status store_put_dns(struct store *store, const struct store_dns *dns, struct errmsg *err)
{
    struct row row;
    scent_status status = row_start(&row, store, SCHEMA_PUT_DNS, err);

    if (status != SCENT_OK)
        return status;
    row_add_text(&row, dns->name);
    row_add_optional(&row, dns->addresses);
    row_add_int(&row, dns->expires);
    row_add_optional(&row, dns->failure);
    return row_end(&row, err);
}

struct dns_caller {
    store_dns_fn *fn;
    void *ctx;
};

static scent_status dns_row(void *ctx, sqlite3_stmt *row, struct errmsg *err)
{
    struct dns_caller *caller = ctx;
    struct store_dns dns = {.name = column_str(row, 0),
                            .addresses = column_str(row, 1),
                            .expires = sqlite3_column_int64(row, 2),
                            .failure = column_str(row, 3)};

    (void)err;
    return caller->fn(caller->ctx, &dns);
}

scent_status store_each_dns(struct store *store, store_dns_fn *fn, void *ctx, struct errmsg *err)
{
    struct dns_caller caller = {fn, ctx};

    return row_walk_all(store, SCHEMA_EACH_DNS, dns_row, &caller, err);
}
