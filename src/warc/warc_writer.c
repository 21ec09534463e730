/* The series of files of a crawl. The invariant: the file on disk is `size` bytes long between calls, and every byte of
 * it belongs to a whole record; what an append could not finish is cut off again. */
#include "warc/warc.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/vec.h"
#include "http/http.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, NUMBER_DIGITS = 5, STAMP_DIGITS = 17 };
enum { HOST_MAX = 12, LABEL_MAX = HOST_MAX + 5, LABEL_ROOM = 32 };
enum {
    SAMPLES_MAX = 8 << 20, /* bytes for the training, which takes time in proportion to them */
    SAMPLE_MAX = 32 << 10, /* of a record: what comes later finds enough in what came before */
    DICTIONARY = 112 << 10 /* bytes: what the zstd command makes; twice as many save 3% more */
};
#define LONGEST_SUFFIX ".warc.zst"
#define OPEN_SUFFIX    ".open"
static const uint64_t rotate_default = 1ull << 30, train_default = 2ull << 20; /* some hundred pages */
static const unsigned number_max = 99999999;

struct warc_writer {
    char *dir, *prefix, *info;
    uint64_t rotate_bytes, train_bytes;
    struct rng *rng;
    const struct clock *clock;
    enum warc_packing packing;
    struct http_dictionary *dictionary; /* of this file and all that follow; NULL: none yet */
    bool is_trained;                    /* or it was tried in vain */
    struct http_packer *packer;

    char label[LABEL_ROOM]; /* of new names; empty: they have the number alone */
    char name[64];          /* of the file that is written */
    int fd;
    unsigned number;
    uint64_t size, empty_size; /* of the file, and of its warcinfo alone */
    bool dir_dirty;            /* a name was made or changed since the folder was synced */
    /* A failed append could not be undone, or a sync failed, after which the kernel may have forgotten what it could
     * not write. Nothing more is written; the next run cuts the file back to what was committed. */
    bool broken;
};

/* ---- names ---- */

/* The first part of the machine's name, and some digits by which two crawls that begin at the same moment differ. */
static void make_label(struct rng *rng, char out[LABEL_ROOM])
{
    char host[256] = "";
    size_t n = 0;

    if (gethostname(host, sizeof host - 1))
        host[0] = 0;
    for (size_t i = 0; host[i] && host[i] != '.' && n < HOST_MAX; i++)
        if (ascii_is_alpha(host[i]) || ascii_is_digit(host[i]))
            out[n++] = ascii_lower(host[i]);
    snprintf(out + n, LABEL_ROOM - n, "%s-%04x", n ? "" : "host", (unsigned)(rng_next(rng) & 0xffff));
}

static const char *suffix_of(enum warc_packing packing)
{
    return packing == WARC_ZSTD ? ".warc.zst" : ".warc.gz";
}

/* Of a new file: PREFIX-NNNNN, or PREFIX-TIME-NNNNN-HOST. Names sort by number even where the clock was set back. */
static void make_name(const struct warc_writer *writer, unsigned number, char out[64])
{
    const size_t room = sizeof((struct warc_position *)0)->file, skip = strlen(writer->prefix) + 1;
    char stamp[32];

    if (!writer->label[0]) {
        snprintf(out, room, "%s-%0*u%s", writer->prefix, NUMBER_DIGITS, number, suffix_of(writer->packing));
        return;
    }
    clock_format_stamp(clock_wall(writer->clock), stamp, sizeof stamp);
    if (strlen(writer->name) > skip + STAMP_DIGITS && writer->name[skip + STAMP_DIGITS] == '-' &&
        strncmp(stamp, writer->name + skip, STAMP_DIGITS) < 0)
        memcpy(stamp, writer->name + skip, STAMP_DIGITS);
    snprintf(out, room, "%s-%.17s-%0*u-%.17s%s", writer->prefix, stamp, NUMBER_DIGITS, number, writer->label,
             suffix_of(writer->packing));
}

static void name_path(const struct warc_writer *writer, const char *name, const char *suffix, char out[PATH_ROOM])
{
    snprintf(out, PATH_ROOM, "%s/%s%s", writer->dir, name, suffix);
}

static bool is_stamp(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_digit(s.p[i]))
            return false;
    return s.len == STAMP_DIGITS;
}

