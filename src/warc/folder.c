#include "warc/folder.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_archive_name(const char *name)
{
    static const char *const suffixes[] = {".warc.gz", ".warc", ".arc.gz", ".arc"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (str_ends(str_of(name), str_of(suffixes[i])))
            return true;
    return false;
}

/* Takes ownership of `path`. */
static void add(struct file_list *list, char *path)
{
    char **names = realloc(list->names, (list->count + 1) * sizeof *names);

    SCENT_BUG_IF(!names || !path);
    list->names = names;
    list->names[list->count++] = path;
}

static char *join(const char *dir, const char *name)
{
    char *path;

    SCENT_BUG_IF(asprintf(&path, "%s/%s", dir, name) < 0);
    return path;
}

static scent_status add_folder(const char *dir, bool deeper, struct file_list *out, struct errmsg *err)
{
    struct file_list entries;
    scent_status status = file_list(dir, "", &entries, err);

    for (size_t i = 0; i < entries.count; i++) {
        char *path = join(dir, entries.names[i]);
        bool is_dir = file_is_dir(path);

        if (is_dir && deeper && status == SCENT_OK)
            status = add_folder(path, false, out, err);
        if (!is_dir && is_archive_name(path))
            add(out, path);
        else
            free(path);
    }
    file_list_release(&entries);
    return status;
}

scent_status folder_archives(const char *path, struct file_list *out, struct errmsg *err)
{
    scent_status status;

    *out = (struct file_list){0};
    if (!file_is_dir(path)) {
        if (!file_exists(path))
            return errmsg_fail(err, SCENT_E_NOTFOUND, "there is no %s", path);
        add(out, strdup(path));
        return SCENT_OK;
    }
    status = add_folder(path, true, out, err);
    if (status != SCENT_OK)
        file_list_release(out);
    return status;
}
