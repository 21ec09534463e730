/* The map from URL to record, the files that it is made of, and the way back to a record's bytes. */
#include "warc/archive.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "http/http.h"
#include "url/url.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { KEY_ARENA = 64 * 1024 };

/* One URL and the record that answers for it. */
struct entry {
    size_t url_start;
    uint64_t offset, length, inner;
    uint64_t date; /* digits of the date, down to milliseconds */
    uint32_t file;
    uint16_t url_len, status;
    bool damaged;
};

struct archive {
    struct file_list files;
    struct http_dictionary **dictionaries; /* of each file; NULL: it has none */
    struct buf urls; /* all keys, one after the other */
    struct entry *entries;
    size_t count, room;
    struct map map; /* from a URL to its entry */
};

/* ---- the files of a folder ---- */

static bool is_archive_name(const char *name)
{
    static const char *const suffixes[] = {".warc.gz", ".warc.zst", ".warc", ".arc.gz", ".arc"};

    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (str_ends(str_of(name), str_of(suffixes[i])))
            return true;
    return false;
}

/* Takes ownership of `path`. */
static void add_path(struct file_list *list, char *path)
{
    size_t room = list->count; /* a list has no spare room; a folder has few files */

    SCENT_BUG_IF(!path || !vec_reserve(&list->names, &room, list->count + 1, sizeof *list->names));
    list->names[list->count++] = path;
}

/* How far below the folder that was named: of a folder in it the files count, and those of its folder warc, since it
 * may be a crawl directory. */
enum level { NAMED, BELOW, WARC_BELOW };

static scent_status add_folder(const char *dir, enum level level, struct file_list *out, struct errmsg *err)
{
    struct file_list names;
    scent_status status = file_list(dir, "", &names, err);

    for (size_t i = 0; i < names.count; i++) {
        char *path;
        bool is_dir;

        SCENT_BUG_IF(asprintf(&path, "%s/%s", dir, names.names[i]) < 0);
        is_dir = file_is_dir(path);
        if (is_dir && status == SCENT_OK &&
            (level == NAMED || (level == BELOW && str_eq(str_of(names.names[i]), STR("warc")))))
            status = add_folder(path, level + 1, out, err);
        if (!is_dir && is_archive_name(path))
            add_path(out, path);
        else
            free(path);
    }
    file_list_release(&names);
    return status;
}

scent_status archive_files(const char *path, struct file_list *out, struct errmsg *err)
{
    scent_status status;

    *out = (struct file_list){0};
    if (!file_is_dir(path)) {
        if (!file_exists(path))
            return errmsg_fail(err, SCENT_E_NOTFOUND, "there is no %s", path);
        add_path(out, strdup(path));
        return SCENT_OK;
    }
    status = add_folder(path, NAMED, out, err);
    if (status != SCENT_OK)
        file_list_release(out);
    return status;
}

/* ---- the map ---- */

static struct str entry_url(const struct archive *archive, const struct entry *entry)
{
    return (struct str){archive->urls.p + entry->url_start, entry->url_len};
}

static struct entry *find_entry(const struct archive *archive, struct str url)
{
    struct map_walk walk = map_find(&archive->map, hash_str(url, 0));

    while (map_next(&walk))
        if (str_eq(entry_url(archive, &archive->entries[walk.value]), url))
            return &archive->entries[walk.value];
    return NULL;
}

/* The newest 2xx response wins, else the newest; a damaged one only where there is no whole one. */
static bool is_better(const struct entry *a, const struct entry *b)
{
    bool a_good = a->status / 100 == 2, b_good = b->status / 100 == 2;

    if (a_good != b_good)
        return a_good;
    if (a->damaged != b->damaged)
        return b->damaged;
    return a->date >= b->date;
}

static scent_status put_entry(struct archive *archive, struct str url, struct entry entry)
{
    struct entry *old = find_entry(archive, url);

    if (old) {
        entry.url_start = old->url_start;
        entry.url_len = old->url_len;
        if (is_better(&entry, old))
            *old = entry;
        return SCENT_OK;
    }
    entry.url_start = archive->urls.len;
    entry.url_len = (uint16_t)url.len;
    if (archive->count == MAP_NUMBER_MAX ||
        !vec_reserve(&archive->entries, &archive->room, archive->count + 1, sizeof entry) ||
        !buf_add(&archive->urls, url))
        return SCENT_E_NOMEM;
    SCENT_TRY(map_add(&archive->map, hash_str(url, 0), (uint32_t)archive->count));
    archive->entries[archive->count++] = entry;
    return SCENT_OK;
}

/* ---- reading the files ---- */

/* "2014-01-03T03:03:21Z" and "20140103030321" as a number that orders them. */
static uint64_t date_number(struct str date)
{
    enum { DIGITS = 17 };
    uint64_t number = 0;
    int digits = 0;

    for (size_t i = 0; i < date.len && digits < DIGITS; i++) {
        if (!ascii_is_digit(date.p[i]))
            continue;
        number = number * 10 + (uint64_t)(date.p[i] - '0');
        digits++;
    }
    for (; digits < DIGITS; digits++)
        number *= 10;
    return number;
}

