#include "crawldir/learned.h"

#include "base/bytes.h"
#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 255, COUNTS_CAP = 1 << 20 };
#define FILE_CAP ((size_t)1 << 32)
#define SUFFIX ".learned"
#define QUERY_COUNTS "query.census"

static const struct frame frame = {
    .magic = "scentlrn",
    .version = 1,
    .seed = 0x6c726e,
    .thing = "learned file",
    .foreign = "name a crawl directory, or a file of its folder 'learned'",
    .again = "run its crawl once more, which writes it anew",
};

/* ---- what a crawl begins with ---- */

struct crawldir_path learned_path(const char *dir, const char *name)
{
    struct crawldir_path path;

    snprintf(path.text, sizeof path.text, "%s/" CRAWLDIR_LEARNED "/%s", dir, name);
    return path;
}

scent_status learned_make_folder(const char *dir, struct errmsg *err)
{
    return crawldir_make_folder(dir, CRAWLDIR_LEARNED, err);
}

scent_status learned_begin(const struct learned_ops *ops, void *ctx, const char *dir, bool keep, struct errmsg *err)
{
    struct crawldir_path own = learned_path(dir ? dir : "", ops->name);
    scent_status status = dir ? ops->load(ctx, own.text, err) : SCENT_E_NOTFOUND;

    if (status == SCENT_OK && ops->compare)
        ops->compare(ctx, own.text);
    if (status != SCENT_E_NOTFOUND || (dir && !keep))
        return status;
    SCENT_TRY(ops->find(ctx, err));
    if (!dir)
        return SCENT_OK;
    SCENT_TRY(learned_make_folder(dir, err));
    return ops->save(ctx, own.text, err);
}

/* ---- the file ---- */

scent_status learned_write(const struct learned_origin *origin, struct str blob, struct buf *out)
{
    size_t begin = frame_begin(&frame, out);

    bytes_put_str(out, origin->strategy, 1);
    bytes_put_str(out, origin->topic, 1);
    bytes_put(out, origin->pages, 8);
    bytes_put(out, origin->relevant, 8);
    bytes_put_str(out, blob, 8);
    return frame_end(&frame, out, begin);
}

scent_status learned_load(const char *path, struct buf *out, struct errmsg *err)
{
    return frame_load(&frame, path, out, err);
}

scent_status learned_read(struct str file, const char *name, struct learned_origin *origin, struct str *blob,
                          struct errmsg *err)
{
    struct bytes in;

    SCENT_TRY(frame_open(&frame, file, name, &in, err));
    origin->strategy = bytes_get_str(&in, 1, NAME_MAX_BYTES);
    origin->topic = bytes_get_str(&in, 1, NAME_MAX_BYTES);
    origin->pages = bytes_get(&in, 8);
    origin->relevant = bytes_get(&in, 8);
    *blob = bytes_get_str(&in, 8, SIZE_MAX);
    return frame_close(&frame, &in, name, err);
}

/* ---- keeping ---- */

static struct crawldir_path strategy_path(const char *dir, const struct strategy *strategy)
{
    char name[NAME_MAX_BYTES + 1];

    snprintf(name, sizeof name, "%s" SUFFIX, strategy->ops->name);
    return learned_path(dir, name);
}

static scent_status keep_strategy(const struct strategy *strategy, const char *dir, const struct learned_origin *origin,
                                  struct errmsg *err)
{
    struct crawldir_path path = strategy_path(dir, strategy);
    scent_status status;
    struct buf blob, file;

    buf_init(&blob, 0);
    buf_init(&file, FILE_CAP); /* what could not be read again is not written */
    status = strategy->ops->learned(strategy->state, &blob);
    if (status == SCENT_OK)
        status = learned_write(origin, buf_str(&blob), &file);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "%s: there is no memory to write what was learned", path.text);
    else
        status = file_replace(path.text, buf_str(&file), err);
    buf_release(&blob);
    buf_release(&file);
    return status;
}

