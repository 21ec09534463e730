#include "training/example_files.h"

#include "base/file.h"

#include <errno.h>
#include <sys/stat.h>

static scent_status add_file(struct example_files *found, struct str path, struct str folder, enum pagefile_kind kind,
                             struct arena *arena)
{
    struct example_file *file;

    if (found->count == EXAMPLE_FILES_MAX_FILES)
        return SCENT_E_LIMIT;
    if (found->count == found->room) {
        size_t room = found->room ? found->room * 2 : 64;
        struct example_file *files = arena_grow(arena, found->files, found->room * sizeof *files, room * sizeof *files);

        if (!files)
            return SCENT_E_NOMEM;
        found->files = files;
        found->room = room;
    }
    file = &found->files[found->count];
    *file = (struct example_file){arena_str(arena, path), arena_str(arena, folder), kind};
    if (!file->path.p || !file->folder.p)
        return SCENT_E_NOMEM;
    found->count++;
    return SCENT_OK;
}

struct walk {
    struct example_files *found;
    struct arena *arena;
    struct buf path;
    size_t root; /* length of the path that was asked for */
};

static scent_status walk_folder(struct walk *walk, int depth, struct errmsg *err);

static scent_status walk_entry(struct walk *walk, size_t folder_end, int depth, struct errmsg *err)
{
    const char *path = buf_z(&walk->path);
    size_t start = walk->root + (folder_end > walk->root);
    enum pagefile_kind kind;
    struct stat link, st;
    scent_status status;

    if (lstat(path, &link) || stat(path, &st))
        return SCENT_OK; /* a link that leads nowhere */
    if (S_ISDIR(link.st_mode) && depth < EXAMPLE_FILES_MAX_DEPTH)
        return walk_folder(walk, depth + 1, err);
    walk->found->unentered += S_ISDIR(st.st_mode);
    if (!S_ISREG(st.st_mode))
        return SCENT_OK;
    kind = pagefile_kind_of(path);
    if (kind == PAGEFILE_OTHER) {
        if (!walk->found->others++)
            walk->found->other = arena_str(walk->arena, buf_str(&walk->path));
        return SCENT_OK;
    }
    status = add_file(walk->found, buf_str(&walk->path), str_sub(buf_str(&walk->path), start, folder_end), kind,
                      walk->arena);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "more than %d files at %s",
                                                     EXAMPLE_FILES_MAX_FILES, path);
}

static scent_status walk_folder(struct walk *walk, int depth, struct errmsg *err)
{
    size_t len = walk->path.len;
    struct file_list list;
    scent_status status = file_list(buf_z(&walk->path), "", &list, err);

    for (size_t i = 0; status == SCENT_OK && i < list.count; i++) {
        if (list.names[i][0] == '.')
            continue;
        buf_addc(&walk->path, '/');
        buf_addz(&walk->path, list.names[i]);
        if (walk->path.failed)
            status = errmsg_fail(err, SCENT_E_LIMIT, "the names below %s are too long", buf_z(&walk->path));
        else
            status = walk_entry(walk, len, depth, err);
        walk->path.len = len;
    }
    file_list_release(&list);
    return status;
}

scent_status example_files_add(struct example_files *found, const char *path, struct arena *arena, struct errmsg *err)
{
    struct walk walk = {.found = found, .arena = arena};
    struct str name = str_of(path);
    enum pagefile_kind kind;
    struct stat st;
    scent_status status;

    if (stat(path, &st))
        return errmsg_fail(err, scent_status_of_errno(errno), "%s: %s", path, strerror(errno));
    while (name.len > 1 && name.p[name.len - 1] == '/')
        name.len--;
    if (!S_ISDIR(st.st_mode)) {
        kind = pagefile_kind_of(path);
        kind = kind == PAGEFILE_OTHER ? PAGEFILE_HTML : kind; /* it was named */
        status = add_file(found, name, STR(""), kind, arena);
        return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: too many files", path);
    }
    buf_init(&walk.path, 4096);
    buf_add(&walk.path, name);
    walk.root = walk.path.len;
    status = walk_folder(&walk, 0, err);
    buf_release(&walk.path);
    return status;
}

void example_files_report(const struct example_files *found, const char *path, const struct log *log)
{
    if (found->others)
        log_line(log, LOG_WARN,
                 "%s: %zu files are left out, %zu are read: they are neither HTML nor text, or come along with pages "
                 "(styles, scripts, tables); the first is %s",
                 path, found->others, found->count, found->other.p ? found->other.p : "");
    if (found->unentered)
        log_line(log, LOG_WARN,
                 "%s: %zu folders are left out: symbolic links are not followed, and folders not more than %d levels "
                 "deep; move or copy what they hold",
                 path, found->unentered, EXAMPLE_FILES_MAX_DEPTH);
}
