/* The rules in memory, the paths that they make, and their file. */
#include "learn/rulebook.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

uint32_t rulebook_find(const struct rulebook *rules, struct str class)
{
    struct map_walk walk = map_find(&rules->numbers, hash_str(class, 0));

    while (map_next(&walk))
        if (str_eq(rules->classes[walk.value], class))
            return walk.value;
    return RULEBOOK_NONE;
}

uint32_t rulebook_mark(const struct rulebook *rules, struct str category, bool *members)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < rules->nclasses; i++) {
        struct str class = rules->classes[i];

        if (!category.len || !str_starts(class, category) || (class.len > category.len && class.p[category.len] != '.'))
            continue;
        members[i] = true;
        count++;
    }
    return count;
}

static bool is_name(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.p[i] < ' ')
            return false;
    return s.len > 0;
}

static scent_status name_classes(struct rulebook *rules, const struct str *classes, struct errmsg *err)
{
    for (uint32_t i = 0; i < rules->nclasses; i++) {
        if (!is_name(classes[i]))
            return errmsg_fail(err, SCENT_E_INVALID, "class %" PRIu32 " has no name, or a control character in it",
                               i + 1);
        if (rulebook_find(rules, classes[i]) != RULEBOOK_NONE)
            return errmsg_fail(err, SCENT_E_INVALID, "the class '%.*s' stands there twice", STR_ARG(classes[i]));
        rules->classes[i] = arena_str(&rules->arena, classes[i]);
        if (!rules->classes[i].p || map_add(&rules->numbers, hash_str(classes[i], 0), i) != SCENT_OK)
            return errmsg_fail(err, SCENT_E_NOMEM, "no memory for rules");
    }
    return SCENT_OK;
}

scent_status rulebook_new(const struct str *classes, uint32_t nclasses, struct rulebook **out, struct errmsg *err)
{
    struct rulebook *rules;
    scent_status status;

    if (nclasses < 1 || nclasses > RULEBOOK_CLASSES_MAX)
        return errmsg_fail(err, nclasses ? SCENT_E_LIMIT : SCENT_E_INVALID,
                           "rules need 1 to %d classes, there are %" PRIu32, RULEBOOK_CLASSES_MAX, nclasses);
    rules = calloc(1, sizeof *rules);
    SCENT_BUG_IF(!rules);
    arena_init(&rules->arena, SIZE_MAX);
    rules->nclasses = nclasses;
    rules->classes = arena_array(&rules->arena, nclasses, sizeof *rules->classes);
    rules->counts = calloc((size_t)nclasses * nclasses, sizeof *rules->counts);
    if (rules->classes && rules->counts)
        status = name_classes(rules, classes, err);
    else
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for rules");
    if (status == SCENT_OK)
        *out = rules;
    else
        rulebook_free(rules);
    return status;
}

void rulebook_free(struct rulebook *rules)
{
    if (!rules)
        return;
    arena_release(&rules->arena);
    map_release(&rules->numbers);
    free(rules->counts);
    free(rules);
}

void rulebook_add(struct rulebook *rules, uint32_t from, uint32_t to, uint32_t count)
{
    uint32_t *at = &rules->counts[(size_t)from * rules->nclasses + to];

    *at = count > UINT32_MAX - *at ? UINT32_MAX : *at + count;
}

uint64_t rulebook_total(const struct rulebook *rules, uint32_t from)
{
    uint64_t total = 0;

    for (uint32_t to = 0; to < rules->nclasses; to++)
        total += rules->counts[(size_t)from * rules->nclasses + to];
    return total;
}

uint64_t rulebook_number(const struct rulebook *rules)
{
    uint64_t number = 0;

    for (size_t i = 0; i < (size_t)rules->nclasses * rules->nclasses; i++)
        number += rules->counts[i] > 0;
    return number;
}

void rulebook_shares(const struct rulebook *rules, double *x)
{
    size_t n = rules->nclasses;

    for (uint32_t from = 0; from < n; from++) {
        double total = (double)rulebook_total(rules, from);

        for (size_t to = 0; to < n; to++)
            x[from * n + to] = total > 0 ? rules->counts[from * n + to] / total : 0;
    }
}

