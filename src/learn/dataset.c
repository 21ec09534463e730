/* From labelled examples to rows of weights. What cannot teach is found here, before any model sees it. */
#include "learn/dataset.h"

#include "base/rng.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

enum { COPIES_MAX = 1000 };

static scent_status fail_example(const struct learn_set *set, size_t i, const char *what, struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_INVALID, "example %zu (class \"%.*s\"): %s", i + 1,
                       STR_ARG(set->classes[set->examples[i].class]), what);
}

static scent_status check_example(const struct learn_set *set, size_t i, struct errmsg *err)
{
    const struct text_vector *tf = &set->examples[i].tf;

    if (set->examples[i].class >= set->nclasses)
        return errmsg_fail(err, SCENT_E_INVALID, "example %zu has class number %u, but there are %u classes", i + 1,
                           set->examples[i].class, set->nclasses);
    for (size_t k = 0; k < tf->count; k++) {
        if (!(tf->items[k].weight >= 0 && tf->items[k].weight <= DATASET_TF_MAX))
            return fail_example(set, i, "a word frequency is negative, too large or not a number", err);
        if (k && tf->items[k].stem <= tf->items[k - 1].stem)
            return fail_example(set, i, "its words are not sorted, or one is there twice", err);
    }
    return SCENT_OK;
}

static double max_weight(const struct text_vector *tf)
{
    double max = 0;

    for (size_t k = 0; k < tf->count; k++)
        max = fmax(max, tf->items[k].weight);
    return max;
}

static scent_status check_classes(const struct learn_set *set, const uint32_t *sizes, struct errmsg *err)
{
    for (uint32_t c = 0; c < set->nclasses; c++) {
        if (sizes[c] == 0)
            return errmsg_fail(err, SCENT_E_INVALID,
                               "class \"%.*s\" has no example with any words; give it some, or leave the class out",
                               STR_ARG(set->classes[c]));
        if (set->classes[c].len > LEARN_CLASS_MAX)
            return errmsg_fail(err, SCENT_E_LIMIT, "the name of a class has %zu bytes, more than %d: \"%.60s…\"",
                               set->classes[c].len, LEARN_CLASS_MAX, set->classes[c].p);
    }
    return SCENT_OK;
}

/* Weak rows together shall weigh `weak` times as much as all others. Solvers know no weights of rows: so the others
 * count several times. Where there are few weak rows each counts like any other. */
static uint32_t count_copies(const struct dataset *data, double weak)
{
    double copies = (data->nrows - data->first_weak) / (weak * fmax(data->first_weak, 1));

    return copies > 1 ? (uint32_t)fmin(round(copies), COPIES_MAX) : 1;
}

/* Counts the rows: an example without words has nothing to say and is left out. */
static scent_status count_rows(struct dataset *data, const struct learn_set *set, const struct model_options *options,
                               size_t *ncells, struct errmsg *err)
{
    const struct log *log = options->log;
    size_t empty = 0;

    if (set->nclasses < 2)
        return errmsg_fail(err, SCENT_E_INVALID, "a model needs examples of at least two classes, this has %u; add "
                           "examples of what is not relevant", set->nclasses);
    if (set->nexamples > UINT32_MAX / 2)
        return errmsg_fail(err, SCENT_E_LIMIT, "%zu examples are too many", set->nexamples);
    data->sizes = arena_zalloc(&data->arena, set->nclasses * sizeof *data->sizes);
    if (!data->sizes)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for %u classes", set->nclasses);
    for (size_t i = 0; i < set->nexamples; i++) {
        SCENT_TRY(check_example(set, i, err));
        if (max_weight(&set->examples[i].tf) > 0) {
            data->sizes[set->examples[i].class]++;
            data->nrows++;
            data->first_weak += i < set->nexamples - set->nweak;
            *ncells += set->examples[i].tf.count;
        } else {
            empty++;
        }
    }
    if (empty && log)
        log_line(log, LOG_WARN, "%zu of %zu examples have no words and are left out", empty, set->nexamples);
    data->nclasses = set->nclasses;
    data->copies = count_copies(data, options->weak);
    return check_classes(set, data->sizes, err);
}

