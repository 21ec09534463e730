#include "engine/example.h"

#include <stdio.h>

void example_keep(struct rows *rows, uint32_t url, const struct text_vector *vector)
{
    struct str name = arena_printf(rows->arena, "example %lu", url + 1ul);
    struct str items = {(const char *)vector->items, vector->count * sizeof *vector->items};

    if (!name.p)
        rows->failed = true;
    else
        rows_set_value(rows, name.p, items);
}

scent_status example_load(struct store *store, uint32_t url, struct arena *arena, struct text_vector *out,
                          struct errmsg *err)
{
    char name[32];
    struct buf blob;
    scent_status status;

    *out = (struct text_vector){0};
    buf_init(&blob, 0);
    snprintf(name, sizeof name, "example %lu", url + 1ul);
    status = store_get(store, name, &blob, err);
    if (status == SCENT_OK) {
        out->count = blob.len / sizeof *out->items;
        out->items = arena_array(arena, out->count + 1, sizeof *out->items);
        if (!out->items)
            status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the value %s", name);
        else
            memcpy(out->items, blob.p, out->count * sizeof *out->items);
    }
    buf_release(&blob);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}
