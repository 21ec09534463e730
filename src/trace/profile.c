#include "trace/profile_parts.h"

#include "base/file.h"

#include <stdio.h>

enum { PATH_ROOM = 4096, NAMES_SHOWN = 600 };
static const int64_t LATEST = 4102444800 * INT64_C(1000000); /* 2100-01-01 */

const char *profile_fate_text(enum profile_fate fate)
{
    static const char *const texts[PROFILE_FATES] = {
        [PROFILE_PAGE] = "pages",
        [PROFILE_SCHEME] = "neither http nor https, or too long",
        [PROFILE_REDIRECT] = "redirects: their ends count",
        [PROFILE_RELOAD] = "reloads, and steps within a page",
        [PROFILE_BACK] = "steps back and forward",
        [PROFILE_FRAME] = "frames: parts of other pages",
        [PROFILE_DOWNLOAD] = "downloads",
    };

    return texts[fate];
}

static bool has_file(const char *dir, const char *name)
{
    char path[PATH_ROOM];

    return snprintf(path, sizeof path, "%s/%s", dir, name) < PATH_ROOM && file_exists(path);
}

enum profile_kind { PROFILE_NONE, PROFILE_FIREFOX, PROFILE_CHROMIUM };

/* By its files. */
static enum profile_kind kind_of(const char *dir)
{
    if (has_file(dir, "places.sqlite"))
        return PROFILE_FIREFOX;
    return has_file(dir, "History") ? PROFILE_CHROMIUM : PROFILE_NONE;
}

int64_t profile_time(int64_t since_1970)
{
    return since_1970 > 0 && since_1970 < LATEST ? since_1970 : 0;
}

scent_status profile_check(struct foreign *foreign, const char *path, const struct profile_column *columns,
                           size_t count, struct errmsg *err)
{
    for (size_t i = 0; i < count; i++)
        if (!foreign_has(foreign, columns[i].table, columns[i].column))
            return errmsg_fail(err, SCENT_E_VERSION, "%s has no column %s.%s: its browser is newer or older than this "
                               "scent knows; update scent, or give a list of URLs", path, columns[i].table,
                               columns[i].column);
    return SCENT_OK;
}

scent_status profile_mark(struct profile *profile, struct str url, int64_t time, struct errmsg *err)
{
    scent_status status = browsing_add_mark(profile->browsing, url, time, true);

    if (status == SCENT_E_NOMEM)
        return errmsg_fail(err, status, "there is no memory for more bookmarks");
    if (status == SCENT_OK)
        profile->counts->bookmarks++;
    else
        profile->counts->other_bookmarks++;
    return SCENT_OK;
}

void profile_list_name(struct buf *names, struct str name)
{
    if (!name.len || names->len + name.len > NAMES_SHOWN)
        return;
    buf_addz(names, names->len ? ", '" : "'");
    buf_add(names, name);
    buf_addc(names, '\'');
}

scent_status profile_no_folder(const struct profile *profile, struct buf *names, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_INVALID, "%s: there is no folder of bookmarks '%s'; there are %s", profile->dir,
                       profile->folder, names->len ? buf_z(names) : "none");
}

/* People name the folder above it, which holds one folder for each of its users. */
static scent_status no_profile(const char *dir, struct errmsg *err)
{
    struct buf inside;
    struct file_list list;

    buf_init(&inside, NAMES_SHOWN);
    if (file_list(dir, "", &list, err) != SCENT_OK)
        return SCENT_E_NOTFOUND;
    for (size_t i = 0; i < list.count; i++) {
        char path[PATH_ROOM];

        snprintf(path, sizeof path, "%s/%s", dir, list.names[i]);
        if (kind_of(path) != PROFILE_NONE)
            profile_list_name(&inside, str_of(list.names[i]));
    }
    if (inside.len)
        errmsg_fail(err, SCENT_E_INVALID, "%s is no profile but holds some: name one of %s in it", dir, buf_z(&inside));
    else
        errmsg_fail(err, SCENT_E_INVALID, "%s is no profile: it has neither Firefox's places.sqlite nor Chromium's "
                    "History; about:support and chrome://version tell where yours is", dir);
    file_list_release(&list);
    buf_release(&inside);
    return SCENT_E_INVALID;
}

scent_status profile_read(const char *dir, const char *folder, struct browsing *browsing, struct profile_counts *counts,
                          struct errmsg *err)
{
    struct profile profile = {.dir = dir, .folder = folder, .browsing = browsing, .counts = counts};
    enum profile_kind kind = kind_of(dir);
    scent_status status;

    if (kind == PROFILE_NONE)
        return no_profile(dir, err);
    history_init(&profile.history);
    status = kind == PROFILE_FIREFOX ? profile_read_firefox(&profile, err) : profile_read_chromium(&profile, err);
    if (status == SCENT_OK)
        status = history_finish(&profile.history, browsing, counts, err);
    history_release(&profile.history);
    return status;
}
