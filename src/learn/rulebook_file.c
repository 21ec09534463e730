/* One line a class, one line a rule, tabs between the columns:
 *
 *   scent-rules<TAB>1<TAB>FINGERPRINT
 *   class<TAB>NAME
 *   rule<TAB>FROM<TAB>TO<TAB>COUNT<TAB>SHARE
 *
 * Classes come first. The share is for people: it is computed from the counts when the file is read. */
#include "learn/rulebook.h"

#include "base/file.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAX_FILE = 1 << 30, COLUMNS = 5, NAME_MAX_BYTES = 4096 };
#define MAGIC "scent-rules"
#define VERSION "1"

/* ---- reading ---- */

struct reading {
    const char *name;
    size_t line;
    struct str *classes; /* until the first rule */
    uint32_t nclasses;
    size_t room;
    uint64_t fingerprint;
    struct rulebook *rules; /* NULL: classes still come */
};

static scent_status refuse(const struct reading *reading, struct errmsg *err, const char *what)
{
    return errmsg_fail(err, SCENT_E_FORMAT, "%s:%zu: %s; 'scent rules build' writes such a file anew", reading->name,
                       reading->line, what);
}

/* Fills the columns of a line; returns their number, COLUMNS + 1 for more. */
static size_t split(struct str line, struct str columns[COLUMNS])
{
    size_t n = 0;
    struct str part;

    while (str_split(&line, '\t', &part)) {
        if (n == COLUMNS)
            return COLUMNS + 1;
        columns[n++] = part;
    }
    return n;
}

static bool parse_hex(struct str s, uint64_t *out)
{
    *out = 0;
    if (s.len != 16)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = ascii_lower(s.p[i]);

        if (!ascii_is_digit(c) && !(c >= 'a' && c <= 'f'))
            return false;
        *out = *out << 4 | (uint64_t)(ascii_is_digit(c) ? c - '0' : c - 'a' + 10);
    }
    return true;
}

static scent_status read_head(struct reading *reading, struct str line, struct errmsg *err)
{
    struct str columns[COLUMNS];
    size_t n = split(line, columns);

    if (n < 2 || !str_eq(columns[0], STR(MAGIC)))
        return refuse(reading, err, "not a file of interclass rules");
    if (!str_eq(columns[1], STR(VERSION)))
        return errmsg_fail(err, SCENT_E_VERSION,
                           "%s was written by another version of scent; 'scent rules build' writes it anew",
                           reading->name);
    if (n != 3 || !parse_hex(columns[2], &reading->fingerprint))
        return refuse(reading, err, "its first line is damaged");
    return SCENT_OK;
}

static scent_status read_class(struct reading *reading, struct str name, struct errmsg *err)
{
    if (reading->rules)
        return refuse(reading, err, "a class below the first rule");
    if (name.len > NAME_MAX_BYTES || reading->nclasses == RULEBOOK_CLASSES_MAX)
        return refuse(reading, err, "too many classes, or a name that is too long");
    if (!vec_reserve(&reading->classes, &reading->room, reading->nclasses + 1, sizeof *reading->classes))
        return errmsg_fail(err, SCENT_E_NOMEM, "%s: no memory for the rules", reading->name);
    reading->classes[reading->nclasses++] = name;
    return SCENT_OK;
}

static scent_status end_classes(struct reading *reading, struct errmsg *err)
{
    struct errmsg why = {{0}};
    scent_status status;

    if (reading->rules)
        return SCENT_OK;
    status = rulebook_new(reading->classes, reading->nclasses, &reading->rules, &why);
    if (status == SCENT_E_NOMEM)
        return errmsg_fail(err, status, "%s: %s", reading->name, why.text);
    return status == SCENT_OK ? SCENT_OK : refuse(reading, err, why.text);
}

