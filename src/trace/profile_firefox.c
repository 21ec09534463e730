/* Firefox keeps history and bookmarks in places.sqlite. Times are microseconds since 1970. */
#include "trace/profile_parts.h"

#include <stdio.h>

enum { PATH_ROOM = 4096 };

/* nsINavHistoryService */
enum {
    VISIT_EMBED = 4,
    VISIT_REDIRECT_PERMANENT = 5,
    VISIT_REDIRECT_TEMPORARY = 6,
    VISIT_DOWNLOAD = 7,
    VISIT_FRAMED = 8,
    VISIT_RELOAD = 9
};

static const struct profile_column columns[] = {
    {"moz_historyvisits", "id"},         {"moz_historyvisits", "from_visit"}, {"moz_historyvisits", "place_id"},
    {"moz_historyvisits", "visit_date"}, {"moz_historyvisits", "visit_type"}, {"moz_places", "id"},
    {"moz_places", "url"},               {"moz_bookmarks", "type"},           {"moz_bookmarks", "fk"},
    {"moz_bookmarks", "parent"},         {"moz_bookmarks", "title"},          {"moz_bookmarks", "dateAdded"},
    {"moz_bookmarks", "guid"},
};

static const char visits_sql[] = "select v.id, v.from_visit, v.visit_date, v.visit_type, p.url "
                                 "from moz_historyvisits v join moz_places p on p.id = v.place_id";

/* Type 1 is a bookmark, type 2 a folder. Tags are folders below one with a guid of its own. `union` ends at cycles. */
#define BELOW(condition) "with recursive below(id) as (select id from moz_bookmarks where type = 2 and " condition     \
                         " union select b.id from moz_bookmarks b join below on b.parent = below.id where b.type = 2) "\
                         "select p.url, b.dateAdded from moz_bookmarks b join moz_places p on p.id = b.fk "            \
                         "where b.type = 1 and b.parent "
static const char folder_sql[] = BELOW("title = ?1 collate nocase") "in (select id from below) order by b.id";
static const char all_sql[] = BELOW("guid = 'tags________'") "not in (select id from below) order by b.id";
static const char names_sql[] = "select title, title = ?1 collate nocase from moz_bookmarks where type = 2 order by id";

static enum profile_fate fate_of(int64_t type)
{
    switch (type) {
    case VISIT_EMBED:
    case VISIT_FRAMED:
        return PROFILE_FRAME;
    case VISIT_DOWNLOAD:
        return PROFILE_DOWNLOAD;
    case VISIT_RELOAD:
        return PROFILE_RELOAD;
    default:
        return PROFILE_PAGE;
    }
}

static bool is_redirected(int64_t type)
{
    return type == VISIT_REDIRECT_PERMANENT || type == VISIT_REDIRECT_TEMPORARY;
}

static scent_status take_visit(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    struct profile *profile = ctx;
    struct history_row visit = {.id = foreign_int(row, 0), .from = foreign_int(row, 1),
                                .time = profile_time(foreign_int(row, 2)), .fate = fate_of(foreign_int(row, 3))};

    return history_add(&profile->history, visit, foreign_text(row, 4), STR_NONE, err);
}

/* The end of a redirect knows that it is one, and where it came from; its source does not. */
static scent_status take_redirect(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    struct profile *profile = ctx;
    struct history_row *source;

    (void)err;
    if (is_redirected(foreign_int(row, 3)) && (source = history_find(&profile->history, foreign_int(row, 1))))
        source->fate = PROFILE_REDIRECT;
    return SCENT_OK;
}

static scent_status take_bookmark(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    return profile_mark(ctx, foreign_text(row, 0), profile_time(foreign_int(row, 1)), err);
}

struct folders {
    bool found;
    struct buf names;
};

static scent_status take_name(void *ctx, const struct foreign_row *row, struct errmsg *err)
{
    struct folders *folders = ctx;

    (void)err;
    folders->found |= foreign_int(row, 1) != 0;
    profile_list_name(&folders->names, foreign_text(row, 0));
    return SCENT_OK;
}

static scent_status check_folder(struct profile *profile, struct foreign *foreign, struct errmsg *err)
{
    struct folders folders = {.found = false};
    scent_status status;

    if (!profile->folder)
        return SCENT_OK;
    buf_init(&folders.names, 0);
    status = foreign_query(foreign, names_sql, profile->folder, take_name, &folders, err);
    if (status == SCENT_OK && !folders.found)
        status = profile_no_folder(profile, &folders.names, err);
    buf_release(&folders.names);
    return status;
}

static scent_status read_places(struct profile *profile, struct foreign *foreign, const char *path, struct errmsg *err)
{
    SCENT_TRY(profile_check(foreign, path, columns, sizeof columns / sizeof *columns, err));
    SCENT_TRY(check_folder(profile, foreign, err));
    SCENT_TRY(foreign_query(foreign, visits_sql, NULL, take_visit, profile, err));
    history_sort(&profile->history);
    SCENT_TRY(foreign_query(foreign, visits_sql, NULL, take_redirect, profile, err));
    return foreign_query(foreign, profile->folder ? folder_sql : all_sql, profile->folder, take_bookmark, profile, err);
}

scent_status profile_read_firefox(struct profile *profile, struct errmsg *err)
{
    char path[PATH_ROOM];
    struct foreign *foreign;
    scent_status status;

    snprintf(path, sizeof path, "%s/places.sqlite", profile->dir);
    status = foreign_open(path, &foreign, err);
    if (status == SCENT_OK)
        status = read_places(profile, foreign, path, err);
    foreign_close(foreign);
    return status;
}
