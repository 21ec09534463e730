/* note - the small files of a crawl directory that people read: topic.yaml, run.json, index.cdxj. */
#include "engine/crawl.h"

#include "base/file.h"
#include "engine/cdxindex.h"
#include "json/json.h"

#include <stdio.h>

static scent_status write_file(const struct crawl *crawl, const char *name, struct str content, struct errmsg *err)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", crawl->options->dir, name);
    return file_replace(path, content, err);
}

scent_status crawl_note_start(struct crawl *crawl, struct errmsg *err)
{
    return write_file(crawl, "topic.yaml", crawl->topic->source, err);
}

/* ---- run.json ---- */

static const char *end_text(enum engine_end end)
{
    static const char *const texts[] = {"limit", "exhausted", "below threshold", "no seed", "interrupted"};

    return texts[end];
}

static void write_cpu(struct json_writer *w, const struct engine_cpu *cpu)
{
    const struct {
        const char *name;
        double ms;
    } stages[] = {
        {"fetch", cpu->fetch}, {"source", cpu->source}, {"analyse", cpu->analyse}, {"judge", cpu->judge},
        {"engine", cpu->engine}, {"warc", cpu->warc},     {"store", cpu->store},
    };

    json_key(w, "cpu_ms");
    json_object_begin(w);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        json_put_double(w, stages[i].name, stages[i].ms);
    json_object_end(w);
}

static void write_reuse(struct json_writer *w, const struct topic *topic)
{
    if (!topic->nreuse)
        return;
    json_key(w, "reuse");
    json_array_begin(w);
    for (size_t i = 0; i < topic->nreuse; i++) {
        json_object_begin(w);
        json_put_str(w, "from", topic->reuse[i].from);
        json_put_double(w, "weight", topic->reuse[i].weight);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_run(const struct crawl *crawl, const struct engine_report *report, struct buf *out)
{
    const struct engine_progress *totals = &report->totals;
    struct json_writer w;
    char when[32];

    clock_format_iso(clock_wall(crawl->options->clock), when, sizeof when);
    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_str(&w, "version", str_of(SCENT_VERSION));
    json_put_str(&w, "ended", str_of(when));
    json_put_str(&w, "end", str_of(end_text(report->end)));
    json_put_str(&w, "topic", crawl->topic->name);
    json_put_str(&w, "strategy", str_of(steer_strategy(crawl->steer)->ops->name));
    json_key(&w, "options");
    json_object_begin(&w);
    for (size_t i = 0; i < crawl->topic->noptions; i++) {
        char key[128];

        snprintf(key, sizeof key, "%.*s", STR_ARG(crawl->topic->options[i].key));
        json_put_str(&w, key, crawl->topic->options[i].value);
    }
    json_object_end(&w);
    write_reuse(&w, crawl->topic);
    json_put_int(&w, "seed", crawl->seed);
    json_put_int(&w, "window", crawl->topic->window);
    json_put_int(&w, "pages", totals->pages);
    json_put_int(&w, "new_pages", totals->new_pages);
    json_put_int(&w, "revisits", totals->revisits);
    json_put_int(&w, "changes", totals->changes);
    json_put_int(&w, "relevant", totals->relevant);
    json_put_int(&w, "failed", totals->failed);
    json_put_int(&w, "known_urls", totals->known);
    json_put_double(&w, "seconds", (double)totals->elapsed_us / 1e6);
    write_cpu(&w, &report->cpu);
    json_object_end(&w);
}

/* Each run is a value of the store ("run 3"); run.json is all of them. */
static scent_status save_run(struct crawl *crawl, struct str run, struct buf *all, struct errmsg *err)
{
    char name[32];
    scent_status status = SCENT_OK;
    size_t number = 0;

    buf_addz(all, "{\"runs\":[\n");
    for (;; number++) {
        snprintf(name, sizeof name, "run %zu", number + 1);
        status = store_get(crawl->store, name, all, err);
        if (status != SCENT_OK)
            break;
        buf_addz(all, ",\n");
    }
    if (status != SCENT_E_NOTFOUND)
        return status;
    buf_add(all, run);
    buf_addz(all, "\n]}\n");
    status = store_begin(crawl->store, err);
    if (status == SCENT_OK)
        status = store_set(crawl->store, name, run, err);
    return status == SCENT_OK ? store_commit(crawl->store, err) : status;
}

static scent_status note_run(struct crawl *crawl, const struct engine_report *report, struct errmsg *err)
{
    struct buf run, all;
    scent_status status;

    buf_init(&run, 0);
    buf_init(&all, 0);
    write_run(crawl, report, &run);
    status = save_run(crawl, buf_str(&run), &all, err);
    if (status == SCENT_OK)
        status = write_file(crawl, "run.json", buf_str(&all), err);
    buf_release(&run);
    buf_release(&all);
    return status;
}

scent_status crawl_note_end(struct crawl *crawl, const struct engine_report *report, struct errmsg *err)
{
    scent_status status = note_run(crawl, report, err);

    return status == SCENT_OK ? cdxindex_write(crawl->store, crawl->options->dir, err) : status;
}