bool warc_file_number(const char *prefix, struct str name, uint64_t *number)
{
    const struct str before = str_of(prefix);
    const enum warc_packing packing = warc_name_packing(name);
    const size_t suffix = strlen(suffix_of(packing));
    struct str rest = name, stamp, digits;

    if (packing == WARC_PLAIN || !str_starts(name, before) || name.len <= before.len + 1 + suffix ||
        name.p[before.len] != '-')
        return false;
    rest = str_sub(name, before.len + 1, name.len - suffix);
    if (str_find(rest, '-') == rest.len) /* as names were before 0.1.0 was released */
        return str_parse_u64(rest, number);
    return str_split(&rest, '-', &stamp) && is_stamp(stamp) && str_split(&rest, '-', &digits) &&
           str_parse_u64(digits, number) && rest.len > 0;
}

/* The number in the name, with or without ".open". */
static bool parse_name(const struct warc_writer *writer, const char *name, unsigned *number)
{
    struct str s = str_of(name);
    uint64_t value;

    if (str_ends(s, STR(OPEN_SUFFIX)))
        s.len -= sizeof OPEN_SUFFIX - 1;
    if (!warc_file_number(writer->prefix, s, &value) || value > number_max)
        return false;
    *number = (unsigned)value;
    return true;
}

static scent_status fail_path(struct errmsg *err, const char *what, const char *path)
{
    int code = errno;

    return errmsg_fail(err, scent_status_of_errno(code), "cannot %s %s: %s", what, path, strerror(code));
}

static scent_status fail_current(const struct warc_writer *writer, const char *what, struct errmsg *err)
{
    int code = errno;
    char path[PATH_ROOM];

    name_path(writer, writer->name, OPEN_SUFFIX, path);
    errno = code;
    return fail_path(err, what, path);
}

/* ---- bytes ---- */

static bool write_at(int fd, struct str data, uint64_t offset)
{
    while (data.len) {
        ssize_t put = pwrite(fd, data.p, data.len, (off_t)offset);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            errno = put == 0 ? ENOSPC : errno;
            return false;
        }
        data = str_sub(data, (size_t)put, data.len);
        offset += (uint64_t)put;
    }
    return true;
}

static scent_status append(struct warc_writer *writer, struct str records, struct errmsg *err)
{
    scent_status status;

    if (write_at(writer->fd, records, writer->size)) {
        writer->size += records.len;
        return SCENT_OK;
    }
    status = fail_current(writer, "write to", err);
    if (ftruncate(writer->fd, (off_t)writer->size))
        writer->broken = true;
    return status;
}

/* ---- files ---- */

static scent_status build_info(struct warc_writer *writer, const char *name, struct buf *out)
{
    return warc_build_info(str_of(name), str_of(writer->info), clock_wall(writer->clock), writer->rng, writer->packer,
                           out);
}

/* A skippable frame (RFC 8878, 3.1.2) with it as it is: `zstd -D` takes it when its first 8 bytes are cut off. */
static void add_dictionary(struct buf *out, const struct http_dictionary *dictionary)
{
    struct str bytes = http_dictionary_bytes(dictionary);

    if (!dictionary)
        return;
    bytes_put(out, 0x184D2A5D, 4);
    bytes_put(out, bytes.len, 4);
    buf_add(out, bytes);
}

/* A new file that holds its dictionary and its warcinfo record; the writer stays as it is unless all went well. */
static scent_status create(struct warc_writer *writer, unsigned number, struct errmsg *err)
{
    struct warc_writer next = *writer;
    char path[PATH_ROOM];
    struct buf info;
    scent_status status;

    buf_init(&info, 0);
    make_name(writer, number, next.name);
    name_path(writer, next.name, OPEN_SUFFIX, path);
    next.number = number;
    next.size = 0;
    next.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (next.fd < 0)
        return fail_path(err, "create", path);
    add_dictionary(&info, writer->dictionary);
    status = flock(next.fd, LOCK_EX | LOCK_NB) ? fail_path(err, "lock", path) : build_info(writer, next.name, &info);
    if (status == SCENT_OK)
        status = append(&next, buf_str(&info), err);
    buf_release(&info);
    if (status != SCENT_OK) {
        close(next.fd);
        unlink(path);
        return status;
    }
    next.empty_size = next.size;
    next.dir_dirty = true;
    *writer = next;
    return SCENT_OK;
}

