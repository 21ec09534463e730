#include "training/taxonomy.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "http/http.h"
#include "training/example_files.h"
#include "training/rdf.h"
#include "url/url.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct taxonomy *taxonomy_new(const struct taxonomy_options *options)
{
    struct taxonomy *taxonomy = calloc(1, sizeof *taxonomy);

    SCENT_BUG_IF(!taxonomy);
    taxonomy->options = *options;
    return taxonomy;
}

static void drop_items(struct taxonomy *taxonomy, struct taxonomy_category *category)
{
    for (uint32_t i = 0; i < category->count; i++)
        free(category->items[i].text);
    free(category->items);
    taxonomy->nitems -= category->count;
    category->items = NULL;
    category->count = category->room = 0;
}

void taxonomy_free(struct taxonomy *taxonomy)
{
    if (!taxonomy)
        return;
    for (uint32_t i = 0; i < taxonomy->count; i++) {
        drop_items(taxonomy, &taxonomy->categories[i]);
        free(taxonomy->categories[i].name);
    }
    free(taxonomy->categories);
    map_release(&taxonomy->numbers);
    free(taxonomy);
}

/* ---- names ---- */

/* One spelling: dots between the levels, no empty levels. The length; 0: nothing is left; SIZE_MAX: too long or too
 * deep. */
static size_t spell(const struct taxonomy *taxonomy, struct str name, char out[TAXONOMY_MAX_NAME])
{
    bool slashed = str_find(name, '/') < name.len || str_eq(name, STR("Top"));
    uint32_t depth = 0;
    size_t len = 0;
    struct str part;

    name = str_trim(name);
    while (str_split(&name, slashed ? '/' : '.', &part)) {
        part = str_trim(part);
        if (!part.len || (slashed && depth == 0 && len == 0 && str_eq(part, STR("Top"))))
            continue;
        if (taxonomy->options.levels && depth == taxonomy->options.levels)
            break;
        if (len + part.len + 2 > TAXONOMY_MAX_NAME || ++depth > TAXONOMY_MAX_DEPTH)
            return SIZE_MAX;
        if (len)
            out[len++] = '.';
        for (size_t i = 0; i < part.len; i++)
            out[len++] = part.p[i] == '.' || (unsigned char)part.p[i] < ' ' ? '_' : part.p[i];
    }
    out[len] = 0;
    return len;
}

static int32_t find_category(const struct taxonomy *taxonomy, struct str name)
{
    struct map_walk walk = map_find(&taxonomy->numbers, hash_str(name, 0));

    while (map_next(&walk))
        if (str_eq(str_of(taxonomy->categories[walk.value].name), name))
            return (int32_t)walk.value;
    return TAXONOMY_NONE;
}

int32_t taxonomy_find(const struct taxonomy *taxonomy, struct str category)
{
    struct taxonomy whole = {0}; /* a name that is asked for is not cut to the levels */
    char name[TAXONOMY_MAX_NAME];
    size_t len = spell(&whole, category, name);

    return len == 0 || len == SIZE_MAX ? TAXONOMY_NONE : find_category(taxonomy, (struct str){name, len});
}

static bool has_memory(struct taxonomy *taxonomy, size_t more)
{
    enum { OF_ALLOCATOR = 16 };

    taxonomy->memory += more + OF_ALLOCATOR;
    return taxonomy->memory <= TAXONOMY_MAX_MEMORY;
}

static scent_status add_category(struct taxonomy *taxonomy, struct str name, int32_t parent)
{
    struct taxonomy_category *new;

    if (taxonomy->count == TAXONOMY_MAX_CATEGORIES || !has_memory(taxonomy, name.len + sizeof *new))
        return SCENT_E_LIMIT;
    if (!vec_reserve(&taxonomy->categories, &taxonomy->room, taxonomy->count + 1, sizeof *taxonomy->categories))
        return SCENT_E_NOMEM;
    new = &taxonomy->categories[taxonomy->count];
    *new = (struct taxonomy_category){.parent = parent, .name = str_dup(name), .depth = 1};
    if (!new->name)
        return SCENT_E_NOMEM;
    if (map_add(&taxonomy->numbers, hash_str(name, 0), (uint32_t)taxonomy->count) != SCENT_OK) {
        free(new->name);
        return SCENT_E_NOMEM;
    }
    if (parent >= 0) {
        new->depth = (uint16_t)(taxonomy->categories[parent].depth + 1);
        taxonomy->categories[parent].kids++;
    }
    taxonomy->count++;
    return SCENT_OK;
}