/* Hashes are uniform: their first bits say about where each belongs, and few share a place. Five times as fast as
 * qsort() alone, where a model is trained anew for every fold. */
static scent_status sort_hashes(uint64_t *all, size_t n)
{
    enum { FEW = 8 };
    unsigned bits = 1;
    uint64_t *sorted = malloc((n + 1) * sizeof *sorted);
    size_t *end, places;

    while (bits < 24 && ((size_t)FEW << bits) < n)
        bits++;
    places = (size_t)1 << bits;
    end = calloc(places + 1, sizeof *end);
    for (size_t i = 0; sorted && end && i < n; i++)
        end[(all[i] >> (64 - bits)) + 1]++;
    for (size_t i = 0; sorted && end && i < places; i++)
        end[i + 1] += end[i];
    for (size_t i = 0; sorted && end && i < n; i++)
        sorted[end[all[i] >> (64 - bits)]++] = all[i];
    for (size_t i = 0, first = 0; sorted && end && i < places; first = end[i++])
        qsort(sorted + first, end[i] - first, sizeof *sorted, order_u64);
    if (sorted && end)
        memcpy(all, sorted, n * sizeof *all);
    free(sorted);
    free(end);
    return sorted && end ? SCENT_OK : SCENT_E_NOMEM;
}

/* All stems of all examples, sorted; then each once, with the number of its examples. */
static scent_status number_stems(struct dataset *data, const struct learn_set *set, size_t ncells)
{
    uint64_t *all = malloc((ncells + 1) * sizeof *all);
    size_t n = 0, distinct = 0;
    scent_status status;

    if (!all)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < set->nexamples; i++)
        for (size_t k = 0; k < set->examples[i].tf.count; k++)
            if (set->examples[i].tf.items[k].weight > 0)
                all[n++] = set->examples[i].tf.items[k].stem;
    status = sort_hashes(all, n);
    for (size_t i = 0; i < n; i++)
        distinct += i == 0 || all[i] != all[i - 1];
    data->stems = arena_array(&data->arena, distinct, sizeof *data->stems);
    data->df = arena_array(&data->arena, distinct, sizeof *data->df);
    if (status != SCENT_OK || distinct > VOCABULARY_MAX || !data->stems || !data->df) {
        free(all);
        return distinct > VOCABULARY_MAX ? SCENT_E_LIMIT : SCENT_E_NOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || all[i] != all[i - 1]) {
            data->stems[data->nfeatures] = all[i];
            data->df[data->nfeatures++] = 0;
        }
        data->df[data->nfeatures - 1]++;
    }
    free(all);
    return SCENT_OK;
}

/* Keeps the `max` features with the highest df; among equals at the border the first. */
static scent_status limit_features(struct dataset *data, uint32_t max)
{
    uint32_t border = data->nrows + 1, above = 0, kept = 0, equals;
    uint32_t *count;

    if (max == 0 || data->nfeatures <= max)
        return SCENT_OK;
    count = calloc(data->nrows + (size_t)2, sizeof *count);
    if (!count)
        return SCENT_E_NOMEM;
    for (uint32_t f = 0; f < data->nfeatures; f++)
        count[data->df[f]]++;
    while (above + count[border - 1] <= max)
        above += count[--border];
    equals = max - above; /* of those with df == border - 1 */
    free(count);
    for (uint32_t f = 0; f < data->nfeatures; f++) {
        bool keep = data->df[f] >= border || (data->df[f] == border - 1 && equals > 0);

        if (keep && data->df[f] < border)
            equals--;
        data->stems[kept] = data->stems[f];
        data->df[kept] = data->df[f];
        kept += keep;
    }
    data->nfeatures = kept;
    return SCENT_OK;
}

/* The mutual information of a word (in a document or not) with the class: sum of P(w, c) ln(P(w, c)/(P(w) P(c))), from
 * the documents of each class that have it. */