static scent_status sync_file(struct warc_writer *writer, struct errmsg *err)
{
    if (fdatasync(writer->fd) == 0) /* it syncs the length too */
        return SCENT_OK;
    writer->broken = true;
    return fail_current(writer, "sync", err);
}

static scent_status fail_broken(const struct warc_writer *writer, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_IO, "%s/%s" OPEN_SUFFIX " is not written any more after an earlier failure",
                       writer->dir, writer->name);
}

/* Syncs the current file and gives it its final name. */
static scent_status seal(struct warc_writer *writer, struct errmsg *err)
{
    char open_path[PATH_ROOM], path[PATH_ROOM];

    SCENT_TRY(sync_file(writer, err));
    name_path(writer, writer->name, OPEN_SUFFIX, open_path);
    name_path(writer, writer->name, "", path);
    if (rename(open_path, path))
        return fail_path(err, "rename", open_path);
    writer->dir_dirty = true;
    return SCENT_OK;
}

/* The new file is made before the old one is sealed: on a full disk the old one simply goes on. */
static scent_status rotate(struct warc_writer *writer, struct errmsg *err)
{
    struct warc_writer old = *writer;
    scent_status status;

    SCENT_TRY(create(writer, writer->number + 1, err));
    status = seal(&old, err);
    if (status != SCENT_OK) {
        char path[PATH_ROOM];

        name_path(writer, writer->name, OPEN_SUFFIX, path);
        close(writer->fd);
        unlink(path);
        *writer = old;
        return status;
    }
    close(old.fd);
    return SCENT_OK;
}

/* ---- going on ---- */

static scent_status remove_file(const struct warc_writer *writer, const char *name, struct errmsg *err)
{
    char path[PATH_ROOM];

    snprintf(path, sizeof path, "%s/%s", writer->dir, name);
    return unlink(path) && errno != ENOENT ? fail_path(err, "remove", path) : SCENT_OK;
}

/* Everything of this series after `number` was never committed. */
static scent_status remove_younger(struct warc_writer *writer, unsigned number, struct errmsg *err)
{
    struct file_list list;
    scent_status status = file_list(writer->dir, "", &list, err);

    for (size_t i = 0; status == SCENT_OK && i < list.count; i++) {
        unsigned other;

        if (parse_name(writer, list.names[i], &other) && other > number)
            status = remove_file(writer, list.names[i], err);
    }
    file_list_release(&list);
    return status;
}

/* A new series takes the first number above all that there are. Sealed files are never touched; an unfinished one
 * without a committed position holds nothing that anyone knows of. */
static scent_status start_series(struct warc_writer *writer, struct errmsg *err)
{
    struct file_list list;
    unsigned next = 0, number;
    scent_status status = file_list(writer->dir, "", &list, err);

    for (size_t i = 0; status == SCENT_OK && i < list.count; i++) {
        if (!parse_name(writer, list.names[i], &number))
            continue;
        if (str_ends(str_of(list.names[i]), STR(OPEN_SUFFIX)))
            status = remove_file(writer, list.names[i], err);
        else if (number >= next)
            next = number + 1;
    }
    file_list_release(&list);
    return status == SCENT_OK ? create(writer, next, err) : status;
}