/* The category of this spelled name, made with its ancestors where it is new. */
static scent_status obtain_category(struct taxonomy *taxonomy, struct str name, uint32_t *out)
{
    int32_t parent = TAXONOMY_NONE;

    for (size_t end = 0; end < name.len; end++) {
        struct str part;
        int32_t number;

        end += str_find(str_sub(name, end, name.len), '.');
        part = str_sub(name, 0, end);
        number = find_category(taxonomy, part);
        if (number == TAXONOMY_NONE) {
            number = (int32_t)taxonomy->count;
            SCENT_TRY(add_category(taxonomy, part, parent));
        }
        parent = number;
    }
    *out = (uint32_t)parent;
    return SCENT_OK;
}

/* ---- items ---- */

/* Most categories have few items: the first room is smaller than that of other arrays. */
static bool reserve_item(struct taxonomy_category *category)
{
    enum { FIRST_ROOM = 4 };

    if (!category->room && vec_fit(&category->items, FIRST_ROOM, sizeof *category->items))
        category->room = FIRST_ROOM;
    return vec_reserve(&category->items, &category->room, category->count + 1, sizeof *category->items);
}

/* Below the cap every item is kept; the n-th one after that takes the place of another with probability cap / n.
 * `text` STR_NONE: it is a number. */
static scent_status keep_item(struct taxonomy *taxonomy, struct taxonomy_category *category, struct str text,
                              uint32_t number)
{
    uint32_t cap = taxonomy->options.per_class;
    struct taxonomy_item item = {.number = number};
    uint64_t place = category->count;

    category->offered++;
    if (cap && category->count == cap) {
        place = hash_mix(taxonomy->options.seed, taxonomy->draws++) % category->offered;
        if (place >= cap)
            return SCENT_OK;
    } else if (taxonomy->nitems == TAXONOMY_MAX_ITEMS || !has_memory(taxonomy, text.len + sizeof item)) {
        return SCENT_E_LIMIT;
    }
    if (!reserve_item(category) || (text.len && !(item.text = str_dup(text))))
        return SCENT_E_NOMEM;
    if (place < category->count) {
        free(category->items[place].text);
    } else {
        category->count++;
        taxonomy->nitems++;
    }
    category->items[place] = item;
    return SCENT_OK;
}

static scent_status add_item(struct taxonomy *taxonomy, struct str category, struct str text, uint32_t item)
{
    char name[TAXONOMY_MAX_NAME];
    size_t len = spell(taxonomy, category, name);
    uint32_t number = 0;

    if (len == 0)
        return SCENT_E_INVALID;
    if (len == SIZE_MAX)
        return SCENT_E_LIMIT;
    SCENT_TRY(obtain_category(taxonomy, (struct str){name, len}, &number));
    return keep_item(taxonomy, &taxonomy->categories[number], text, item);
}

scent_status taxonomy_add(struct taxonomy *taxonomy, struct str category, struct str item)
{
    return !item.len || memchr(item.p, 0, item.len) ? SCENT_E_INVALID : add_item(taxonomy, category, item, 0);
}

scent_status taxonomy_add_number(struct taxonomy *taxonomy, struct str category, uint32_t number)
{
    return add_item(taxonomy, category, STR_NONE, number);
}

bool taxonomy_is_below(const struct taxonomy *taxonomy, uint32_t category, int32_t ancestor)
{
    int32_t at = (int32_t)category;

    while (at >= 0 && at != ancestor)
        at = taxonomy->categories[at].parent;
    return at >= 0;
}

/* ---- leaves ---- */

static void bury(struct taxonomy *taxonomy, struct taxonomy_category *category)
{
    category->dead = true;
    if (category->parent >= 0)
        taxonomy->categories[category->parent].kids--;
}