static double information(const uint32_t *with, const uint32_t *sizes, uint32_t nclasses, double ndocs, double df)
{
    double sum = 0;

    for (uint32_t c = 0; c < nclasses; c++) {
        double has = with[c], lacks = sizes[c] - has;

        sum += has > 0 ? has / ndocs * log(has * ndocs / (df * sizes[c])) : 0;
        sum += lacks > 0 ? lacks / ndocs * log(lacks * ndocs / ((ndocs - df) * sizes[c])) : 0;
    }
    return sum;
}

static scent_status count_information(const struct dataset *data, const struct learn_set *set, double *out)
{
    uint32_t *with = calloc((size_t)data->nfeatures * data->nclasses, sizeof *with);
    struct vocabulary all;
    struct arena arena;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = with ? vocabulary_init(&all, data->stems, data->nfeatures, &arena) : SCENT_E_NOMEM;
    for (size_t i = 0; status == SCENT_OK && i < set->nexamples; i++)
        for (size_t k = 0; k < set->examples[i].tf.count; k++)
            if (set->examples[i].tf.items[k].weight > 0)
                with[(size_t)vocabulary_find(&all, set->examples[i].tf.items[k].stem) * data->nclasses +
                     set->examples[i].class]++;
    for (uint32_t f = 0; status == SCENT_OK && f < data->nfeatures; f++)
        out[f] = information(with + (size_t)f * data->nclasses, data->sizes, data->nclasses, data->nrows, data->df[f]);
    arena_release(&arena);
    free(with);
    return status;
}

/* Keeps the `max` features with the highest mutual information; among equals at the border the first. */
static scent_status limit_by_information(struct dataset *data, const struct learn_set *set, uint32_t max)
{
    double *value, *sorted, border;
    uint32_t kept = 0, equals = 0;
    scent_status status;

    if (max == 0 || data->nfeatures <= max)
        return SCENT_OK;
    value = malloc(2 * (size_t)data->nfeatures * sizeof *value);
    status = value ? count_information(data, set, value) : SCENT_E_NOMEM;
    if (status == SCENT_OK) {
        sorted = value + data->nfeatures;
        memcpy(sorted, value, data->nfeatures * sizeof *sorted);
        qsort(sorted, data->nfeatures, sizeof *sorted, order_double);
        border = sorted[data->nfeatures - max];
        for (uint32_t i = data->nfeatures - max; i < data->nfeatures && sorted[i] == border; i++)
            equals++;
        for (uint32_t f = 0; f < data->nfeatures; f++) {
            bool keep = value[f] > border || (value[f] == border && equals > 0);

            equals -= keep && value[f] == border;
            data->stems[kept] = data->stems[f];
            data->df[kept] = data->df[f];
            kept += keep;
        }
        data->nfeatures = kept;
    }
    free(value);
    return status;
}

static scent_status fill_rows(struct dataset *data, const struct learn_set *set, size_t ncells)
{
    uint32_t row = 0;
    size_t n = 0;

    data->cells = arena_array(&data->arena, ncells, sizeof *data->cells);
    data->start = arena_array(&data->arena, data->nrows + (size_t)1, sizeof *data->start);
    data->class = arena_array(&data->arena, data->nrows, sizeof *data->class);
    data->max_tf = arena_array(&data->arena, data->nrows, sizeof *data->max_tf);
    if (!data->cells || !data->start || !data->class || !data->max_tf)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < set->nexamples; i++) {
        const struct text_vector *tf = &set->examples[i].tf;
        double max = max_weight(tf);

        if (max <= 0)
            continue;
        data->start[row] = n;
        data->class[row] = set->examples[i].class;
        data->max_tf[row++] = max;
        for (size_t k = 0; k < tf->count; k++) {
            uint32_t feature = vocabulary_find(&data->vocabulary, tf->items[k].stem);

            if (tf->items[k].weight > 0 && feature != VOCABULARY_NONE)
                data->cells[n++] = (struct dataset_cell){feature, (float)tf->items[k].weight, 0};
        }
    }
    data->start[row] = n;
    return SCENT_OK;
}

