#include "lab/runfile.h"

#include "base/file.h"
#include "base/hash.h"
#include "json/json.h"

#include <math.h>
#include <stdio.h>

enum { MAX_FILE = 1 << 30, NAME_ROOM = 128 };

/* ---- names ---- */

static bool suits(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c) || c == '.' || c == '-' || c == '_';
}

/* Names that were changed get a hash, so that no two become one. */
static void file_name(struct str name, char out[NAME_ROOM])
{
    size_t n = 0;
    bool same = name.len < NAME_ROOM - 10 && name.len && name.p[0] != '.';

    for (size_t i = 0; i < name.len && n < NAME_ROOM - 10; i++) {
        same = same && suits(name.p[i]);
        out[n++] = suits(name.p[i]) && (i || name.p[i] != '.') ? name.p[i] : '_';
    }
    out[n] = '\0';
    if (!same)
        snprintf(out + n, NAME_ROOM - n, "-%08x", (unsigned)hash_str(name, 0));
}

/* No name has the character `mark`. */
static void put_number(char mark, uint32_t number, char out[16])
{
    out[0] = '\0';
    if (number)
        snprintf(out, 16, "%c%u", mark, number + 1);
}

void runfile_path(const char *dir, const struct trial *trial, struct str strategy, char *out, size_t room)
{
    char first[NAME_ROOM], second[NAME_ROOM], draw[16], repeat[16];

    file_name(trial->name, first);
    file_name(strategy, second);
    put_number('~', trial->draw, draw);
    put_number('@', trial->repeat, repeat);
    snprintf(out, room, "%s/runs/%s/%s%s%s.jsonl", dir, first, second, draw, repeat);
}

/* ---- writing ---- */

static void put_visit(struct json_writer *w, const struct runfile *run, size_t n, const struct replay_visit *visit)
{
    json_object_begin(w);
    json_put_int(w, "n", (int64_t)n);
    json_put_str(w, "url", collection_url(run->collection, visit->page));
    json_put_bool(w, "relevant", run->trial->relevant[visit->page]);
    json_put_bool(w, "target", run->trial->target[visit->page]);
    if (run->evaluated)
        json_put_bool(w, "committee", run->evaluated[visit->page]);
    json_put_bool(w, "judged", visit->relevant);
    json_put_double(w, "score", visit->score);
    json_put_double(w, "priority", (double)visit->priority); /* null: a seed */
    json_object_end(w);
}

static scent_status make_folder(const char *path, struct errmsg *err)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    return file_make_dir(folder, err);
}

scent_status runfile_write(const struct runfile *run, const char *path, const struct replay_visit *visits, size_t count,
                           struct errmsg *err)
{
    scent_status status = make_folder(path, err);
    struct json_writer w;
    struct buf out;

    if (status != SCENT_OK)
        return status;
    buf_init(&out, 0);
    json_writer_init(&w, &out);
    for (size_t i = 0; i < count; i++)
        put_visit(&w, run, i + 1, &visits[i]);
    buf_addc(&out, '\n');
    status = out.failed ? errmsg_fail(err, SCENT_E_NOMEM, "no memory for %s", path)
                        : file_replace(path, buf_str(&out), err);
    buf_release(&out);
    return status;
}

/* ---- reading ---- */

/* Not what this trial and collection would give: another topic's file, or one that was changed. */
static bool is_foreign(const struct runfile *run, const struct json *json, uint32_t page, size_t n)
{
    return json_as_int(json_get(json, "n")) != (int64_t)n || json_is_none(json_get(json, "judged")) ||
           json_as_bool(json_get(json, "relevant")) != run->trial->relevant[page] ||
           json_as_bool(json_get(json, "target")) != run->trial->target[page];
}

static scent_status read_visit(const struct runfile *run, struct str line, size_t n, struct replay_visit *out,
                               struct errmsg *err)
{
    struct json *json;
    const struct json *priority;
    scent_status status = json_parse(line, &json, err);

    if (status != SCENT_OK)
        return status;
    priority = json_get(json, "priority");
    out->relevant = json_as_bool(json_get(json, "judged"));
    out->score = json_as_double(json_get(json, "score"));
    out->priority = json_is_none(priority) ? INFINITY : (float)json_as_double(priority);
    if (!collection_find(run->collection, json_as_str(json_get(json, "url")), &out->page))
        status = errmsg_fail(err, SCENT_E_FORMAT, "a URL that is not in the collection");
    else if (is_foreign(run, json, out->page, n))
        status = errmsg_fail(err, SCENT_E_FORMAT, "not the %zu. visit of this crawl", n);
    json_free(json);
    return status;
}

scent_status runfile_read(const struct runfile *run, const char *path, struct replay_visit *visits, size_t room,
                          size_t *count, struct errmsg *err)
{
    struct errmsg why = {0};
    struct str rest, line;
    struct buf text;
    scent_status status;

    *count = 0;
    buf_init(&text, MAX_FILE);
    status = file_read(path, &text, err);
    rest = buf_str(&text);
    while (status == SCENT_OK && str_split(&rest, '\n', &line)) {
        if (line.len == 0)
            continue;
        status = *count < room ? read_visit(run, line, *count + 1, &visits[*count], &why)
                               : errmsg_fail(&why, SCENT_E_LIMIT, "more pages than the budget");
        ++*count;
        if (status != SCENT_OK)
            status = errmsg_fail(err, SCENT_E_FORMAT, "%s:%zu: %s; remove the file, it is made anew", path, *count,
                                 why.text);
    }
    buf_release(&text);
    return status;
}
