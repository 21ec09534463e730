/* Measures of a classifier, and their estimate by cross-validation. */
#include "learn/evaluate.h"

#include "learn/dataset.h"

#include <math.h>
#include <stdlib.h>

/* ---- measures ---- */

struct ranked {
    double score;
    bool positive;
};

static int compare_ranked(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->score, y = ((const struct ranked *)b)->score;

    return x < y ? -1 : x > y;
}

double evaluate_auc(const double *score, const bool *positive, size_t n)
{
    struct ranked *all = malloc((n + 1) * sizeof *all);
    double below = 0, pairs = 0, npositive = 0;

    if (!all)
        return -1;
    for (size_t i = 0; i < n; i++)
        all[i] = (struct ranked){score[i], positive[i]};
    qsort(all, n, sizeof *all, compare_ranked);
    for (size_t i = 0, end; i < n; i = end) {
        double here = 0;

        for (end = i; end < n && all[end].score <= all[i].score; end++)
            here += all[end].positive;
        pairs += here * (below + (double)(end - i - here) / 2);
        below += (double)(end - i) - here;
        npositive += here;
    }
    free(all);
    return npositive > 0 && below > 0 ? pairs / (npositive * below) : .5;
}

double evaluate_brier(const double *p, const bool *positive, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += (p[i] - positive[i]) * (p[i] - positive[i]);
    return n ? sum / (double)n : 0;
}

double evaluate_ece(const double *p, const bool *positive, size_t n)
{
    enum { BINS = 10 };
    double excess[BINS] = {0}, sum = 0; /* sum of p less the number of positives */

    for (size_t i = 0; i < n; i++) {
        int bin = (int)(p[i] * BINS);

        excess[bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin] += p[i] - positive[i];
    }
    for (int bin = 0; bin < BINS; bin++)
        sum += fabs(excess[bin]);
    return n ? sum / (double)n : 0;
}

/* ---- cross-validation ---- */

/* The examples as pages: those with the same words are one. */
struct trial {
    const struct learn_set *set;
    const struct model_options *options;
    size_t nlabelled; /* examples; the rest is weak, and part of every model */
    uint32_t nfolds, npages, nclasses;
    uint32_t *page;       /* of each example */
    uint32_t *label;      /* of each page, the first of its labels */
    uint32_t *fold;       /* of each page */
    uint32_t *best;       /* the class that each page was given */
    bool *labels;         /* [class * npages + page] */
    double *p;            /* the same order: a class at a time is measured */
    struct learn_example *examples; /* for training: those outside a fold */
    struct str *names;
    uint32_t *number;     /* of each class in the model of a fold; UINT32_MAX: it has none */
    double *scores;
};

static void trial_release(struct trial *trial)
{
    free(trial->page);
    free(trial->label);
    free(trial->fold);
    free(trial->best);
    free(trial->labels);
    free(trial->p);
    free(trial->examples);
    free(trial->names);
    free(trial->number);
    free(trial->scores);
}

struct key {
    uint64_t hash;
    uint32_t example;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->example < y->example ? -1 : x->example > y->example;
}

static uint64_t hash_of(const struct text_vector *tf)
{
    return hash_bytes(tf->items, tf->count * sizeof *tf->items, tf->count);
}

/* Numbers the pages in the order of their first examples. */
static scent_status find_pages(struct trial *trial)
{
    size_t n = trial->nlabelled;
    struct key *keys = malloc((n + 1) * sizeof *keys);

    if (!keys)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < n; i++)
        keys[i] = (struct key){hash_of(&trial->set->examples[i].tf), i};
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n; i++) /* for now: the first example with these words */
        trial->page[keys[i].example] =
            i && keys[i].hash == keys[i - 1].hash ? trial->page[keys[i - 1].example] : keys[i].example;
    free(keys);
    for (uint32_t i = 0; i < n; i++) {
        if (trial->page[i] < i) {
            trial->page[i] = trial->page[trial->page[i]];
            continue;
        }
        trial->label[trial->npages] = trial->set->examples[i].class;
        trial->page[i] = trial->npages++;
    }
    return SCENT_OK;
}