static uint64_t row_hash(const struct dataset *data, uint32_t row)
{
    uint64_t hash = 1;

    for (size_t k = data->start[row]; k < data->start[row + 1]; k++) {
        uint32_t bits;

        memcpy(&bits, &data->cells[k].tf, sizeof bits);
        hash = hash_mix(hash, (uint64_t)data->cells[k].feature << 32 | bits);
    }
    return hash;
}

struct twin {
    uint64_t hash;
    uint32_t class;
};

static int compare_twins(const void *a, const void *b)
{
    const struct twin *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

/* The number of rows whose words are also those of a row of another class; *same: all rows are equal. */
static scent_status count_twins(const struct dataset *data, uint32_t *twins, bool *same)
{
    struct twin *all = malloc(data->nrows * sizeof *all);

    if (!all)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < data->nrows; i++)
        all[i] = (struct twin){row_hash(data, i), data->class[i]};
    qsort(all, data->nrows, sizeof *all, compare_twins);
    *twins = 0;
    *same = all[0].hash == all[data->nrows - 1].hash;
    for (uint32_t i = 0, end; i < data->nrows; i = end) {
        for (end = i; end < data->nrows && all[end].hash == all[i].hash; end++)
            ;
        if (all[end - 1].class != all[i].class)
            *twins += end - i;
    }
    free(all);
    return SCENT_OK;
}

static scent_status check_twins(const struct dataset *data, const struct log *log, struct errmsg *err)
{
    uint32_t twins;
    bool same;

    if (count_twins(data, &twins, &same) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory to compare %u examples", data->nrows);
    if (same)
        return errmsg_fail(err, SCENT_E_INVALID, "all %u examples have the same words, so that their classes cannot be "
                           "told apart; give each class its own", data->nrows);
    if (twins && log)
        log_line(log, LOG_WARN, "%u of %u examples stand under more than one class with the same words", twins,
                 data->nrows);
    return SCENT_OK;
}

static scent_status build_rows(struct dataset *data, const struct learn_set *set, const struct model_options *options,
                          size_t ncells)
{
    SCENT_TRY(number_stems(data, set, ncells));
    SCENT_TRY(options->selection == MODEL_BY_INFORMATION ? limit_by_information(data, set, options->max_features)
                                                          : limit_features(data, options->max_features));
    SCENT_TRY(vocabulary_init(&data->vocabulary, data->stems, data->nfeatures, &data->arena));
    return fill_rows(data, set, ncells);
}

scent_status dataset_init(struct dataset *data, const struct learn_set *set, const struct model_options *options,
                          struct errmsg *err)
{
    scent_status status;
    size_t ncells = 0;

    *data = (struct dataset){0};
    arena_init(&data->arena, SIZE_MAX);
    status = count_rows(data, set, options, &ncells, err);
    if (status == SCENT_OK) {
        status = build_rows(data, set, options, ncells);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "the %zu words of %zu examples do not fit; use fewer examples", ncells,
                        set->nexamples);
    }
    if (status == SCENT_OK)
        status = check_twins(data, options->log, err);
    if (status != SCENT_OK)
        dataset_release(data);
    return status;
}

void dataset_release(struct dataset *data)
{
    arena_release(&data->arena);
}

/* The weight by D and df of each feature, over the rows with keep[row]; 0 for those that are in none. */
static void count_idf(const struct dataset *data, enum text_weighting weighting, const bool *keep, double *idf)
{
    uint32_t ndocs = 0;

    for (uint32_t f = 0; f < data->nfeatures; f++)
        idf[f] = 0;
    for (uint32_t row = 0; row < data->nrows; row++) {
        if (keep && !keep[row])
            continue;
        ndocs++;
        for (size_t k = data->start[row]; k < data->start[row + 1]; k++)
            idf[data->cells[k].feature]++;
    }
    for (uint32_t f = 0; f < data->nfeatures; f++)
        idf[f] = idf[f] > 0 ? text_weigh_df(weighting, ndocs, idf[f]) : 0;
}