static bool make_key(struct arena *arena, struct str text, struct url *key)
{
    struct url url;

    return url_parse(arena, text, NULL, &url) == SCENT_OK && url_normalise(arena, &url, 0, key) == SCENT_OK;
}

/* The record that has a revisit's bytes answers for it, head and all. It must have come before. */
static scent_status add_revisit(struct archive *archive, const struct warc_record *record, struct str key,
                                struct arena *arena)
{
    struct str date = http_header(record->headers, STR("WARC-Refers-To-Date"));
    const struct entry *answer;
    struct entry entry;
    struct url original;

    if (!make_key(arena, http_header(record->headers, STR("WARC-Refers-To-Target-URI")), &original))
        return SCENT_OK;
    answer = find_entry(archive, original.href);
    /* A page that had not changed when it was visited again: its record answers for it already. */
    if (!answer || str_eq(original.href, key) || (date.len && date_number(date) != answer->date))
        return SCENT_OK;
    entry = *answer;
    entry.date = date_number(record->date);
    return put_entry(archive, key, entry);
}

static scent_status add_record(struct archive *archive, uint32_t file, const struct warc_record *record,
                               struct arena *arena)
{
    struct url key;

    if ((record->type != WARC_RESPONSE && record->type != WARC_REVISIT) || record->http_status == 0)
        return SCENT_OK;
    arena_reset(arena);
    if (!make_key(arena, record->url, &key))
        return SCENT_OK; /* not a page that a crawl could ask for */
    if (record->type == WARC_REVISIT)
        return add_revisit(archive, record, key.href, arena);
    return put_entry(archive, key.href,
                     (struct entry){
                         .offset = record->offset,
                         .length = record->length,
                         .inner = record->inner,
                         .date = date_number(record->date),
                         .file = file,
                         .status = (uint16_t)record->http_status,
                         .damaged = record->damaged,
                     });
}

/* The files of a crawl have one dictionary: it is kept once. */
static struct http_dictionary *keep_dictionary(const struct archive *archive, uint32_t file, struct warc_form form)
{
    struct http_dictionary *last = file ? archive->dictionaries[file - 1] : NULL;

    if (last && warc_form_eq(form, (struct warc_form){WARC_ZSTD, last}))
        return http_dictionary_keep(last);
    return http_dictionary_keep(form.dictionary);
}

static scent_status read_file(struct archive *archive, uint32_t file, struct arena *arena, const struct log *log,
                              struct errmsg *err)
{
    const char *path = archive->files.names[file];
    struct warc_reader *reader;
    struct warc_record record;
    size_t damaged = 0;
    scent_status status, added = SCENT_OK;

    SCENT_TRY(warc_reader_open(path, &reader, err));
    archive->dictionaries[file] = keep_dictionary(archive, file, warc_reader_form(reader));
    while (added == SCENT_OK && (status = warc_reader_next(reader, &record, err)) == SCENT_OK) {
        if (record.damaged && damaged++ == 0)
            log_line(log, LOG_WARN, "%s: damaged at byte %llu: %s", path, (unsigned long long)record.offset,
                     record.damage);
        added = add_record(archive, file, &record, arena);
    }
    if (damaged > 1)
        log_line(log, LOG_WARN, "%s: %zu places are damaged", path, damaged);
    warc_reader_close(reader);
    if (added != SCENT_OK)
        return errmsg_fail(err, added, "no memory for the map of %s", path);
    return status == SCENT_E_END ? SCENT_OK : status;
}

static scent_status read_files(struct archive *archive, const struct log *log, struct errmsg *err)
{
    struct arena arena;
    size_t usable = 0;
    scent_status status = SCENT_OK;

    arena_init(&arena, KEY_ARENA);
    for (size_t i = 0; i < archive->files.count && status != SCENT_E_NOMEM; i++) {
        status = read_file(archive, (uint32_t)i, &arena, log, err);
        if (status == SCENT_OK)
            usable++;
        else if (status != SCENT_E_NOMEM)
            log_line(log, LOG_WARN, "%s is left out: %s", archive->files.names[i], err->text);
    }
    arena_release(&arena);
    if (status == SCENT_E_NOMEM)
        return status;
    return usable ? SCENT_OK : SCENT_E_NOTFOUND;
}

scent_status archive_open(const char *path, const struct log *log, struct archive **out, struct errmsg *err)
{
    struct errmsg file_err = {""};
    struct archive *archive = calloc(1, sizeof *archive);
    scent_status status;

    SCENT_BUG_IF(!archive);
    *out = NULL;
    buf_init(&archive->urls, 0);
    status = archive_files(path, &archive->files, err);
    if (status == SCENT_OK) {
        archive->dictionaries = calloc(archive->files.count + 1, sizeof(struct http_dictionary *));
        SCENT_BUG_IF(!archive->dictionaries);
        status = read_files(archive, log, &file_err);
        if (status == SCENT_E_NOTFOUND)
            errmsg_fail(err, status, "no readable WARC or ARC file in %s", path);
        else if (status != SCENT_OK)
            errmsg_fail(err, status, "%s", file_err.text);
    }
    if (status != SCENT_OK) {
        archive_free(archive);
        return status;
    }
    *out = archive;
    return SCENT_OK;
}