static scent_status trial_init(struct trial *trial)
{
    size_t n = trial->set->nexamples + 1, nclasses = trial->nclasses;

    trial->page = malloc(n * sizeof *trial->page);
    trial->label = malloc(n * sizeof *trial->label);
    trial->fold = malloc(n * sizeof *trial->fold);
    trial->best = malloc(n * sizeof *trial->best);
    trial->labels = calloc(n * nclasses, sizeof *trial->labels);
    trial->p = calloc(n * nclasses, sizeof *trial->p);
    trial->examples = malloc(n * sizeof *trial->examples);
    trial->names = malloc(nclasses * sizeof *trial->names);
    trial->number = malloc(nclasses * sizeof *trial->number);
    trial->scores = malloc(2 * nclasses * sizeof *trial->scores);
    if (!trial->page || !trial->label || !trial->fold || !trial->best || !trial->labels || !trial->p ||
        !trial->examples || !trial->names || !trial->number || !trial->scores || find_pages(trial) != SCENT_OK)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < trial->nlabelled; i++)
        trial->labels[(size_t)trial->set->examples[i].class * trial->npages + trial->page[i]] = true;
    return SCENT_OK;
}

/* How many pages the smallest class has. */
static uint32_t smallest_class(const struct trial *trial, uint32_t *which)
{
    uint32_t smallest = UINT32_MAX;

    for (uint32_t c = 0; c < trial->nclasses; c++) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < trial->npages; i++)
            count += trial->labels[(size_t)c * trial->npages + i];
        if (count < smallest) {
            smallest = count;
            *which = c;
        }
    }
    return smallest;
}

static scent_status choose_folds(struct trial *trial, struct errmsg *err)
{
    uint32_t which = 0, smallest = smallest_class(trial, &which);

    if (trial->nclasses == 2 && smallest < trial->nfolds)
        trial->nfolds = smallest;
    if (trial->nfolds < 2)
        return errmsg_fail(err, SCENT_E_INVALID, "class \"%.*s\" has %u example%s, too few to hold any out; give it at "
                           "least 2", STR_ARG(trial->set->classes[which]), smallest, smallest == 1 ? "" : "s");
    return folds_split(trial->label, trial->npages, trial->nclasses, trial->nfolds, trial->options->seed, trial->fold);
}

/* The examples outside of `fold`, with the classes that they have. */
static struct learn_set training_part(struct trial *trial, uint32_t fold)
{
    struct learn_set part = *trial->set;

    part.examples = trial->examples;
    part.nexamples = 0;
    part.classes = trial->names;
    part.nclasses = 0;
    part.nwords = 0;
    memset(trial->number, 0xff, trial->nclasses * sizeof *trial->number);
    for (size_t i = 0; i < trial->set->nexamples; i++) {
        struct learn_example example = trial->set->examples[i];
        uint32_t *number = &trial->number[example.class];

        if (i < trial->nlabelled && trial->fold[trial->page[i]] == fold)
            continue;
        if (*number == UINT32_MAX) {
            *number = part.nclasses++;
            trial->names[*number] = trial->set->classes[example.class];
        }
        example.class = *number;
        trial->examples[part.nexamples++] = example;
    }
    return part;
}

/* Class numbers of the model back to ours. */
static uint32_t class_of(const struct trial *trial, uint32_t number)
{
    uint32_t c = 0;

    while (trial->number[c] != number)
        c++;
    return c;
}

static void judge_page(struct trial *trial, const struct model *model, const struct text_vector *tf, uint32_t page)
{
    double *p = trial->scores, *scores = p + trial->nclasses;
    uint32_t n = model_nclasses(model);

    model_predict(model, tf, p);
    model_decision(model, tf, scores);
    trial->best[page] = class_of(trial, model_best(model_kind_of(model) == MODEL_BAYES ? scores : p, n));
    for (uint32_t c = 0; c < trial->nclasses; c++)
        trial->p[(size_t)c * trial->npages + page] = trial->number[c] == UINT32_MAX ? 0 : p[trial->number[c]];
}