static void move_up(struct taxonomy *taxonomy, struct taxonomy_category *leaf)
{
    struct taxonomy_category *parent = leaf->parent >= 0 ? &taxonomy->categories[leaf->parent] : NULL;

    for (uint32_t i = 0; parent && i < leaf->count; i++) {
        SCENT_BUG_IF(!reserve_item(parent));
        parent->items[parent->count++] = leaf->items[i];
    }
    if (parent) {
        free(leaf->items);
        leaf->items = NULL;
        leaf->count = leaf->room = 0;
    }
    drop_items(taxonomy, leaf);
    bury(taxonomy, leaf);
}

uint64_t taxonomy_merge_leaves(struct taxonomy *taxonomy, uint32_t min_leaf)
{
    uint64_t before = taxonomy->nitems;

    for (uint32_t depth = TAXONOMY_MAX_DEPTH; depth > 0; depth--)
        for (uint32_t i = 0; i < taxonomy->count; i++) {
            struct taxonomy_category *category = &taxonomy->categories[i];

            if (category->depth == depth && !category->dead && category->kids == 0 && category->count < min_leaf)
                move_up(taxonomy, category);
        }
    for (uint32_t i = 0; i < taxonomy->count; i++)
        if (taxonomy->categories[i].kids)
            drop_items(taxonomy, &taxonomy->categories[i]);
    return before - taxonomy->nitems;
}

enum { PIECE = 256 << 10, URL_LIST_MAX = 32 << 20, BARREN_MAX = 64 << 20 };

struct taxonomy_reader {
    struct taxonomy *taxonomy;
    struct taxonomy_report report;
    bool begun, overlong;
    struct rdf *rdf; /* NULL: a list */
    struct buf line;
    uint64_t lines;
};

/* ---- lines ---- */

static void note_bad(struct taxonomy_report *report, uint64_t line, const char *what)
{
    if (report->bad_lines++ == 0)
        snprintf(report->first_bad, sizeof report->first_bad, "line %" PRIu64 ": %s", line, what);
}

static scent_status take_item(void *ctx, struct str category, struct str url)
{
    struct taxonomy_reader *reader = ctx;
    scent_status status;

    if (!url_is_absolute(url)) {
        note_bad(&reader->report, reader->lines, "the page is not an http or https URL");
        return SCENT_OK;
    }
    status = taxonomy_add(reader->taxonomy, category, url);
    if (status == SCENT_E_INVALID) {
        note_bad(&reader->report, reader->lines, "the category has no name");
        return SCENT_OK;
    }
    reader->report.items += status == SCENT_OK;
    return status;
}

static scent_status take_line(struct taxonomy_reader *reader)
{
    struct str line = str_trim(buf_str(&reader->line)), left, right;

    reader->lines++;
    if (reader->lines == 1 && str_starts(line, STR("\xEF\xBB\xBF")))
        line = str_sub(line, 3, line.len);
    if (reader->overlong)
        note_bad(&reader->report, reader->lines, "longer than 16 KiB");
    if (reader->overlong || !line.len || line.p[0] == '#')
        return SCENT_OK;
    left = str_sub(line, 0, str_find(line, '\t'));
    if (left.len == line.len) {
        note_bad(&reader->report, reader->lines, "no tab; write category<TAB>url");
        return SCENT_OK;
    }
    right = str_sub(line, left.len + 1, line.len);
    right = str_trim(str_sub(right, 0, str_find(right, '\t'))); /* further columns are not ours */
    left = str_trim(left);
    return url_is_absolute(left) ? take_item(reader, right, left) : take_item(reader, left, right);
}

static scent_status feed_lines(struct taxonomy_reader *reader, struct str piece)
{
    scent_status status = SCENT_OK;

    while (piece.len && status == SCENT_OK) {
        size_t end = str_find(piece, '\n');

        if (!buf_add(&reader->line, str_sub(piece, 0, end)))
            reader->overlong = true;
        if (end == piece.len)
            break;
        status = take_line(reader);
        buf_clear(&reader->line);
        reader->line.failed = reader->overlong = false;
        piece = str_sub(piece, end + 1, piece.len);
    }
    return status;
}

/* ---- streams ---- */

struct taxonomy_reader *taxonomy_reader_new(struct taxonomy *taxonomy)
{
    struct taxonomy_reader *reader = calloc(1, sizeof *reader);

    SCENT_BUG_IF(!reader);
    reader->taxonomy = taxonomy;
    buf_init(&reader->line, TAXONOMY_MAX_LINE);
    return reader;
}