static scent_status read_rule(struct reading *reading, const struct str *columns, size_t n, struct errmsg *err)
{
    scent_status status = end_classes(reading, err);
    uint32_t from, to;
    uint64_t count;

    if (status != SCENT_OK)
        return status;
    if (n < 4)
        return refuse(reading, err, "expected: rule, from, to and a count, with tabs between them");
    from = rulebook_find(reading->rules, columns[1]);
    to = rulebook_find(reading->rules, columns[2]);
    if (from == RULEBOOK_NONE || to == RULEBOOK_NONE)
        return refuse(reading, err, "a rule of a class that is not among the classes above");
    if (!str_parse_u64(columns[3], &count) || count == 0 || count > UINT32_MAX)
        return refuse(reading, err, "the count of a rule is a whole number above 0");
    if (reading->rules->counts[(size_t)from * reading->rules->nclasses + to])
        return refuse(reading, err, "this rule stands here twice");
    rulebook_add(reading->rules, from, to, (uint32_t)count);
    return SCENT_OK;
}

static scent_status read_line(struct reading *reading, struct str line, struct errmsg *err)
{
    struct str columns[COLUMNS];
    size_t n = split(line, columns);

    if (n == 2 && str_eq(columns[0], STR("class")))
        return read_class(reading, columns[1], err);
    if (n >= 1 && n <= COLUMNS && str_eq(columns[0], STR("rule")))
        return read_rule(reading, columns, n, err);
    return refuse(reading, err, "expected a class or a rule");
}

static scent_status read_lines(struct reading *reading, struct str rest, struct errmsg *err)
{
    bool has_head = false;
    struct str line;
    scent_status status = SCENT_OK;

    while (status == SCENT_OK && str_split(&rest, '\n', &line)) {
        reading->line++;
        if (str_ends(line, STR("\r")))
            line.len--;
        if (!line.len || line.p[0] == '#')
            continue;
        status = has_head ? read_line(reading, line, err) : read_head(reading, line, err);
        has_head = true;
    }
    if (status == SCENT_OK && !has_head)
        return refuse(reading, err, "the file is empty");
    return status == SCENT_OK ? end_classes(reading, err) : status;
}

scent_status rulebook_read(struct str text, const char *name, struct rulebook **out, struct errmsg *err)
{
    struct reading reading = {.name = name};
    scent_status status = read_lines(&reading, text, err);

    free(reading.classes);
    if (status == SCENT_OK) {
        reading.rules->fingerprint = reading.fingerprint;
        *out = reading.rules;
    } else {
        rulebook_free(reading.rules);
        *out = NULL;
    }
    return status;
}

/* ---- writing ---- */

struct cell {
    uint32_t to, count;
};

static int by_count(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void write_row(const struct rulebook *rules, uint32_t from, struct cell *cells, struct buf *out)
{
    double total = (double)rulebook_total(rules, from);
    size_t n = 0;

    for (uint32_t to = 0; to < rules->nclasses; to++) {
        uint32_t count = rules->counts[(size_t)from * rules->nclasses + to];

        if (count)
            cells[n++] = (struct cell){to, count};
    }
    if (n)
        qsort(cells, n, sizeof *cells, by_count);
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "rule\t%.*s\t%.*s\t%" PRIu32 "\t%.4f\n", STR_ARG(rules->classes[from]),
                   STR_ARG(rules->classes[cells[i].to]), cells[i].count, cells[i].count / total);
}

scent_status rulebook_write(const struct rulebook *rules, struct buf *out)
{
    struct cell *cells = calloc(rules->nclasses, sizeof *cells);

    SCENT_BUG_IF(!cells);
    buf_printf(out, MAGIC "\t" VERSION "\t%016" PRIx64 "\n", rules->fingerprint);
    buf_addz(out, "# rule, from, to, pages of class 'to' that examples of class 'from' link to, their share\n");
    for (uint32_t i = 0; i < rules->nclasses; i++)
        buf_printf(out, "class\t%.*s\n", STR_ARG(rules->classes[i]));
    for (uint32_t i = 0; i < rules->nclasses; i++)
        write_row(rules, i, cells, out);
    free(cells);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* ---- files ---- */

scent_status rulebook_load(const char *path, struct rulebook **out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    *out = NULL;
    buf_init(&text, MAX_FILE);
    status = file_read(path, &text, err);
    if (status == SCENT_OK)
        status = rulebook_read(buf_str(&text), path, out, err);
    buf_release(&text);
    return status;
}

scent_status rulebook_save(const struct rulebook *rules, const char *path, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    status = rulebook_write(rules, &text);
    status = status == SCENT_OK ? file_replace(path, buf_str(&text), err)
                                : errmsg_fail(err, status, "no memory to write %s", path);
    buf_release(&text);
    return status;
}
