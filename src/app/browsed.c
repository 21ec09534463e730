#include "app/browsed.h"

#include "app/command.h"
#include "trace/browse.h"
#include "crawldir/learned.h"

/* ---- for learned_begin ---- */

struct browsed {
    const struct topic *topic;
    const struct log *log;
    struct browse *model;
};

static scent_status load_own(void *ctx, const char *path, struct errmsg *err)
{
    return browse_load(path, &((struct browsed *)ctx)->model, err);
}

static scent_status find_named(void *ctx, struct errmsg *err)
{
    struct browsed *browsed = ctx;
    struct errmsg why = {{0}};
    scent_status status = browse_load(browsed->topic->browsing_file.p, &browsed->model, &why);

    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: %s", browsed->topic->browsing_place.p, why.text);
}

static scent_status save_own(void *ctx, const char *path, struct errmsg *err)
{
    return browse_save(((struct browsed *)ctx)->model, path, err);
}

/* Whether the file that the topic names is still what the crawl keeps; one that is gone is no news. */
static void compare(void *ctx, const char *path)
{
    const struct browsed *browsed = ctx;
    const char *file = browsed->topic->browsing_file.p;
    struct browse *named = NULL;
    struct errmsg err = {{0}};
    struct buf one, two;

    buf_init(&one, 0);
    buf_init(&two, 0);
    if (browse_load(file, &named, &err) == SCENT_OK && browse_write(browsed->model, &one) == SCENT_OK &&
        browse_write(named, &two) == SCENT_OK && !str_eq(buf_str(&one), buf_str(&two)))
        log_line(browsed->log, LOG_WARN, "%s has changed since this crawl began: it goes on with the browsing model that it "
                 "has, %s; remove that file to judge with the new one from now on", file, path);
    browse_free(named);
    buf_release(&one);
    buf_release(&two);
}

int browsed_attach(const struct topic *topic, const char *dir, const struct log *log, const struct browse **out)
{
    static const struct learned_ops ops = {
        .name = LEARNED_BROWSING, .load = load_own, .find = find_named, .save = save_own, .compare = compare};
    struct browsed browsed = {.topic = topic, .log = log};
    struct errmsg err = {{0}};
    scent_status status;

    if (!topic->browsing_file.len)
        return EXIT_DONE;
    status = learned_begin(&ops, &browsed, dir, &err);
    if (status != SCENT_OK) {
        browse_free(browsed.model);
        return command_fail(status, &err);
    }
    *out = browsed.model;
    return EXIT_DONE;
}