void archive_free(struct archive *archive)
{
    if (!archive)
        return;
    for (size_t i = 0; archive->dictionaries && i < archive->files.count; i++)
        http_dictionary_free(archive->dictionaries[i]);
    free(archive->dictionaries);
    file_list_release(&archive->files);
    buf_release(&archive->urls);
    free(archive->entries);
    map_release(&archive->map);
    free(archive);
}

size_t archive_count(const struct archive *archive)
{
    return archive->count;
}

struct str archive_url(const struct archive *archive, size_t i)
{
    SCENT_BUG_IF(i >= archive->count);
    return entry_url(archive, &archive->entries[i]);
}

struct archive_entry archive_entry(const struct archive *archive, size_t i)
{
    const struct entry *entry = &archive->entries[i];

    SCENT_BUG_IF(i >= archive->count);
    return (struct archive_entry){entry_url(archive, entry), entry->date, entry->status,
                                  archive->files.names[entry->file]};
}

bool archive_find(const struct archive *archive, struct str url, size_t *i)
{
    const struct entry *entry = find_entry(archive, url);

    if (entry)
        *i = (size_t)(entry - archive->entries);
    return entry != NULL;
}

/* ---- looking up ---- */

static scent_status read_span(const char *path, uint64_t offset, size_t length, char *to, struct errmsg *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t done = 0;
    ssize_t got = 0;

    if (fd < 0)
        return errmsg_fail(err, scent_status_of_errno(errno), "cannot open %s: %s", path, strerror(errno));
    while (done < length && (got = pread(fd, to + done, length - done, (off_t)(offset + done))) != 0) {
        if (got < 0 && errno != EINTR)
            break;
        done += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    if (done == length)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_IO, "cannot read %zu bytes at %llu of %s: %s", length, (unsigned long long)offset,
                       path, got < 0 ? strerror(errno) : "the file has become shorter");
}

/* The record into the caller's buffer. */
static scent_status take(struct warc_reader *reader, const char *path, struct str url, struct buf *buf,
                         struct archive_response *out, struct errmsg *err)
{
    struct warc_record record;
    scent_status status = warc_reader_next(reader, &record, err);

    if (status != SCENT_OK || record.http_status == 0)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s has changed since it was opened", path);
    buf_clear(buf);
    if (!buf_reserve(buf, record.http_head.len + record.payload.len))
        return errmsg_fail(err, SCENT_E_NOMEM, "no room for %.*s", STR_ARG(url));
    buf_add(buf, record.http_head);
    buf_add(buf, record.payload);
    *out = (struct archive_response){
        .url = url,
        .status = record.http_status,
        .head = {buf->p, record.http_head.len},
        .body = {buf->p + record.http_head.len, record.payload.len},
    };
    return SCENT_OK;
}

/* A record of known extent is one read. */
static scent_status get_span(const struct archive *archive, const struct entry *entry, struct str url, struct buf *buf,
                             struct archive_response *out, struct errmsg *err)
{
    const char *path = archive->files.names[entry->file];
    char *span = malloc(entry->length);
    struct warc_reader *reader;
    scent_status status;

    if (!span)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for %.*s", STR_ARG(url));
    status = read_span(path, entry->offset, entry->length, span, err);
    if (status == SCENT_OK) {
        reader = warc_reader_open_part((struct str){span, entry->length}, archive->dictionaries[entry->file]);
        status = take(reader, path, url, buf, out, err);
        warc_reader_close(reader);
    }
    free(span);
    return status;
}

/* Where records share a member, it has to be unpacked up to the one that is wanted. */
static scent_status get_shared(const char *path, const struct entry *entry, struct str url, struct buf *buf,
                               struct archive_response *out, struct errmsg *err)
{
    struct warc_reader *reader;
    scent_status status;

    SCENT_TRY(warc_reader_open(path, &reader, err));
    status = warc_reader_seek(reader, entry->offset, entry->inner, err);
    if (status == SCENT_OK)
        status = take(reader, path, url, buf, out, err);
    warc_reader_close(reader);
    return status;
}

bool archive_has(const struct archive *archive, struct str url)
{
    return find_entry(archive, url) != NULL;
}

scent_status archive_get(const struct archive *archive, struct str url, struct buf *buf, struct archive_response *out,
                         struct errmsg *err)
{
    const struct entry *entry = find_entry(archive, url);
    const char *path;

    if (!entry)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "the archive has no %.*s", STR_ARG(url));
    path = archive->files.names[entry->file];
    url = entry_url(archive, entry);
    if (entry->length && !entry->inner)
        return get_span(archive, entry, url, buf, out, err);
    return get_shared(path, entry, url, buf, out, err);
}