static scent_status copy_counts(const struct rulebook *rules, struct rulebook *to, struct errmsg *err)
{
    uint32_t n = rules->nclasses;

    for (uint32_t i = 0; i < n; i++)
        if (rulebook_find(to, rules->classes[i]) == RULEBOOK_NONE)
            return errmsg_fail(err, SCENT_E_INVALID, "the rules know a class '%.*s' that the model does not know",
                               STR_ARG(rules->classes[i]));
    for (uint32_t i = 0; i < to->nclasses; i++)
        if (rulebook_find(rules, to->classes[i]) == RULEBOOK_NONE)
            return errmsg_fail(err, SCENT_E_INVALID, "the model knows a class '%.*s' that the rules do not know",
                               STR_ARG(to->classes[i]));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            rulebook_add(to, rulebook_find(to, rules->classes[i]), rulebook_find(to, rules->classes[k]),
                      rules->counts[(size_t)i * n + k]);
    to->fingerprint = rules->fingerprint;
    return SCENT_OK;
}

scent_status rulebook_arrange(const struct rulebook *rules, const struct str *classes, uint32_t nclasses,
                              struct rulebook **out, struct errmsg *err)
{
    scent_status status = rulebook_new(classes, nclasses, out, err);

    if (status == SCENT_OK && (status = copy_counts(rules, *out, err)) != SCENT_OK) {
        rulebook_free(*out);
        *out = NULL;
    }
    return status;
}

/* ---- paths: chains of rules. A path is cut where it would meet a class again, and ends where it meets the target.
 * ---- */

/* A path that grows at its end. */
struct walk {
    const struct rulebook_chain *chain;
    uint32_t target;
    struct rulebook_path path; /* classes[nrules] is where it stands */
    void (*found)(struct walk *walk, double score); /* the path and one rule more reach the target */
    double score;
    struct rulebook_path *kept; /* the best ones, as a heap whose first is the worst */
    size_t nkept, room;
    uint64_t all;
};

static bool is_on_path(const struct walk *walk, uint32_t class)
{
    for (uint32_t i = 0; i <= walk->path.nrules; i++)
        if (walk->path.classes[i] == class)
            return true;
    return false;
}

static void follow_path(struct walk *walk)
{
    const struct rulebook_chain *chain = walk->chain;
    struct rulebook_path *path = &walk->path;
    const double *row = chain->x + (size_t)path->classes[path->nrules] * chain->n;
    double score = path->score;

    if (row[walk->target] > 0)
        walk->found(walk, score * row[walk->target]);
    if (path->classes[0] == walk->target || path->nrules + 1 == chain->depth)
        return;
    for (uint32_t to = 0; to < chain->n; to++) {
        if (!(row[to] > 0) || to == walk->target || is_on_path(walk, to))
            continue;
        path->classes[++path->nrules] = to;
        path->score = score * row[to];
        follow_path(walk);
        path->nrules--;
    }
    path->score = score;
}

static void start_path(struct walk *walk, uint32_t from)
{
    walk->path = (struct rulebook_path){.classes = {from}, .score = 1};
    follow_path(walk);
}

static void add_score(struct walk *walk, double score)
{
    walk->score += score;
}

static void take_larger(struct walk *walk, double score)
{
    walk->score = score > walk->score ? score : walk->score;
}

double rulebook_score(const struct rulebook_chain *chain, uint32_t from, uint32_t target)
{
    struct walk walk = {.chain = chain, .target = target,
                        .found = chain->merge == RULEBOOK_MAX ? take_larger : add_score};

    SCENT_BUG_IF(chain->depth < 1 || chain->depth > RULEBOOK_DEPTH_MAX);
    start_path(&walk, from);
    return walk.score;
}

double rulebook_score_all(const struct rulebook_chain *chain, uint32_t from, const bool *wanted)
{
    double sum = 0;

    for (uint32_t i = 0; i < chain->n; i++)
        sum += wanted[i] ? rulebook_score(chain, from, i) : 0;
    return sum;
}

/* The first rule of every path is one of the row. */
static double score_row(const struct rulebook_chain *chain, const double *row, uint32_t target)
{
    struct rulebook_chain rest = *chain;
    double score = row[target];

    rest.depth--;
    for (uint32_t i = 0; i < chain->n && rest.depth > 0; i++) {
        double path = row[i] > 0 && i != target ? row[i] * rulebook_score(&rest, i, target) : 0;

        score = chain->merge == RULEBOOK_SUM ? score + path : path > score ? path : score;
    }
    return score;
}