static scent_status keep_counts(const struct query_counts *term_counts, const char *dir, struct errmsg *err)
{
    struct crawldir_path path = learned_path(dir, QUERY_COUNTS);
    scent_status status;
    struct buf text;

    buf_init(&text, 0);
    status = query_counts_write(term_counts, &text);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "%s: there is no memory to write the statistics of the query", path.text);
    else
        status = file_replace(path.text, buf_str(&text), err);
    buf_release(&text);
    return status;
}

scent_status learned_keep(const struct strategy *strategy, const struct query_counts *term_counts, const char *dir,
                          const struct learned_origin *origin, struct errmsg *err)
{
    if (strategy->ops->learned || term_counts)
        SCENT_TRY(learned_make_folder(dir, err));
    if (strategy->ops->learned)
        SCENT_TRY(keep_strategy(strategy, dir, origin, err));
    return term_counts ? keep_counts(term_counts, dir, err) : SCENT_OK;
}

static scent_status remove_all(const char *dir, const char *suffix, struct errmsg *err)
{
    struct file_list list;

    SCENT_TRY(file_list(crawldir_path(dir, CRAWLDIR_LEARNED).text, suffix, &list, err));
    for (size_t i = 0; i < list.count; i++)
        (void)unlink(learned_path(dir, list.names[i]).text); /* what is still there the next run writes anew */
    file_list_release(&list);
    return SCENT_OK;
}

scent_status learned_forget(const char *dir, struct errmsg *err)
{
    struct crawldir_path folder = crawldir_path(dir, CRAWLDIR_LEARNED);

    if (!file_is_dir(folder.text))
        return SCENT_OK;
    SCENT_TRY(learned_make_folder(dir, err));
    SCENT_TRY(remove_all(dir, SUFFIX, err));
    SCENT_TRY(remove_all(dir, QUERY_COUNTS, err));
    return file_sync_dir(folder.text, err);
}

/* ---- recalling ---- */

static scent_status fail_no_learner(const struct strategy *strategy, struct errmsg *err)
{
    scent_status status;
    struct buf list;

    buf_init(&list, 0);
    for (size_t i = 0; strategy_at(i); i++)
        if (strategy_at(i)->recall || strategy_at(i)->study)
            buf_printf(&list, "%s%s", list.len ? ", " : "", strategy_at(i)->name);
    status = errmsg_fail(err, SCENT_E_INVALID, "strategy %s learns nothing that another crawl could begin with: remove "
                         "'reuse', or choose one of: %s", strategy->ops->name, buf_z(&list));
    buf_release(&list);
    return status;
}

/* A directory has what several strategies learned, if it was crawled with several. */
static scent_status fail_nothing_there(const struct strategy *strategy, const char *dir, struct errmsg *err)
{
    struct file_list list = {0};
    scent_status status;
    struct buf text;

    buf_init(&text, 0);
    if (file_list(crawldir_path(dir, CRAWLDIR_LEARNED).text, SUFFIX, &list, NULL) == SCENT_OK)
        for (size_t i = 0; i < list.count; i++)
            buf_printf(&text, "%s%.*s", i ? ", " : "; it has what these learned: ",
                       (int)(strlen(list.names[i]) - strlen(SUFFIX)), list.names[i]);
    status = errmsg_fail(err, SCENT_E_INVALID, "reuse: %s has nothing that %s learned%s", dir, strategy->ops->name,
                         list.count ? buf_z(&text)
                                    : "; it is not a crawl, or its strategy learns nothing, or it never came to "
                                      "the end of a run");
    file_list_release(&list);
    buf_release(&text);
    return status;
}