void taxonomy_reader_free(struct taxonomy_reader *reader)
{
    if (!reader)
        return;
    rdf_free(reader->rdf);
    buf_release(&reader->line);
    free(reader);
}

const struct taxonomy_report *taxonomy_reader_report(const struct taxonomy_reader *reader)
{
    return &reader->report;
}

scent_status taxonomy_reader_feed(struct taxonomy_reader *reader, struct str piece)
{
    /* The first visible byte tells; a byte order mark before it tells nothing. */
    while (!reader->begun && piece.len && (ascii_is_space(piece.p[0]) || strchr("\xEF\xBB\xBF", piece.p[0])))
        piece = str_sub(piece, 1, piece.len);
    if (!reader->begun && piece.len) {
        reader->begun = true;
        if (piece.p[0] == '<')
            reader->rdf = rdf_new(take_item, reader);
    }
    return reader->rdf ? rdf_feed(reader->rdf, piece) : feed_lines(reader, piece);
}

scent_status taxonomy_reader_finish(struct taxonomy_reader *reader)
{
    return reader->rdf || !reader->line.len ? SCENT_OK : take_line(reader);
}

/* ---- files ---- */

/* Members of gzip one after the other; what is damaged ends it. */
struct unpacker {
    struct http_inflater *inflater;
    struct buf out;
};

static scent_status feed_packed(struct taxonomy_reader *reader, struct unpacker *unpacker, struct str piece, bool *bad)
{
    scent_status status = SCENT_OK;
    enum http_step step = HTTP_STEP_ROOM;

    while (status == SCENT_OK && !*bad && (piece.len || step == HTTP_STEP_ROOM)) {
        size_t used = 0;

        buf_clear(&unpacker->out);
        status = http_inflater_feed(unpacker->inflater, piece, PIECE, &unpacker->out, &used, &step);
        if (status == SCENT_OK)
            status = taxonomy_reader_feed(reader, buf_str(&unpacker->out));
        piece = str_sub(piece, used, piece.len);
        if (step == HTTP_STEP_DONE)
            http_inflater_reset(unpacker->inflater);
        *bad = step == HTTP_STEP_BAD;
    }
    return status;
}

static scent_status feed_file(struct taxonomy_reader *reader, int fd, const char *path, bool *bad,
                              const struct log *log, struct errmsg *err)
{
    struct unpacker unpacker = {.inflater = http_inflater_new()};
    char *piece = malloc(PIECE);
    bool first = true, packed = false;
    size_t got = 0, barren = 0;
    uint64_t items = 0, read = 0;
    int64_t next_told = 0;
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!piece);
    buf_init(&unpacker.out, 0);
    /* What has given no page for so long gives none any more. */
    while (status == SCENT_OK && !*bad && barren < BARREN_MAX) {
        struct str bytes;

        status = file_take(fd, path, piece, PIECE, &got, err);
        if (status != SCENT_OK || got == 0)
            break;
        if ((read += got) > TAXONOMY_MAX_BYTES) {
            status = errmsg_fail(err, SCENT_E_INVALID, "%s: more than %" PRIu64 " GiB, which no taxonomy needs", path,
                                 TAXONOMY_MAX_BYTES >> 30);
            break;
        }
        if (log_is_due(&next_told))
            log_line(log, LOG_INFO, "%s: %" PRIu64 " MB read, %" PRIu64 " pages so far", path, read / 1000000,
                     reader->report.items);
        bytes = (struct str){piece, got};
        barren = reader->report.items > items ? 0 : barren + got;
        items = reader->report.items;
        packed = first ? str_starts(bytes, STR("\x1F\x8B")) : packed;
        first = false;
        status = packed ? feed_packed(reader, &unpacker, bytes, bad) : taxonomy_reader_feed(reader, bytes);
    }
    if (status == SCENT_OK)
        status = taxonomy_reader_finish(reader);
    buf_release(&unpacker.out);
    http_inflater_free(unpacker.inflater);
    free(piece);
    return status;
}