double rulebook_score_row(const struct rulebook_chain *chain, const double *row, const bool *wanted)
{
    double sum = 0;

    for (uint32_t i = 0; i < chain->n; i++)
        sum += wanted[i] ? score_row(chain, row, i) : 0;
    return sum;
}

/* Better paths are negative: the larger score, then fewer rules, then the order of the classes. */
static int compare_paths(const void *a, const void *b)
{
    const struct rulebook_path *x = a, *y = b;

    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->nrules != y->nrules)
        return x->nrules < y->nrules ? -1 : 1;
    for (uint32_t i = 0; i <= x->nrules; i++)
        if (x->classes[i] != y->classes[i])
            return x->classes[i] < y->classes[i] ? -1 : 1;
    return 0;
}

static void swap_paths(struct rulebook_path *a, struct rulebook_path *b)
{
    struct rulebook_path kept = *a;

    *a = *b;
    *b = kept;
}

static void sink_in_heap(struct rulebook_path *heap, size_t n, size_t i)
{
    for (;;) {
        size_t worst = i;

        for (size_t kid = 2 * i + 1; kid <= 2 * i + 2 && kid < n; kid++)
            if (compare_paths(&heap[kid], &heap[worst]) > 0)
                worst = kid;
        if (worst == i)
            return;
        swap_paths(&heap[i], &heap[worst]);
        i = worst;
    }
}

