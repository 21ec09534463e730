/* rows - what one step of a crawl adds to the store: collected in the step's arena, written by the writer.
 *
 * The strings lie in the same arena. A failed allocation sets `failed`; nothing more is added then. */
#ifndef SCENT_ENGINE_ROWS_H
#define SCENT_ENGINE_ROWS_H

#include "base/arena.h"
#include "store/store.h"

struct rows_host {
    uint32_t id;
    struct str name;
};

struct rows_value {
    const char *name;
    struct str value;
};

struct rows {
    struct arena *arena;
    struct rows_host *hosts;
    struct store_url *added;   /* rows that are new */
    struct store_url *changed; /* rows that exist (or stand in `added` before) */
    struct store_link *links;
    struct store_host *host_changes; /* what became of hosts */
    struct store_robots *robots;
    struct store_dns *names;
    struct rows_value *values;
    struct store_revisit *revisits;
    struct rows_replaced {
        uint64_t page, by;
    } *replaced; /* pages that have a newer version */
    size_t nhosts, nadded, nchanged, nlinks, nhost_changes, nrobots, nnames, nrevisits, nreplaced, nvalues;
    bool failed;
};

void rows_init(struct rows *rows, struct arena *arena);
void rows_add_host(struct rows *rows, uint32_t id, struct str name);
void rows_add_url(struct rows *rows, const struct store_url *url);
void rows_change_url(struct rows *rows, const struct store_url *url);
void rows_add_link(struct rows *rows, const struct store_link *link);
void rows_change_host(struct rows *rows, const struct store_host *host);
void rows_put_robots(struct rows *rows, const struct store_robots *robots);
void rows_put_revisit(struct rows *rows, const struct store_revisit *revisit);
void rows_replace_page(struct rows *rows, uint64_t page, uint64_t by);
void rows_put_name(struct rows *rows, const struct store_dns *name);
/* After the largest id of the new URLs; 0: there are none. */
uint32_t rows_end_id(const struct rows *rows);
void rows_set_value(struct rows *rows, const char *name, struct str value);
bool rows_are_empty(const struct rows *rows);

/* Writes everything, in an order that respects references. Inside a transaction. */
SCENT_NODISCARD scent_status rows_write(const struct rows *rows, struct store *store, struct errmsg *err);

#endif