static scent_status run_fold(struct trial *trial, uint32_t fold, struct errmsg *err)
{
    struct learn_set part = training_part(trial, fold);
    struct model_options options = *trial->options;
    struct model *model;
    scent_status status;

    options.log = NULL; /* the same warnings would come k times */
    status = model_train(&part, &options, &model, err);
    if (status != SCENT_OK)
        return status;
    for (size_t i = 0; i < trial->nlabelled; i++)
        if (trial->fold[trial->page[i]] == fold)
            judge_page(trial, model, &trial->set->examples[i].tf, trial->page[i]);
    model_free(model);
    return SCENT_OK;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static struct evaluate_class measure_class(const struct trial *trial, uint32_t class)
{
    const bool *is = trial->labels + (size_t)class * trial->npages;
    const double *p = trial->p + (size_t)class * trial->npages;
    uint32_t given = 0, right = 0;
    struct evaluate_class out = {0};

    for (uint32_t i = 0; i < trial->npages; i++) {
        out.pages += is[i];
        given += trial->best[i] == class;
        right += trial->best[i] == class && is[i];
    }
    out.precision = ratio(right, given);
    out.recall = ratio(right, out.pages);
    out.f1 = ratio(2 * out.precision * out.recall, out.precision + out.recall);
    out.auc = evaluate_auc(p, is, trial->npages);
    out.brier = evaluate_brier(p, is, trial->npages);
    out.ece = evaluate_ece(p, is, trial->npages);
    return out;
}

static void add_mean(struct evaluate_class *mean, const struct evaluate_class *of, double share)
{
    mean->pages += of->pages;
    mean->precision += of->precision * share;
    mean->recall += of->recall * share;
    mean->f1 += of->f1 * share;
    mean->auc += of->auc * share;
    mean->brier += of->brier * share;
    mean->ece += of->ece * share;
}

static scent_status measure_all(const struct trial *trial, struct evaluate_result *out)
{
    size_t n = trial->nclasses;

    *out = (struct evaluate_result){.pages = trial->npages, .folds = trial->nfolds, .nclasses = trial->nclasses};
    out->classes = calloc(n, sizeof *out->classes);
    out->confusion = calloc(n * n, sizeof *out->confusion);
    if (!out->classes || !out->confusion) {
        evaluate_release(out);
        return SCENT_E_NOMEM;
    }
    for (uint32_t i = 0; i < trial->npages; i++) {
        bool right = trial->labels[(size_t)trial->best[i] * trial->npages + i];

        out->accuracy += ratio(right, trial->npages);
        out->confusion[(right ? trial->best[i] : trial->label[i]) * n + trial->best[i]]++;
    }
    for (uint32_t c = 0; c < n; c++) {
        out->classes[c] = measure_class(trial, c);
        add_mean(&out->mean, &out->classes[c], 1. / (double)n);
    }
    return SCENT_OK;
}

/* The examples that are measured by: the weak ones too where a class has no others. */
static size_t count_labelled(const struct learn_set *set)
{
    size_t n = set->nexamples - set->nweak;

    for (uint32_t c = 0; c < set->nclasses; c++) {
        bool found = false;

        for (size_t i = 0; i < n && !found; i++)
            found = set->examples[i].class == c;
        if (!found)
            return set->nexamples;
    }
    return n;
}

/* What the pages need to be before they can be grouped; model_train() checks the rest. */
static scent_status check_set(const struct learn_set *set, struct errmsg *err)
{
    if (set->nclasses < 2 || set->nexamples >= UINT32_MAX)
        return errmsg_fail(err, SCENT_E_INVALID, "%u class%s and %zu examples cannot be evaluated; give at least two "
                           "classes", set->nclasses, set->nclasses == 1 ? "" : "es", set->nexamples);
    for (size_t i = 0; i < set->nexamples; i++)
        if (set->examples[i].class >= set->nclasses)
            return errmsg_fail(err, SCENT_E_INVALID, "example %zu has class number %u, but there are %u classes", i + 1,
                               set->examples[i].class, set->nclasses);
    return SCENT_OK;
}

scent_status evaluate_model(const struct learn_set *set, const struct model_options *options, uint32_t nfolds,
                            struct evaluate_result *out, struct errmsg *err)
{
    struct trial trial = {.set = set, .options = options, .nfolds = nfolds, .nclasses = set->nclasses,
                          .nlabelled = count_labelled(set)};
    scent_status status = check_set(set, err);

    *out = (struct evaluate_result){0};
    if (status != SCENT_OK)
        return status;
    status = trial_init(&trial);
    if (status == SCENT_OK)
        status = choose_folds(&trial, err);
    for (uint32_t fold = 0; status == SCENT_OK && fold < trial.nfolds; fold++)
        status = run_fold(&trial, fold, err);
    if (status == SCENT_OK)
        status = measure_all(&trial, out);
    if (status == SCENT_E_NOMEM)
        errmsg_fail(err, status, "no memory to evaluate %zu examples of %u classes", set->nexamples, set->nclasses);
    trial_release(&trial);
    return status;
}

void evaluate_release(struct evaluate_result *result)
{
    free(result->classes);
    free(result->confusion);
    *result = (struct evaluate_result){0};
}

/* ---- rivals ---- */

struct contest {
    const struct learn_set *pages; /* of the last rival: what is judged */
    uint32_t nfolds;
    uint32_t *class, *fold;
    bool *positive;
    double *p;
    struct learn_example *examples;
};

/* The rows of a rival outside of `fold`. Weak ones of another than the last are not judged: they are in all folds. */
static struct learn_set outside_fold(const struct contest *contest, const struct learn_set *set, uint32_t fold)
{
    struct learn_set part = *set;
    size_t labelled = set->nexamples - set->nweak, held = set == contest->pages ? set->nexamples : labelled;

    part.examples = contest->examples;
    part.nexamples = part.nweak = part.nwords = 0;
    for (size_t i = 0; i < set->nexamples; i++) {
        if (i < held && contest->fold[i] == fold)
            continue;
        contest->examples[part.nexamples++] = set->examples[i];
        part.nweak += i >= labelled;
    }
    return part;
}

static scent_status judge_fold(const struct contest *contest, const struct evaluate_rival *rival, uint32_t fold,
                               struct errmsg *err)
{
    struct learn_set part = outside_fold(contest, rival->set, fold);
    struct model_options options = *rival->options;
    struct model *model;
    double p[2];

    options.log = NULL;
    SCENT_TRY(model_train(&part, &options, &model, err));
    for (size_t i = 0; i < contest->pages->nexamples; i++)
        if (contest->fold[i] == fold) {
            model_predict(model, &contest->pages->examples[i].tf, p);
            contest->p[i] = p[1];
        }
    model_free(model);
    return SCENT_OK;
}

static scent_status compete(struct contest *contest, struct evaluate_rival *rivals, size_t nrivals, struct errmsg *err)
{
    const struct learn_set *pages = contest->pages;
    uint32_t positives = 0;

    for (size_t i = 0; i < pages->nexamples; i++) {
        contest->class[i] = pages->examples[i].class;
        contest->positive[i] = pages->examples[i].class == 1;
        positives += contest->positive[i];
    }
    contest->nfolds = positives < contest->nfolds ? positives : contest->nfolds;
    if (contest->nfolds < 2 || pages->nexamples - positives < 2)
        return errmsg_fail(err, SCENT_E_INVALID, "there are too few examples to hold any out");
    SCENT_TRY(folds_split(contest->class, pages->nexamples, 2, contest->nfolds, rivals->options->seed, contest->fold));
    for (size_t i = 0; i < nrivals; i++) {
        for (uint32_t fold = 0; fold < contest->nfolds; fold++)
            SCENT_TRY(judge_fold(contest, &rivals[i], fold, err));
        rivals[i].auc = evaluate_auc(contest->p, contest->positive, pages->nexamples);
        rivals[i].right = 0;
        for (size_t k = 0; k < pages->nexamples; k++)
            if (contest->positive[k] == (contest->p[k] > .5))
                rivals[i].right += .5 / (double)(contest->positive[k] ? positives : pages->nexamples - positives);
        if (rivals[i].p)
            memcpy(rivals[i].p, contest->p, pages->nexamples * sizeof *contest->p);
    }
    return SCENT_OK;
}

scent_status evaluate_rivals(struct evaluate_rival *rivals, size_t nrivals, uint32_t nfolds, struct errmsg *err)
{
    struct contest contest = {.pages = rivals[nrivals - 1].set, .nfolds = nfolds};
    size_t n = contest.pages->nexamples, most = n;
    scent_status status;

    for (size_t i = 0; i < nrivals; i++) {
        SCENT_BUG_IF(rivals[i].set->nexamples - rivals[i].set->nweak > n - contest.pages->nweak);
        most = rivals[i].set->nexamples > most ? rivals[i].set->nexamples : most;
    }
    contest.class = malloc((n + 1) * sizeof *contest.class);
    contest.fold = malloc((n + 1) * sizeof *contest.fold);
    contest.positive = malloc((n + 1) * sizeof *contest.positive);
    contest.p = malloc((n + 1) * sizeof *contest.p);
    contest.examples = malloc((most + 1) * sizeof *contest.examples);
    status = contest.class && contest.fold && contest.positive && contest.p && contest.examples
                 ? compete(&contest, rivals, nrivals, err)
                 : SCENT_E_NOMEM;
    free(contest.class);
    free(contest.fold);
    free(contest.positive);
    free(contest.p);
    free(contest.examples);
    return status == SCENT_E_NOMEM ? errmsg_fail(err, status, "no memory to compare models of %zu pages", n) : status;
}
