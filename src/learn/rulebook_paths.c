/* Chains of rules. A path is cut where it would meet a class again, and ends where it meets the target. */
#include "learn/rulebook.h"

#include <stdlib.h>

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

static void go_on(struct walk *walk)
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
        go_on(walk);
        path->nrules--;
    }
    path->score = score;
}

static void start(struct walk *walk, uint32_t from)
{
    walk->path = (struct rulebook_path){.classes = {from}, .score = 1};
    go_on(walk);
}

/* ---- scores ---- */

static void add_up(struct walk *walk, double score)
{
    walk->score += score;
}

static void take_larger(struct walk *walk, double score)
{
    walk->score = score > walk->score ? score : walk->score;
}

double rulebook_score(const struct rulebook_chain *chain, uint32_t from, uint32_t target)
{
    struct walk walk = {.chain = chain, .target = target, .found = chain->merge == RULEBOOK_MAX ? take_larger : add_up};

    SCENT_BUG_IF(chain->depth < 1 || chain->depth > RULEBOOK_DEPTH_MAX);
    start(&walk, from);
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

/* ---- lists ---- */

/* Better paths are negative: the larger score, then fewer rules, then the order of the classes. */
static int compare(const void *a, const void *b)
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

static void swap(struct rulebook_path *a, struct rulebook_path *b)
{
    struct rulebook_path kept = *a;

    *a = *b;
    *b = kept;
}

static void sink(struct rulebook_path *heap, size_t n, size_t i)
{
    for (;;) {
        size_t worst = i;

        for (size_t kid = 2 * i + 1; kid <= 2 * i + 2 && kid < n; kid++)
            if (compare(&heap[kid], &heap[worst]) > 0)
                worst = kid;
        if (worst == i)
            return;
        swap(&heap[i], &heap[worst]);
        i = worst;
    }
}

static void rise(struct rulebook_path *heap, size_t i)
{
    while (i > 0 && compare(&heap[i], &heap[(i - 1) / 2]) > 0) {
        swap(&heap[i], &heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

static void keep(struct walk *walk, double score)
{
    struct rulebook_path path = walk->path;

    walk->all++;
    path.classes[++path.nrules] = walk->target;
    path.score = score;
    if (walk->nkept < walk->room) {
        walk->kept[walk->nkept] = path;
        rise(walk->kept, walk->nkept++);
    } else if (walk->room && compare(&path, &walk->kept[0]) < 0) {
        walk->kept[0] = path;
        sink(walk->kept, walk->nkept, 0);
    }
}

size_t rulebook_paths(const struct rulebook_chain *chain, uint32_t from, uint32_t target, struct rulebook_path *out,
                      size_t room, uint64_t *all)
{
    struct walk walk = {.chain = chain, .target = target, .found = keep, .kept = out, .room = room};

    SCENT_BUG_IF(chain->depth < 1 || chain->depth > RULEBOOK_DEPTH_MAX);
    for (uint32_t i = 0; i < chain->n; i++)
        if (from == RULEBOOK_NONE || from == i)
            start(&walk, i);
    if (walk.nkept)
        qsort(out, walk.nkept, sizeof *out, compare);
    *all = walk.all;
    return walk.nkept;
}
