#include "app/browsed.h"

#include "app/command.h"
#include "base/file.h"
#include "browse/browse.h"

#include <stdio.h>

enum { PATH_ROOM = 4200 };

static scent_status load_named(const struct topic *topic, struct browse **out, struct errmsg *err)
{
    struct errmsg why = {{0}};
    scent_status status = browse_load(topic->browsing_file.p, out, &why);

    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: %s", topic->browsing_place.p, why.text);
}

/* Whether the file that the topic names is still what the crawl keeps; one that is gone is no news. */
static void compare(const struct topic *topic, const struct browse *own, const char *path, const struct log *log)
{
    struct browse *named = NULL;
    struct errmsg err = {{0}};
    struct buf one, two;

    buf_init(&one, 0);
    buf_init(&two, 0);
    if (browse_load(topic->browsing_file.p, &named, &err) == SCENT_OK && browse_write(own, &one) == SCENT_OK &&
        browse_write(named, &two) == SCENT_OK && !str_eq(buf_str(&one), buf_str(&two)))
        log_line(log, LOG_WARN, "%s has changed since this crawl began: it goes on with the browsing model that it has, %s; "
                 "remove that file to judge with the new one from now on", topic->browsing_file.p, path);
    browse_free(named);
    buf_release(&one);
    buf_release(&two);
}

static scent_status find_model(const struct topic *topic, const char *dir, const struct log *log, struct browse **out,
                               struct errmsg *err)
{
    char folder[PATH_ROOM], path[PATH_ROOM + 16];
    scent_status status;

    if (!dir)
        return load_named(topic, out, err);
    snprintf(folder, sizeof folder, "%s/learned", dir);
    snprintf(path, sizeof path, "%s/browsing", folder);
    status = browse_load(path, out, err);
    if (status == SCENT_OK)
        compare(topic, *out, path, log);
    if (status != SCENT_E_NOTFOUND)
        return status;
    status = load_named(topic, out, err);
    if (status == SCENT_OK)
        status = file_make_dir(folder, err);
    return status == SCENT_OK ? browse_save(*out, path, err) : status;
}

int browsed_attach(struct topic *topic, const char *dir, const struct log *log)
{
    struct browse *browse = NULL;
    struct errmsg err = {{0}};
    scent_status status;

    if (!topic->browsing_file.len)
        return EXIT_DONE;
    status = find_model(topic, dir, log, &browse, &err);
    if (status != SCENT_OK) {
        browse_free(browse);
        return command_fail(status, &err);
    }
    topic_attach_browsing(topic, browse);
    return EXIT_DONE;
}
