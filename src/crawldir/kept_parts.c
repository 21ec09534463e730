#include "crawldir/kept_parts.h"

#include "crawldir/crawldir.h"

#include <math.h>

scent_status kept_parts_names(struct store *store, struct parts_names *names, struct errmsg *err)
{
    struct buf bytes;
    scent_status status;

    buf_init(&bytes, 0);
    status = store_get(store, CRAWLDIR_PARTS, &bytes, err);
    parts_names_read(names, buf_str(&bytes));
    buf_release(&bytes);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

void kept_parts_write(struct json_writer *w, const struct strategy_score *score)
{
    json_key(w, "parts");
    json_array_begin(w);
    for (unsigned i = 0; i < score->nparts; i++) {
        const struct strategy_part *part = &score->parts[i];

        json_object_begin(w);
        json_put_str(w, "name", str_of(part->name));
        json_put_double(w, "value", part->value);
        if (part->is_log)
            json_put_double(w, "ratio", exp(part->value));
        if (part->counted && part->of) {
            json_put_int(w, "count", part->count);
            json_put_int(w, "of", part->of);
            json_put_str(w, "counted", str_of(part->counted));
        }
        if (part->weight != 0)
            json_put_double(w, "weight", (double)part->weight);
        json_object_end(w);
    }
    json_array_end(w);
}