/* Opens the file of the last committed position, under its .open name again if it had been sealed since. */
static scent_status reopen(struct warc_writer *writer, struct errmsg *err)
{
    char open_path[PATH_ROOM], path[PATH_ROOM];

    name_path(writer, writer->name, OPEN_SUFFIX, open_path);
    name_path(writer, writer->name, "", path);
    if (!file_exists(open_path) && rename(path, open_path))
        return fail_path(err, "resume", path);
    writer->fd = open(open_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (writer->fd < 0)
        return fail_path(err, "open", open_path);
    if (flock(writer->fd, LOCK_EX | LOCK_NB))
        return errmsg_fail(err, SCENT_E_LOCKED, "%s is being written by another process", open_path);
    writer->dir_dirty = true;
    return SCENT_OK;
}

static scent_status cut_back(struct warc_writer *writer, uint64_t end, struct errmsg *err)
{
    struct stat st;

    if (fstat(writer->fd, &st))
        return fail_current(writer, "look at", err);
    if ((uint64_t)st.st_size < end)
        return errmsg_fail(err, SCENT_E_FORMAT,
                           "%s/%s" OPEN_SUFFIX " holds %lld bytes, but %llu were committed: records are lost",
                           writer->dir, writer->name, (long long)st.st_size, (unsigned long long)end);
    if (ftruncate(writer->fd, (off_t)end) || fdatasync(writer->fd))
        return fail_current(writer, "cut", err);
    writer->size = end;
    return SCENT_OK;
}

/* ---- dictionaries ---- */

static void use_dictionary(struct warc_writer *writer, struct http_dictionary *dictionary)
{
    writer->dictionary = dictionary;
    http_packer_use(writer->packer, dictionary);
}

static scent_status open_current(const struct warc_writer *writer, struct warc_reader **out, struct errmsg *err)
{
    char path[PATH_ROOM];

    name_path(writer, writer->name, OPEN_SUFFIX, path);
    return warc_reader_open(path, out, err);
}

static scent_status load_dictionary(struct warc_writer *writer, struct errmsg *err)
{
    struct warc_reader *reader;

    SCENT_TRY(open_current(writer, &reader, err));
    use_dictionary(writer, http_dictionary_keep(warc_reader_form(reader).dictionary));
    warc_reader_close(reader);
    return SCENT_OK;
}

/* With the records of the current file; NULL where nothing is gained. */
static scent_status train(struct warc_writer *writer, struct http_dictionary **out, struct errmsg *err)
{
    struct warc_reader *reader;
    struct warc_record record;
    struct buf samples;
    size_t *sizes = NULL, count = 0, room = 0;
    scent_status status = SCENT_OK;

    *out = NULL;
    SCENT_TRY(open_current(writer, &reader, err));
    buf_init(&samples, 0);
    while (samples.len < SAMPLES_MAX && (status = warc_reader_next(reader, &record, err)) == SCENT_OK) {
        struct str sample = str_sub(record.whole, 0, record.whole.len < SAMPLE_MAX ? record.whole.len : SAMPLE_MAX);

        if (!vec_reserve(&sizes, &room, count + 1, sizeof *sizes) || !buf_add(&samples, sample)) {
            status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for the training of a dictionary");
            break;
        }
        sizes[count++] = sample.len;
    }
    if (status == SCENT_OK || status == SCENT_E_END) {
        *out = http_dictionary_train(buf_str(&samples), sizes, count,
                                     samples.len / 16 < DICTIONARY ? samples.len / 16 : DICTIONARY);
        status = SCENT_OK;
    }
    warc_reader_close(reader);
    buf_release(&samples);
    free(sizes);
    return status;
}

static scent_status resume(struct warc_writer *writer, const struct warc_position *last, struct errmsg *err)
{
    if (!parse_name(writer, last->file, &writer->number))
        return errmsg_fail(err, SCENT_E_INVALID, "%s is not a file of the series %s/%s-*.warc.gz (or .zst)",
                           last->file, writer->dir, writer->prefix);
    snprintf(writer->name, sizeof writer->name, "%s", last->file);
    SCENT_TRY(reopen(writer, err));
    SCENT_TRY(cut_back(writer, last->end, err));
    SCENT_TRY(remove_younger(writer, writer->number, err));
    if (warc_name_packing(str_of(writer->name)) != writer->packing)
        return rotate(writer, err);
    return writer->packing == WARC_ZSTD ? load_dictionary(writer, err) : SCENT_OK;
}

/* ---- the object ---- */

static char *make_info(const struct warc_writer_options *options)
{
    struct buf info;

    buf_init(&info, 0);
    buf_printf(&info, "software: %s\r\n", options->software ? options->software : "scent");
    buf_addz(&info, WARC_INFO_FORMAT);
    buf_add(&info, options->info);
    SCENT_BUG_IF(info.failed || buf_z(&info)[0] == 0);
    return info.p;
}

static void release(struct warc_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    http_packer_free(writer->packer);
    http_dictionary_free(writer->dictionary);
    free(writer->dir);
    free(writer->prefix);
    free(writer->info);
    free(writer);
}

static struct warc_writer *new_writer(const struct warc_writer_options *options, enum warc_packing packing,
                                      struct rng *rng)
{
    struct warc_writer *writer = calloc(1, sizeof *writer);

    SCENT_BUG_IF(!writer);
    *writer = (struct warc_writer){
        .dir = strdup(options->dir),
        .prefix = strdup(options->prefix),
        .info = make_info(options),
        .rotate_bytes = options->rotate_bytes ? options->rotate_bytes : rotate_default,
        .train_bytes = options->train_bytes ? options->train_bytes : train_default,
        .rng = rng,
        .clock = options->clock ? options->clock : &clock_system,
        .packing = packing,
        .packer = warc_packer_new((struct warc_form){packing, NULL}, options->level),
        .fd = -1,
    };
    SCENT_BUG_IF(!writer->dir || !writer->prefix);
    if (options->unique)
        make_label(rng, writer->label);
    return writer;
}

scent_status warc_writer_open(const struct warc_writer_options *options, const struct warc_position *last,
                              struct rng *rng, struct warc_writer **out, struct errmsg *err)
{
    const size_t longest_tail =
        options->unique ? sizeof "-20261116083732123-99999999-" LONGEST_SUFFIX + LABEL_MAX
                        : sizeof "-99999999" LONGEST_SUFFIX;
    enum warc_packing packing = options->packing;
    struct warc_writer *writer;
    scent_status status;

    *out = NULL;
    if (strlen(options->prefix) + longest_tail > sizeof last->file || strlen(options->dir) + 128 > PATH_ROOM)
        return errmsg_fail(err, SCENT_E_INVALID, "the name %s/%s is too long for WARC files", options->dir,
                           options->prefix);
    SCENT_TRY(file_make_dir(options->dir, err));
    if (packing == WARC_PLAIN)
        packing = last && warc_name_packing(str_of(last->file)) == WARC_ZSTD ? WARC_ZSTD : WARC_GZIP;
    writer = new_writer(options, packing, rng);
    status = last && last->file[0] ? resume(writer, last, err) : start_series(writer, err);
    if (status != SCENT_OK) {
        release(writer);
        return status;
    }
    *out = writer;
    return SCENT_OK;
}

static void tell(const struct warc_writer *writer, struct warc_position *position)
{
    memcpy(position->file, writer->name, sizeof position->file);
    position->end = writer->size;
}

scent_status warc_writer_append(struct warc_writer *writer, struct str records, struct warc_position *at,
                                struct errmsg *err)
{
    if (writer->broken)
        return fail_broken(writer, err);
    if (writer->size > writer->empty_size && writer->size + records.len > writer->rotate_bytes)
        SCENT_TRY(rotate(writer, err));
    tell(writer, at);
    return append(writer, records, err);
}

struct warc_form warc_writer_form(const struct warc_writer *writer)
{
    return (struct warc_form){writer->packing, writer->dictionary};
}

scent_status warc_writer_train(struct warc_writer *writer, struct errmsg *err)
{
    struct http_dictionary *dictionary;
    scent_status status;

    if (writer->packing != WARC_ZSTD || writer->is_trained || writer->dictionary || writer->size < writer->train_bytes)
        return SCENT_OK;
    if (writer->broken)
        return fail_broken(writer, err);
    writer->is_trained = true;
    SCENT_TRY(train(writer, &dictionary, err));
    if (!dictionary)
        return SCENT_OK;
    use_dictionary(writer, dictionary);
    status = rotate(writer, err);
    if (status != SCENT_OK) {
        use_dictionary(writer, NULL);
        http_dictionary_free(dictionary);
    }
    return status;
}

scent_status warc_writer_rotate(struct warc_writer *writer, struct errmsg *err)
{
    return writer->broken ? fail_broken(writer, err) : rotate(writer, err);
}

scent_status warc_writer_sync(struct warc_writer *writer, struct warc_position *end, struct errmsg *err)
{
    scent_status status = writer->broken ? fail_broken(writer, err) : sync_file(writer, err);

    SCENT_TRY(status);
    if (writer->dir_dirty)
        SCENT_TRY(file_sync_dir(writer->dir, err));
    writer->dir_dirty = false;
    tell(writer, end);
    return SCENT_OK;
}

scent_status warc_writer_close(struct warc_writer *writer, struct warc_position *end, struct errmsg *err)
{
    scent_status status = writer->broken ? fail_broken(writer, err) : seal(writer, err);

    if (status == SCENT_OK)
        status = file_sync_dir(writer->dir, err);
    tell(writer, end);
    release(writer);
    return status;
}

void warc_writer_abandon(struct warc_writer *writer)
{
    release(writer);
}