static scent_status fail_reading(scent_status status, const char *path, struct errmsg *err)
{
    if (status == SCENT_E_LIMIT)
        return errmsg_fail(err, status,
                           "%s: more than %d categories, %d pages or %d MiB of them, or a category of more than %d "
                           "levels; set taxonomy.levels and taxonomy.per_class to keep fewer",
                           path, TAXONOMY_MAX_CATEGORIES, TAXONOMY_MAX_ITEMS, TAXONOMY_MAX_MEMORY >> 20,
                           TAXONOMY_MAX_DEPTH);
    if (status == SCENT_E_NOMEM)
        return errmsg_fail(err, status, "%s: out of memory; set taxonomy.levels and taxonomy.per_class to keep "
                                        "less", path);
    return status;
}

static scent_status check_report(const struct taxonomy_report *report, const char *path, bool bad,
                                 const struct log *log, struct errmsg *err)
{
    if (report->bad_lines > report->items || report->items == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s is not a taxonomy: expected category<TAB>url lines, a folder tree or an ODP dump; %s",
                           path,
                           report->bad_lines ? report->first_bad : "it holds no page");
    if (report->bad_lines)
        log_line(log, LOG_WARN, "%s: %" PRIu64 " lines are left out; %s", path, report->bad_lines, report->first_bad);
    if (bad)
        log_line(log, LOG_WARN, "%s is damaged: the %" PRIu64 " pages before that are used", path, report->items);
    return SCENT_OK;
}

static scent_status read_file(struct taxonomy *taxonomy, const char *path, const struct log *log, struct errmsg *err)
{
    struct taxonomy_reader *reader;
    bool bad = false;
    int fd;
    scent_status status;

    SCENT_TRY(file_open(path, FILE_STREAM, &fd, err));
    reader = taxonomy_reader_new(taxonomy);
    status = feed_file(reader, fd, path, &bad, log, err);
    close(fd);
    if (status == SCENT_OK)
        status = check_report(&reader->report, path, bad, log, err);
    else
        fail_reading(status, path, err);
    taxonomy_reader_free(reader);
    return status;
}

/* ---- folders ---- */

struct url_list {
    struct taxonomy *taxonomy;
    struct str folder;
};

static scent_status add_listed(void *ctx, struct str line, size_t number, struct errmsg *err)
{
    struct url_list *urls = ctx;
    struct str url;

    (void)number, (void)err;
    return pagefile_next_url(&line, &url) && url_is_absolute(url) ? taxonomy_add(urls->taxonomy, urls->folder, url)
                                                                  : SCENT_OK;
}

static scent_status add_list(struct taxonomy *taxonomy, const struct example_file *file, struct errmsg *err)
{
    struct url_list urls = {taxonomy, file->folder};

    return file_each_line(file->path.p, URL_LIST_MAX, add_listed, &urls, err);
}

static scent_status read_folder(struct taxonomy *taxonomy, const char *path, const struct log *log, struct errmsg *err)
{
    struct example_files found = {0};
    struct arena arena;
    size_t loose = 0;
    scent_status status;

    arena_init(&arena, (size_t)1 << 30);
    status = example_files_add(&found, path, &arena, err);
    for (size_t i = 0; status == SCENT_OK && i < found.count; i++) {
        const struct example_file *file = &found.files[i];

        if (!file->folder.len)
            loose++;
        else if (file->kind == PAGEFILE_URLS)
            status = add_list(taxonomy, file, err);
        else
            status = taxonomy_add(taxonomy, file->folder, file->path);
        if (status == SCENT_E_INVALID) { /* a folder that is called "..." */
            status = SCENT_OK;
            loose++;
        }
    }
    if (status == SCENT_OK && taxonomy->nitems == 0)
        status = errmsg_fail(err, SCENT_E_INVALID, "%s is not a taxonomy: none of its folders holds a page", path);
    else if (status != SCENT_OK)
        fail_reading(status, path, err);
    if (status == SCENT_OK)
        example_files_report(&found, path, log);
    if (status == SCENT_OK && loose)
        log_line(log, LOG_WARN, "%s: %zu files lie in no category's folder and are left out", path, loose);
    arena_release(&arena);
    return status;
}

scent_status taxonomy_read(struct taxonomy *taxonomy, const char *path, const struct log *log, struct errmsg *err)
{
    return file_is_dir(path) ? read_folder(taxonomy, path, log, err) : read_file(taxonomy, path, log, err);
}
