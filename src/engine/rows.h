/* rows - what one step of a crawl adds to the store: collected in the step's arena, written by the writer.
 *
 * The strings lie in the same arena. A failed allocation sets `failed`; nothing more is added then. */
#ifndef SCENT_ENGINE_ROWS_H
#define SCENT_ENGINE_ROWS_H

#include "base/arena.h"
#include "cluster/batch.h"
#include "store/store.h"

/* The reason of a URL that is another worker's. */
#define STEER_FOREIGN "another worker visits it"

struct rows {
    struct arena *arena;
    struct rows_host {
        uint32_t id;
        struct str name;
    } *hosts;
    struct store_url *added;   /* rows that are new */
    struct store_url *changed; /* rows that exist (or stand in `added` before) */
    struct store_link *links;
    struct store_requisite *requisites;
    struct store_host *host_changes; /* what became of hosts */
    struct store_robots *robots;
    struct store_dns *names;
    struct rows_value {
        const char *name;
        struct str value;
    } *values;
    struct store_judge *judges;
    int64_t set_back; /* the clock was, by so much: what was planned before is due earlier */
    struct store_revisit *revisits;
    struct rows_replaced {
        uint64_t page, by;
    } *replaced; /* pages that have a newer version */
    struct rows_asked {
        uint64_t page;
        uint8_t robots;
    } *asked; /* pages that ask for something else */
    struct rows_sent {
        uint32_t part;
        struct batch_link link;
    } *sent; /* links that are other workers' */
    struct store_outgoing *outgoing; /* what is made of them */
    size_t page_outgoing; /* 1 + index of the one that gets the record of the page, with its place; 0: none */
    struct rows_lost {
        uint32_t part;
        uint64_t mark; /* outgoing rows behind this one were not sent */
        bool links; /* others stay ours: what their pages lead to in this one is not found again */
        _Atomic uint64_t *disowned; /* raised by the pages that do not count any more */
    } *lost; /* partitions whose state is not ours to write any more: what was not sent did not happen */
    uint32_t *disowned; /* URLs there of which the others know nothing: they are `seen`; those with pages by these */
    struct rows_imported {
        struct store_revisit revisit;
        struct store_page page; /* number 0: none */
    } *imported; /* pages that former owners of partitions have fetched */
    struct store_place *places;
    size_t nhosts, nadded, nchanged, nlinks, nhost_changes, nrobots, nnames, nrevisits, nreplaced, nasked, nvalues,
        njudges, nrequisites, nsent, noutgoing, nplaces, nlost, ndisowned, nimported;
    bool failed;
};

void rows_init(struct rows *rows, struct arena *arena);

/* ROWS_ADD(rows, links, link) appends to one of the arrays. They double at powers of two, so no member holds their
 * room. */
#define ROWS_ADD(rows, field, value)                                                                       \
    do {                                                                                                   \
        void *grown_ = rows_make_room(rows, (rows)->field, (rows)->n##field, sizeof *(rows)->field);       \
        if (grown_) {                                                                                      \
            (rows)->field = grown_;                                                                        \
            (rows)->field[(rows)->n##field++] = (value);                                                   \
        }                                                                                                  \
    } while (0)
void *rows_make_room(struct rows *rows, void *items, size_t count, size_t size);

/* After the largest id of the new URLs; 0: there are none. */
uint32_t rows_end_id(const struct rows *rows);
bool rows_are_empty(const struct rows *rows);

/* Writes everything, in an order that respects references. Inside a transaction. */
SCENT_NODISCARD scent_status rows_write(const struct rows *rows, struct store *store, struct errmsg *err);

#endif
