#include "crawldir/runs.h"

#include "base/file.h"
#include "crawldir/crawldir.h"

#include <stdio.h>

#define FILE_NAME "run.json"
enum { FILE_MAX = 64 << 20 };

static scent_status add_run(struct store *store, struct str run, struct buf *all, struct errmsg *err)
{
    char name[32];
    scent_status status = SCENT_OK;

    buf_addz(all, "{\"runs\":[\n");
    for (size_t number = 1; status == SCENT_OK; number++) {
        snprintf(name, sizeof name, "run %zu", number);
        status = store_get(store, name, all, err);
        if (status == SCENT_OK)
            buf_addz(all, ",\n");
    }
    if (status != SCENT_E_NOTFOUND)
        return status;
    buf_add(all, run);
    buf_addz(all, "\n]}\n");
    SCENT_TRY(store_begin(store, err));
    SCENT_TRY(store_set(store, name, run, err));
    return store_commit(store, err);
}

scent_status runs_add(struct store *store, const char *dir, struct str run, struct errmsg *err)
{
    struct buf all;
    scent_status status;

    buf_init(&all, 0);
    status = add_run(store, run, &all, err);
    if (status == SCENT_OK)
        status = crawldir_replace(dir, FILE_NAME, buf_str(&all), err);
    buf_release(&all);
    return status;
}

const struct json *runs_last(const char *dir, struct json **root)
{
    const struct json *runs = NULL;
    struct buf text;

    *root = NULL;
    buf_init(&text, FILE_MAX);
    if (file_read(crawldir_path(dir, FILE_NAME).text, &text, NULL) == SCENT_OK &&
        json_parse(buf_str(&text), root, NULL) == SCENT_OK)
        runs = json_get(*root, "runs");
    buf_release(&text);
    return json_count(runs) ? json_at(runs, json_count(runs) - 1) : NULL;
}