/* Most frequencies are small whole numbers, and their logarithms the same in every row. */
enum { USUAL_TF = 64 };

static void weigh_row(struct dataset *data, uint32_t row, enum text_weighting weighting, const double *usual,
                      const double *idf)
{
    double squares = 0, scale;

    for (size_t k = data->start[row]; k < data->start[row + 1]; k++) {
        struct dataset_cell *cell = &data->cells[k];

        double tf = (double)cell->tf;
        size_t whole = tf < USUAL_TF ? (size_t)tf : 0;
        double weight = usual && (double)whole == tf ? usual[whole] : text_weigh_tf(weighting, tf, data->max_tf[row]);

        cell->value = (float)(weight * idf[cell->feature]);
        squares += (double)cell->value * (double)cell->value;
    }
    scale = text_weighting_is_cosine(weighting) && squares > 0 ? 1 / sqrt(squares) : 1;
    for (size_t k = data->start[row]; k < data->start[row + 1]; k++)
        data->cells[k].value = (float)((double)data->cells[k].value * scale);
}

scent_status dataset_weigh(struct dataset *data, enum text_weighting weighting, const bool *keep)
{
    double *idf = malloc((data->nfeatures + (size_t)1) * sizeof *idf), usual[USUAL_TF];

    if (!idf)
        return SCENT_E_NOMEM;
    for (int tf = 0; tf < USUAL_TF; tf++)
        usual[tf] = text_weigh_tf(weighting, tf, 0);
    count_idf(data, weighting, keep, idf);
    for (uint32_t row = 0; row < data->nrows; row++)
        weigh_row(data, row, weighting, text_weighting_is_cosine(weighting) ? usual : NULL, idf);
    free(idf);
    return SCENT_OK;
}

/* ---- folds ---- */

static void shuffle_rows(uint32_t *items, size_t n, struct rng *rng)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(rng, i);
        uint32_t item = items[i - 1];

        items[i - 1] = items[j];
        items[j] = item;
    }
}

/* at[c] becomes the number of rows of the classes before c: where the dealing of class c begins. */
static void count_before(const uint32_t *class, size_t n, uint32_t nclasses, uint32_t *at)
{
    uint32_t before = 0;

    for (size_t i = 0; i < n; i++)
        at[class[i]]++;
    for (uint32_t c = 0; c < nclasses; c++) {
        uint32_t count = at[c];

        at[c] = before;
        before += count;
    }
}

scent_status folds_split(const uint32_t *class, size_t n, uint32_t nclasses, uint32_t nfolds, uint64_t seed,
                         uint32_t *fold)
{
    uint32_t *rows = malloc((n + 1) * sizeof *rows), *at = calloc(nclasses + (size_t)1, sizeof *at);
    scent_status status = rows && at ? SCENT_OK : SCENT_E_NOMEM;
    struct rng rng;

    if (status == SCENT_OK) {
        rng_seed(&rng, seed);
        for (uint32_t i = 0; i < n; i++)
            rows[i] = i;
        shuffle_rows(rows, n, &rng);
        count_before(class, n, nclasses, at);
        for (size_t i = 0; i < n; i++)
            fold[rows[i]] = at[class[rows[i]]]++ % nfolds;
    }
    free(rows);
    free(at);
    return status;
}

/* ---- vocabulary ---- */

scent_status vocabulary_init(struct vocabulary *vocabulary, const uint64_t *stems, uint32_t count, struct arena *arena)
{
    uint32_t bits = 1, bucket = 0;

    while (bits < 26 && (1u << bits) < count)
        bits++;
    *vocabulary = (struct vocabulary){.stems = stems, .count = count, .shift = 64 - bits};
    vocabulary->first = arena_array(arena, (1u << bits) + (size_t)1, sizeof *vocabulary->first);
    if (!vocabulary->first)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        while (bucket <= stems[i] >> vocabulary->shift)
            vocabulary->first[bucket++] = i;
    while (bucket <= 1u << bits)
        vocabulary->first[bucket++] = count;
    return SCENT_OK;
}