static void rise_in_heap(struct rulebook_path *heap, size_t i)
{
    while (i > 0 && compare_paths(&heap[i], &heap[(i - 1) / 2]) > 0) {
        swap_paths(&heap[i], &heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static void keep_path(struct walk *walk, double score)
{
    struct rulebook_path path = walk->path;

    walk->all++;
    path.classes[++path.nrules] = walk->target;
    path.score = score;
    if (walk->nkept < walk->room) {
        walk->kept[walk->nkept] = path;
        rise_in_heap(walk->kept, walk->nkept++);
    } else if (walk->room && compare_paths(&path, &walk->kept[0]) < 0) {
        walk->kept[0] = path;
        sink_in_heap(walk->kept, walk->nkept, 0);
    }
}

size_t rulebook_paths(const struct rulebook_chain *chain, uint32_t from, uint32_t target, struct rulebook_path *out,
                      size_t room, uint64_t *all)
{
    struct walk walk = {.chain = chain, .target = target, .found = keep_path, .kept = out, .room = room};

    SCENT_BUG_IF(chain->depth < 1 || chain->depth > RULEBOOK_DEPTH_MAX);
    for (uint32_t i = 0; i < chain->n; i++)
        if (from == RULEBOOK_NONE || from == i)
            start_path(&walk, i);
    if (walk.nkept)
        qsort(out, walk.nkept, sizeof *out, compare_paths);
    *all = walk.all;
    return walk.nkept;
}

/* ---- the file ----
 *
 * One line a class, one line a rule, tabs between the columns:
 *
 *   scent-rules<TAB>1<TAB>FINGERPRINT
 *   class<TAB>NAME
 *   rule<TAB>FROM<TAB>TO<TAB>COUNT<TAB>SHARE
 *
 * Classes come first. The share is for people: it is computed from the counts when the file is read. */

enum { MAX_FILE = 64 << 20, COLUMNS = 5, NAME_MAX_BYTES = 4096 };
#define MAGIC "scent-rules"
#define VERSION "1"

struct reading {
    const char *name;
    size_t line;
    struct str *classes; /* until the first rule */
    uint32_t nclasses;
    size_t room;
    uint64_t fingerprint;
    struct rulebook *rules; /* NULL: classes still come */
};

static scent_status refuse_line(const struct reading *reading, struct errmsg *err, const char *what)
{
    return errmsg_fail(err, SCENT_E_FORMAT, "%s:%zu: %s; 'scent rules build' writes such a file anew", reading->name,
                       reading->line, what);
}

/* Fills the columns of a line; returns their number, COLUMNS + 1 for more. */
static size_t split_line(struct str line, struct str columns[COLUMNS])
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
        if (ascii_hex(s.p[i]) < 0)
            return false;
        *out = *out << 4 | (uint64_t)ascii_hex(s.p[i]);
    }
    return true;
}

static scent_status read_head(struct reading *reading, struct str line, struct errmsg *err)
{
    struct str columns[COLUMNS];
    size_t n = split_line(line, columns);

    if (n < 2 || !str_eq(columns[0], STR(MAGIC)))
        return refuse_line(reading, err, "not a file of interclass rules");
    if (!str_eq(columns[1], STR(VERSION)))
        return errmsg_fail(err, SCENT_E_VERSION,
                           "%s was written by another version of scent; 'scent rules build' writes it anew",
                           reading->name);
    if (n != 3 || !parse_hex(columns[2], &reading->fingerprint))
        return refuse_line(reading, err, "its first line is damaged");
    return SCENT_OK;
}

static scent_status read_class(struct reading *reading, struct str name, struct errmsg *err)
{
    if (reading->rules)
        return refuse_line(reading, err, "a class below the first rule");
    if (name.len > NAME_MAX_BYTES || reading->nclasses == RULEBOOK_CLASSES_MAX)
        return refuse_line(reading, err, "too many classes, or a name that is too long");
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
    return status == SCENT_OK ? SCENT_OK : refuse_line(reading, err, why.text);
}

static scent_status read_rule(struct reading *reading, const struct str *columns, size_t n, struct errmsg *err)
{
    uint32_t from, to;
    uint64_t count;

    SCENT_TRY(end_classes(reading, err));
    if (n < 4)
        return refuse_line(reading, err, "expected: rule, from, to and a count, with tabs between them");
    from = rulebook_find(reading->rules, columns[1]);
    to = rulebook_find(reading->rules, columns[2]);
    if (from == RULEBOOK_NONE || to == RULEBOOK_NONE)
        return refuse_line(reading, err, "a rule of a class that is not among the classes above");
    if (!str_parse_u64(columns[3], &count) || count == 0 || count > UINT32_MAX)
        return refuse_line(reading, err, "the count of a rule is a whole number above 0");
    if (reading->rules->counts[(size_t)from * reading->rules->nclasses + to])
        return refuse_line(reading, err, "this rule stands here twice");
    rulebook_add(reading->rules, from, to, (uint32_t)count);
    return SCENT_OK;
}

static scent_status read_line(struct reading *reading, struct str line, struct errmsg *err)
{
    struct str columns[COLUMNS];
    size_t n = split_line(line, columns);

    if (n == 2 && str_eq(columns[0], STR("class")))
        return read_class(reading, columns[1], err);
    if (n >= 1 && n <= COLUMNS && str_eq(columns[0], STR("rule")))
        return read_rule(reading, columns, n, err);
    return refuse_line(reading, err, "expected a class or a rule");
}

static scent_status read_lines(struct reading *reading, struct str rest, struct errmsg *err)
{
    bool has_head = false;
    struct str line;

    while (str_split(&rest, '\n', &line)) {
        reading->line++;
        if (str_ends(line, STR("\r")))
            line.len--;
        if (!line.len || line.p[0] == '#')
            continue;
        SCENT_TRY(has_head ? read_line(reading, line, err) : read_head(reading, line, err));
        has_head = true;
    }
    return has_head ? end_classes(reading, err) : refuse_line(reading, err, "the file is empty");
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

scent_status rulebook_load(const char *path, struct rulebook **out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    *out = NULL;
    buf_init(&text, MAX_FILE);
    status = file_read_as(path, STR(MAGIC "\t"), &text, err);
    if (status == SCENT_OK)
        status = rulebook_read(buf_str(&text), path, out, err);
    buf_release(&text);
    return status;
}

scent_status rulebook_save(const struct rulebook *rules, const char *path, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, MAX_FILE); /* what could not be read again is not written */
    status = rulebook_write(rules, &text);
    status = status == SCENT_OK ? file_replace(path, buf_str(&text), err)
                                : errmsg_fail(err, status, "%s: the rules do not fit into %d MiB or into memory", path,
                                              MAX_FILE >> 20);
    buf_release(&text);
    return status;
}
