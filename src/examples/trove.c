#include "examples/trove.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PEEK = 4096 };

bool trove_is_url(struct str s)
{
    return str_starts_nocase(s, STR("http://")) || str_starts_nocase(s, STR("https://"));
}

bool trove_next_url(struct str *rest, struct str *url)
{
    struct str line;

    while (str_split(rest, '\n', &line)) {
        size_t end = 0;

        if (str_starts(line, STR("\xEF\xBB\xBF")))
            line = str_sub(line, 3, line.len);
        line = str_trim(line);
        while (end < line.len && !ascii_is_space(line.p[end]))
            end++;
        *url = str_sub(line, 0, end);
        if (url->len && url->p[0] != '#')
            return true;
    }
    return false;
}

/* ---- kinds ---- */

static const struct {
    const char *ending;
    enum trove_kind kind;
} endings[] = {
    {".html", TROVE_PAGE}, {".htm", TROVE_PAGE}, {".xhtml", TROVE_PAGE}, {".shtml", TROVE_PAGE}, {".php", TROVE_PAGE},
    {".asp", TROVE_PAGE}, {".aspx", TROVE_PAGE}, {".jsp", TROVE_PAGE}, {".txt", TROVE_TEXT}, {".text", TROVE_TEXT},
    {".md", TROVE_TEXT}, {".urls", TROVE_TEXT}, {".lst", TROVE_TEXT}, {".list", TROVE_TEXT}, {".warc", TROVE_WARC},
    {".arc", TROVE_WARC}, {".open", TROVE_WARC}, /* a crawl's, while it is written: x.warc.gz.open */
};

static bool ends_nocase(struct str s, struct str end)
{
    return s.len > end.len && str_eq_nocase(str_sub(s, s.len - end.len, s.len), end);
}

static enum trove_kind kind_by_name(struct str name)
{
    size_t i, dot = name.len;

    if (ends_nocase(name, STR(".gz")))
        name.len -= 3;
    for (i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_nocase(name, str_of(endings[i].ending)))
            return endings[i].kind;
    while (dot > 0 && name.p[dot - 1] != '.')
        dot--;
    return dot == 0 ? TROVE_PAGE : TROVE_OTHER;
}

/* Are the first lines URLs, all of them? The last line may be cut. */
static bool is_url_list(struct str text)
{
    struct str url;
    size_t count = 0;

    while (trove_next_url(&text, &url) && (count == 0 || text.len)) {
        if (!trove_is_url(url))
            return false;
        count++;
    }
    return count > 0;
}

enum trove_kind trove_kind_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct str name = str_of(slash ? slash + 1 : path);
    enum trove_kind kind = kind_by_name(name);
    char start[PEEK];
    ssize_t got = 0;
    int fd;

    if (kind != TROVE_TEXT && !(kind == TROVE_PAGE && str_find(name, '.') == name.len))
        return kind;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0) {
        got = read(fd, start, sizeof start);
        close(fd);
    }
    return got > 0 && is_url_list((struct str){start, (size_t)got}) ? TROVE_URLS : kind;
}

/* ---- the tree ---- */

static scent_status add_file(struct trove *trove, struct str path, struct str folder, enum trove_kind kind,
                             struct arena *arena)
{
    struct trove_file *file;

    if (trove->count == TROVE_MAX_FILES)
        return SCENT_E_LIMIT;
    if (trove->count == trove->room) {
        size_t room = trove->room ? trove->room * 2 : 64;
        struct trove_file *files = arena_grow(arena, trove->files, trove->room * sizeof *files, room * sizeof *files);

        if (!files)
            return SCENT_E_NOMEM;
        trove->files = files;
        trove->room = room;
    }
    file = &trove->files[trove->count];
    *file = (struct trove_file){arena_str(arena, path), arena_str(arena, folder), kind};
    if (!file->path.p || !file->folder.p)
        return SCENT_E_NOMEM;
    trove->count++;
    return SCENT_OK;
}

struct walk {
    struct trove *trove;
    struct arena *arena;
    struct buf path;
    size_t root; /* length of the path that was asked for */
};

static scent_status walk_folder(struct walk *walk, int depth, struct errmsg *err);

static scent_status walk_entry(struct walk *walk, size_t folder_end, int depth, struct errmsg *err)
{
    const char *path = buf_z(&walk->path);
    size_t start = walk->root + (folder_end > walk->root);
    enum trove_kind kind;
    struct stat link, st;
    scent_status status;

    if (lstat(path, &link) || stat(path, &st))
        return SCENT_OK; /* a link that leads nowhere */
    if (S_ISDIR(link.st_mode) && depth < TROVE_MAX_DEPTH)
        return walk_folder(walk, depth + 1, err);
    walk->trove->unentered += S_ISDIR(st.st_mode);
    if (!S_ISREG(st.st_mode))
        return SCENT_OK;
    kind = trove_kind_of(path);
    if (kind == TROVE_OTHER) {
        walk->trove->others++;
        return SCENT_OK;
    }
    status = add_file(walk->trove, buf_str(&walk->path), str_sub(buf_str(&walk->path), start, folder_end), kind,
                      walk->arena);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "more than %d files at %s", TROVE_MAX_FILES, path);
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

scent_status trove_add(struct trove *trove, const char *path, struct arena *arena, struct errmsg *err)
{
    struct walk walk = {.trove = trove, .arena = arena};
    struct str name = str_of(path);
    enum trove_kind kind;
    struct stat st;
    scent_status status;

    if (stat(path, &st))
        return errmsg_fail(err, scent_status_of_errno(errno), "%s: %s", path, strerror(errno));
    while (name.len > 1 && name.p[name.len - 1] == '/')
        name.len--;
    if (!S_ISDIR(st.st_mode)) {
        kind = trove_kind_of(path);
        status = add_file(trove, name, STR(""), kind == TROVE_OTHER ? TROVE_PAGE : kind, arena); /* it was named */
        return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: too many files", path);
    }
    buf_init(&walk.path, 4096);
    buf_add(&walk.path, name);
    walk.root = walk.path.len;
    status = walk_folder(&walk, 0, err);
    buf_release(&walk.path);
    return status;
}