static scent_status recall_file(const struct strategy *strategy, const char *path, const struct topic_reuse *reuse,
                                const struct log *log, struct errmsg *err)
{
    struct learned_origin origin;
    struct errmsg why = {{0}};
    struct str blob;
    struct buf file;
    scent_status status;

    buf_init(&file, FILE_CAP);
    status = learned_load(path, &file, err);
    if (status == SCENT_OK)
        status = learned_read(buf_str(&file), path, &origin, &blob, err);
    if (status == SCENT_OK && !str_eq(origin.strategy, str_of(strategy->ops->name)))
        status = errmsg_fail(err, SCENT_E_INVALID, "%s: %.*s learned this, and %s is to crawl: use the same strategy",
                             path, STR_ARG(origin.strategy), strategy->ops->name);
    else if (status == SCENT_OK) {
        status = strategy->ops->recall(strategy->state, blob, reuse->weight, &why);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "%s: %s", path, why.text);
    }
    if (status == SCENT_OK)
        log_line(log, LOG_INFO, "begins with what %s learned of '%.*s' on %" PRIu64 " pages, weight %g: %s",
                 strategy->ops->name, STR_ARG(origin.topic), origin.pages, reuse->weight, path);
    buf_release(&file);
    return status;
}

scent_status learned_recall(const struct strategy *strategy, const struct topic *topic, const struct log *log,
                            struct errmsg *err)
{
    scent_status status = SCENT_OK;

    if (topic->nreuse && !strategy->ops->recall && !strategy->ops->study && !topic->query)
        return fail_no_learner(strategy, err);
    for (size_t i = 0; strategy->ops->recall && i < topic->nreuse && status == SCENT_OK; i++) {
        const struct topic_reuse *reuse = &topic->reuse[i];
        struct crawldir_path path = strategy_path(reuse->from.p, strategy);

        if (!file_is_dir(reuse->from.p))
            status = recall_file(strategy, reuse->from.p, reuse, log, err);
        else if (file_exists(path.text))
            status = recall_file(strategy, path.text, reuse, log, err);
        else
            status = fail_nothing_there(strategy, reuse->from.p, err);
    }
    return status;
}

/* ---- the query ---- */

static uint64_t weighed(uint64_t count, double weight)
{
    return (uint64_t)llround((double)count * weight);
}

static void add_term_counts(struct query_counts *term_counts, const struct query_counts *old, double weight)
{
    term_counts->documents += weighed(old->documents, weight);
    term_counts->words += weighed(old->words, weight);
    for (size_t i = 0; i < term_counts->nterms; i++)
        term_counts->df[i] += weighed(old->df[i], weight);
}

static scent_status recall_counts(struct query_counts *term_counts, const char *path, double weight,
                                  const struct log *log, struct errmsg *err)
{
    struct query_counts old;
    struct buf text;
    scent_status status;

    buf_init(&text, COUNTS_CAP);
    query_counts_init(&old, term_counts->query);
    status = file_read(path, &text, err);
    if (status == SCENT_OK)
        status = query_counts_read(&old, buf_str(&text), path, err);
    if (status == SCENT_OK) {
        add_term_counts(term_counts, &old, weight);
        log_line(log, LOG_INFO, "begins with the query's statistics of %" PRIu64 " pages, weight %g: %s", old.documents,
                 weight, path);
    } else if (status == SCENT_E_INVALID) { /* of another query: what the strategy learned may be of use nevertheless */
        log_line(log, LOG_INFO, "%s: these are the statistics of another query, and are left out", path);
        status = SCENT_OK;
    }
    query_counts_release(&old);
    buf_release(&text);
    return status;
}

scent_status learned_recall_counts(struct query_counts *term_counts, const struct topic *topic, const struct log *log,
                                   struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < topic->nreuse && status == SCENT_OK; i++) {
        struct crawldir_path path = learned_path(topic->reuse[i].from.p, QUERY_COUNTS);

        if (file_exists(path.text))
            status = recall_counts(term_counts, path.text, topic->reuse[i].weight, log, err);
    }
    return status;
}
