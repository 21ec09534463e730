#include "lab/labels.h"

#include "base/file.h"
#include "base/vec.h"

#include <stdlib.h>

enum { MAX_FILE = 128 << 20, MAX_CATEGORY = 500, NAMED = 3 };

struct reading {
    const struct collection *collection;
    const char *path;
    const struct log *log;
    struct labels *labels;
    size_t room;
};

static scent_status add_row(struct reading *reading, uint32_t page, struct str category)
{
    struct labels *labels = reading->labels;

    if (!vec_reserve(&labels->rows, &reading->room, labels->count + 1, sizeof *labels->rows))
        return SCENT_E_NOMEM;
    category = arena_str(&labels->arena, category);
    labels->rows[labels->count++] = (struct labels_row){page, category};
    return category.p ? SCENT_OK : SCENT_E_NOMEM;
}

static bool is_category(struct str s)
{
    return s.len > 0 && s.len <= MAX_CATEGORY && s.p[0] != '.' && s.p[s.len - 1] != '.';
}

static scent_status read_label(struct reading *reading, size_t number, struct str line)
{
    struct labels *labels = reading->labels;
    size_t tab = str_find(line, '\t');
    struct str href = str_trim(str_sub(line, 0, tab));
    struct str category = tab < line.len ? str_trim(str_sub(line, tab + 1, line.len)) : STR_NONE;
    uint32_t page;

    if (!href.len || !is_category(category)) {
        if (labels->bad++ < NAMED)
            log_line(reading->log, LOG_WARN, "%s:%zu: not a URL, a tab and a category", reading->path, number);
        return SCENT_OK;
    }
    if (collection_find(reading->collection, href, &page))
        return add_row(reading, page, category);
    if (labels->missing++ < NAMED)
        log_line(reading->log, LOG_WARN, "%s:%zu: %.*s is not in the collection", reading->path, number, STR_ARG(href));
    return SCENT_OK;
}

static scent_status read_line(void *ctx, struct str line, size_t number, struct errmsg *err)
{
    struct reading *reading = ctx;

    line = str_trim(line);
    if (!line.len || line.p[0] == '#' || read_label(reading, number, line) == SCENT_OK)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the labels in %s", reading->path);
}

static scent_status ask_collection(struct reading *reading, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    for (uint32_t i = 0; i < collection_count(reading->collection) && status == SCENT_OK; i++) {
        struct str label = collection_label(reading->collection, i);

        if (label.len && (status = add_row(reading, i, label)) != SCENT_OK)
            errmsg_fail(err, status, "no memory for labels");
    }
    return status;
}

/* Part by part: the dot comes before every other byte, so that all that lies below a category follows it. */
static int compare(struct str a, struct str b)
{
    size_t i = 0;

    while (i < a.len && i < b.len && a.p[i] == b.p[i])
        i++;
    if (i == a.len || i == b.len)
        return (a.len > b.len) - (a.len < b.len);
    if (a.p[i] == '.' || b.p[i] == '.')
        return a.p[i] == '.' ? -1 : 1;
    return (unsigned char)a.p[i] < (unsigned char)b.p[i] ? -1 : 1;
}

static int by_category(const void *a, const void *b)
{
    const struct labels_row *x = a, *y = b;
    int order = compare(x->category, y->category);

    return order ? order : (x->page > y->page) - (x->page < y->page);
}

static void sort_rows(struct labels *labels)
{
    size_t kept = 0;

    if (labels->count)
        qsort(labels->rows, labels->count, sizeof *labels->rows, by_category);
    for (size_t i = 0; i < labels->count; i++)
        if (i == 0 || by_category(&labels->rows[i], &labels->rows[kept - 1]) != 0)
            labels->rows[kept++] = labels->rows[i];
    labels->count = kept;
}

scent_status labels_read(const struct collection *collection, const char *path, const struct log *log,
                         struct labels *out, struct errmsg *err)
{
    struct reading reading = {.collection = collection, .path = path, .log = log, .labels = out};
    scent_status status;

    *out = (struct labels){0};
    arena_init(&out->arena, SIZE_MAX);
    status = path ? file_each_line(reading.path, MAX_FILE, read_line, &reading, err) : ask_collection(&reading, err);
    sort_rows(out);
    if (status == SCENT_OK && out->count == 0)
        status = path ? errmsg_fail(err, SCENT_E_INVALID,
                                    "%s: no line fits the collection (%zu name pages that it does not have, %zu are "
                                    "not 'url<TAB>category')", path, out->missing, out->bad)
                      : errmsg_fail(err, SCENT_E_INVALID, "the collection has no labels: name a file with 'labels:'");
    if (status == SCENT_OK && out->missing + out->bad > 0)
        log_line(log, LOG_WARN, "%s: %zu labels read; left out: %zu whose page is not in the collection, %zu bad lines",
                 path, out->count, out->missing, out->bad);
    if (status != SCENT_OK)
        labels_release(out);
    return status;
}

void labels_release(struct labels *labels)
{
    free(labels->rows);
    arena_release(&labels->arena);
    *labels = (struct labels){0};
}

static bool lies_below(struct str category, struct str parent)
{
    return str_starts(category, parent) && (category.len == parent.len || category.p[parent.len] == '.');
}

size_t labels_mark(const struct labels *labels, struct str category, bool *relevant)
{
    size_t count = 0;

    for (size_t i = 0; i < labels->count; i++) {
        bool *mark = &relevant[labels->rows[i].page];

        if (*mark || !lies_below(labels->rows[i].category, category))
            continue;
        *mark = true;
        count++;
    }
    return count;
}

/* The first `level` parts. */
static struct str cut(struct str category, unsigned level)
{
    for (size_t i = 0; i < category.len; i++)
        if (category.p[i] == '.' && --level == 0)
            return str_sub(category, 0, i);
    return category;
}

/* Distinct pages in rows [from, to). */
static size_t count_pages(const struct labels *labels, size_t from, size_t to, uint32_t *scratch)
{
    size_t n = to - from, count = 0;

    for (size_t i = 0; i < n; i++)
        scratch[i] = labels->rows[from + i].page;
    qsort(scratch, n, sizeof *scratch, order_u32);
    for (size_t i = 0; i < n; i++)
        count += i == 0 || scratch[i] != scratch[i - 1];
    return count;
}

scent_status labels_categories(const struct labels *labels, unsigned level, size_t min, struct arena *arena,
                               struct str **out, size_t *count)
{
    uint32_t *scratch = arena_array(arena, labels->count + 1, sizeof *scratch);

    *count = 0;
    *out = arena_array(arena, labels->count + 1, sizeof **out);
    if (!*out || !scratch)
        return SCENT_E_NOMEM;
    for (size_t i = 0, end; i < labels->count; i = end) {
        struct str category = cut(labels->rows[i].category, level);

        for (end = i + 1; end < labels->count && str_eq(cut(labels->rows[end].category, level), category);)
            end++;
        if (count_pages(labels, i, end, scratch) >= min)
            (*out)[(*count)++] = category;
    }
    return SCENT_OK;
}
