/* perf_learn_wikispeedia COLLECTION OUT [REPEATS [FIRST [few]]] - how well and how fast models learn the subjects of an
 * encyclopedia; `few`: models of few examples alone.
 *
 * COLLECTION holds WARC files and categories.tsv. For each category of the second level (or above, where it has none)
 * with at least 60 pages: 20 pages of it and 40 others are drawn (struct rng, seed = FIRST + repeat, topics in the order
 * of their names), models of every kind are trained and asked about all other pages; then models of the first 5, 10 and
 * 20 of the positives, with twice as many negatives and 300 pages of the background, or with the background alone. Then
 * Naive Bayes over the whole taxonomy. Results go to stdout as JSON lines; what another program needs to repeat it goes to the folder OUT:
 *   counts.bin    a page: u32 n, then n times u32 term, u32 tf       texts.bin   a page: u32 length, UTF-8
 *   labels.tsv    page, category                                     folds.tsv   page, fold
 *   splits.tsv    topic, repeat, positive pages, negative pages, background
 *   members.tsv   topic, its pages */
#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "learn/evaluate.h"
#include "learn/dataset.h"
#include "page/page.h"
#include "training/general_pages.h"
#include "warc/archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES_MAX = 8000, LABELS_MAX = 10000, TOPICS_MAX = 200, POSITIVE = 20, NEGATIVE = 40, TOPIC_MIN = 60 };
enum { FOLDS = 5, BACKGROUND = 300, TERMS = 20000 };

struct label {
    uint32_t page;
    struct str category;
};

struct corpus {
    struct arena arena;
    struct text_vector tf[PAGES_MAX];
    uint32_t words[PAGES_MAX];
    uint64_t hash[PAGES_MAX];
    uint32_t npages;
    struct label labels[LABELS_MAX];
    uint32_t nlabels;
    struct str topics[TOPICS_MAX];
    uint32_t ntopics;
    bool member[TOPICS_MAX][PAGES_MAX];
    FILE *counts, *texts;
};

static void die(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static double now_ms(void)
{
    return (double)clock_thread_cpu_ns() / 1e6;
}

static FILE *create(const char *dir, const char *name)
{
    char path[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", dir, name);
    file = fopen(path, "w");
    if (!file)
        die(path);
    return file;
}

/* ---- the collection ---- */

static void put_u32(FILE *file, uint32_t value)
{
    fwrite(&value, sizeof value, 1, file);
}

/* Terms are named by the upper half of their stems' hashes: distinct for all that matters here. */
static void dump_page(struct corpus *corpus, const struct page *page)
{
    put_u32(corpus->counts, page->nbag);
    for (uint32_t i = 0; i < page->nbag; i++) {
        put_u32(corpus->counts, (uint32_t)(page->bag[i].stem >> 32));
        put_u32(corpus->counts, page->bag[i].tf);
    }
    put_u32(corpus->texts, (uint32_t)page->text.len);
    fwrite(page->text.p, 1, page->text.len, corpus->texts);
}

static void keep_page(struct corpus *corpus, const struct page *page)
{
    struct text_vector *tf = &corpus->tf[corpus->npages];

    tf->items = arena_array(&corpus->arena, page->nbag + (size_t)1, sizeof *tf->items);
    SCENT_BUG_IF(!tf->items);
    for (uint32_t i = 0; i < page->nbag; i++)
        tf->items[i] = (struct text_weight){page->bag[i].stem, page->bag[i].tf};
    tf->count = page->nbag;
    corpus->words[corpus->npages++] = page->nwords;
    dump_page(corpus, page);
}

/* A page with the words of another is left out: evaluate_model() counts them as one, others would not. */
static bool is_copy(struct corpus *corpus, const struct page *page)
{
    uint64_t hash = page->nbag;

    for (uint32_t i = 0; i < page->nbag; i++)
        hash = hash_mix(hash ^ page->bag[i].stem, page->bag[i].tf);
    for (uint32_t i = 0; i < corpus->npages; i++)
        if (corpus->hash[i] == hash)
            return true;
    corpus->hash[corpus->npages] = hash;
    return false;
}

static bool load_page(struct corpus *corpus, struct archive *archive, struct page_analyser *analyser, struct str href)
{
    struct archive_response response;
    struct arena arena;
    struct errmsg err;
    struct page page;
    struct url url;
    struct buf buf;
    bool ok;

    buf_init(&buf, 1 << 26);
    arena_init(&arena, 1 << 28);
    ok = archive_get(archive, href, &buf, &response, &err) == SCENT_OK &&
         url_parse(&arena, href, NULL, &url) == SCENT_OK &&
         page_analyse(analyser, &(struct page_input){&url, response.head, response.body}, &arena, &page) == SCENT_OK;
    ok = ok && !is_copy(corpus, &page);
    if (ok)
        keep_page(corpus, &page);
    arena_release(&arena);
    buf_release(&buf);
    return ok;
}

static void load(struct corpus *corpus, const char *dir)
{
    struct page_options options = {.key = 1};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct archive *archive;
    struct str rest, line, last = STR_NONE;
    struct errmsg err;
    struct buf tsv;
    char path[1024];
    bool there = false;
    struct log log;

    log_init_stderr(&log, LOG_WARN);
    snprintf(path, sizeof path, "%s/categories.tsv", dir);
    buf_init(&tsv, 1 << 26);
    if (file_read(path, &tsv, &err) != SCENT_OK || archive_open(dir, &log, &archive, &err) != SCENT_OK)
        die(err.text);
    rest = arena_str(&corpus->arena, buf_str(&tsv));
    while (str_split(&rest, '\n', &line)) {
        struct str href;

        if (!str_split(&line, '\t', &href) || line.len == 0)
            continue;
        if (!str_eq(href, last))
            there = corpus->npages < PAGES_MAX && load_page(corpus, archive, analyser, href);
        last = href;
        if (there && corpus->nlabels < LABELS_MAX)
            corpus->labels[corpus->nlabels++] = (struct label){corpus->npages - 1, line};
    }
    buf_release(&tsv);
    archive_free(archive);
    page_analyser_free(analyser);
}

/* ---- topics ---- */

static struct str second_level(struct str category)
{
    size_t dots = 0;

    for (size_t i = 0; i < category.len; i++)
        if (category.p[i] == '.' && ++dots == 2)
            return str_sub(category, 0, i);
    return category;
}

static int compare_names(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static uint32_t distinct(struct str *names, uint32_t n)
{
    uint32_t kept = 0;

    qsort(names, n, sizeof *names, compare_names);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || !str_eq(names[i], names[kept - 1]))
            names[kept++] = names[i];
    return kept;
}

static uint32_t number_of(const struct str *names, uint32_t n, struct str name)
{
    const struct str *found = bsearch(&name, names, n, sizeof *names, compare_names);

    return (uint32_t)(found - names);
}

static void find_topics(struct corpus *corpus, FILE *members)
{
    struct str *all = malloc(LABELS_MAX * sizeof *all);
    uint32_t n = corpus->nlabels;

    for (uint32_t i = 0; i < n; i++)
        all[i] = second_level(corpus->labels[i].category);
    n = distinct(all, n);
    for (uint32_t t = 0; t < n && corpus->ntopics < TOPICS_MAX; t++) {
        bool *member = corpus->member[corpus->ntopics];
        uint32_t count = 0;

        memset(member, 0, PAGES_MAX * sizeof *member);
        for (uint32_t i = 0; i < corpus->nlabels; i++)
            if (str_eq(second_level(corpus->labels[i].category), all[t]))
                member[corpus->labels[i].page] = true;
        for (uint32_t i = 0; i < corpus->npages; i++)
            count += member[i];
        if (count < TOPIC_MIN)
            continue;
        fprintf(members, "%.*s", STR_ARG(all[t]));
        for (uint32_t i = 0; i < corpus->npages; i++)
            if (member[i])
                fprintf(members, "\t%u", i);
        fputc('\n', members);
        corpus->topics[corpus->ntopics++] = all[t];
    }
    free(all);
}

/* ---- one topic ---- */

struct split {
    uint32_t drawn[POSITIVE + NEGATIVE + BACKGROUND];
    bool trained[PAGES_MAX]; /* or drawn for the background */
};

/* Draws `count` pages that are members (or not), each once. */
static void draw(const struct corpus *corpus, const bool *member, bool wanted, uint32_t count, struct split *split,
                 uint32_t *out, struct rng *rng)
{
    for (uint32_t n = 0; n < count;) {
        uint32_t page = (uint32_t)rng_below(rng, corpus->npages);

        if (member[page] == wanted && !split->trained[page]) {
            split->trained[page] = true;
            out[n++] = page;
        }
    }
}

static struct split *draw_split(const struct corpus *corpus, uint32_t topic, struct rng *rng)
{
    struct split *split = calloc(1, sizeof *split);

    SCENT_BUG_IF(!split);
    draw(corpus, corpus->member[topic], true, POSITIVE, split, split->drawn, rng);
    draw(corpus, corpus->member[topic], false, NEGATIVE, split, split->drawn + POSITIVE, rng);
    return split;
}

/* Pages of which nothing is known: any that are left, from random numbers of their own so that the other draws stay. */
static void draw_background(const struct corpus *corpus, struct split *split, uint64_t seed)
{
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t n = 0; n < BACKGROUND;) {
        uint32_t page = (uint32_t)rng_below(&rng, corpus->npages);

        if (!split->trained[page]) {
            split->trained[page] = true;
            split->drawn[POSITIVE + NEGATIVE + n++] = page;
        }
    }
}

struct scores {
    double p[PAGES_MAX], raw[PAGES_MAX], decision[PAGES_MAX], scaled[PAGES_MAX];
    bool positive[PAGES_MAX];
    size_t n;
};

/* The two ways to a probability without calibration: the logistic function of the decision value, and the decision
 * value scaled from its range over the training pages to 0..1. */
static void uncalibrated(struct scores *scores, double low, double high)
{
    for (size_t i = 0; i < scores->n; i++) {
        double f = scores->decision[i];

        scores->raw[i] = 1 / (1 + exp(-f));
        scores->scaled[i] = fmin(1, fmax(0, (f - low) / (high - low)));
    }
}

static void judge_all(const struct corpus *corpus, const struct model *model, uint32_t topic, const struct split *split,
                      struct scores *scores)
{
    double low = INFINITY, high = -INFINITY, p[2], d[2];

    scores->n = 0;
    for (uint32_t i = 0; i < corpus->npages; i++) {
        model_predict(model, &corpus->tf[i], p);
        model_decision(model, &corpus->tf[i], d);
        if (model_kind_of(model) != MODEL_SVM && model_kind_of(model) != MODEL_LOGISTIC)
            d[1] -= d[0];
        if (split->trained[i]) {
            low = fmin(low, d[1]);
            high = fmax(high, d[1]);
            continue;
        }
        scores->p[scores->n] = p[1];
        scores->decision[scores->n] = d[1];
        scores->positive[scores->n++] = corpus->member[topic][i];
    }
    uncalibrated(scores, low, high);
}

static void report(const struct corpus *corpus, uint32_t topic, int repeat, const char *name, double train_ms,
                   const struct scores *s)
{
    printf("{\"topic\": \"%.*s\", \"repeat\": %d, \"model\": \"%s\", \"train_ms\": %.3f, \"auc\": %.6f, "
           "\"auc_decision\": %.6f, \"brier\": %.6f, \"brier_raw\": %.6f, \"brier_minmax\": %.6f, \"ece\": %.6f}\n",
           STR_ARG(corpus->topics[topic]), repeat, name, train_ms, evaluate_auc(s->p, s->positive, s->n),
           evaluate_auc(s->decision, s->positive, s->n), evaluate_brier(s->p, s->positive, s->n),
           evaluate_brier(s->raw, s->positive, s->n), evaluate_brier(s->scaled, s->positive, s->n),
           evaluate_ece(s->p, s->positive, s->n));
}

static void run_model(const struct corpus *corpus, uint32_t topic, int repeat, const struct split *split,
                      const struct model_options *options, const char *name, struct scores *scores)
{
    static const struct str classes[] = {{"no", 2}, {"yes", 3}};
    struct learn_example examples[POSITIVE + NEGATIVE];
    struct learn_set set = {.examples = examples, .nexamples = POSITIVE + NEGATIVE, .classes = classes, .nclasses = 2};
    struct model *model;
    struct errmsg err;
    double ms = now_ms();

    for (uint32_t i = 0; i < POSITIVE + NEGATIVE; i++)
        examples[i] = (struct learn_example){corpus->tf[split->drawn[i]], i < POSITIVE};
    if (model_train(&set, options, &model, &err) != SCENT_OK)
        die(err.text);
    ms = now_ms() - ms;
    judge_all(corpus, model, topic, split, scores);
    report(corpus, topic, repeat, name, ms, scores);
    model_free(model);
}

static void run_topic(const struct corpus *corpus, uint32_t topic, int repeat, const struct split *split)
{
    struct scores *scores = malloc(sizeof *scores);
    struct model_options options;

    SCENT_BUG_IF(!scores);
    for (enum model_kind kind = MODEL_BAYES; kind <= MODEL_MLP; kind++) {
        options = model_options_default(kind);
        run_model(corpus, topic, repeat, split, &options, model_kind_name(kind), scores);
    }
    options = model_options_default(MODEL_BAYES);
    options.flatten = options.flatten > 0 ? 0 : 30;
    run_model(corpus, topic, repeat, split, &options, options.flatten > 0 ? "bayes-flat" : "bayes-not-flat", scores);
    free(scores);
}

/* ---- few examples ---- */

struct recipe {
    const char *name;
    enum model_kind kind;
    enum text_weighting weighting;
    double C;
    bool negatives, background;
    enum { NOTHING, SHIPPED, COUNTED } general; /* pages by the program's word counts, or by those of half the pages */
};

static const struct recipe recipes[] = {
    {"svm ltc", MODEL_SVM, TEXT_LTC, 1, true, false, NOTHING},
    {"logistic ltc, C 1", MODEL_LOGISTIC, TEXT_LTC, 1, true, false, NOTHING},
    {"svm lsc, C 3", MODEL_SVM, TEXT_LSC, 3, true, false, NOTHING},
    {"svm lsc, C 3, background alone", MODEL_SVM, TEXT_LSC, 3, false, true, NOTHING},
    {"svm lsc", MODEL_SVM, TEXT_LSC, 1, true, false, NOTHING},
    {"logistic lsc, C 10", MODEL_LOGISTIC, TEXT_LSC, 10, true, false, NOTHING},
    {"svm lsc, background", MODEL_SVM, TEXT_LSC, 1, true, true, NOTHING},
    {"logistic lsc, C 10, background", MODEL_LOGISTIC, TEXT_LSC, 10, true, true, NOTHING},
    {"svm lsc, background alone", MODEL_SVM, TEXT_LSC, 1, false, true, NOTHING},
    {"logistic lsc, C 10, background alone", MODEL_LOGISTIC, TEXT_LSC, 10, false, true, NOTHING},
    {"svm lsc, general", MODEL_SVM, TEXT_LSC, 1, true, false, SHIPPED},
    {"svm lsc, general alone", MODEL_SVM, TEXT_LSC, 1, false, false, SHIPPED},
    {"svm lsc, counted half", MODEL_SVM, TEXT_LSC, 1, true, false, COUNTED},
    {"svm lsc, counted half alone", MODEL_SVM, TEXT_LSC, 1, false, false, COUNTED},
};

/* ---- pages about nothing in particular ---- */

static int by_stem(const void *a, const void *b)
{
    uint64_t x = ((const struct background_term *)a)->stem, y = ((const struct background_term *)b)->stem;

    return (x > y) - (x < y);
}

static int by_df(const void *a, const void *b)
{
    uint32_t x = ((const struct background_term *)a)->df, y = ((const struct background_term *)b)->df;

    return x != y ? (x < y ? 1 : -1) : by_stem(a, b);
}

/* The program's counts have the pages of the encyclopedia in them. So that no page is counted and tested, every second
 * one is counted here, as many terms as the program has, and is not tested. The caller frees the terms. */
static struct general_pages count_half(const struct corpus *corpus, struct split *split)
{
    struct background_term *terms;
    size_t n = 0, distinct = 0, cells = 0;
    struct general_pages general = {0};

    for (uint32_t i = 0; i < corpus->npages; i++)
        cells += corpus->tf[i].count;
    terms = malloc(cells * sizeof *terms);
    SCENT_BUG_IF(!terms);
    for (uint32_t i = 0; i < corpus->npages; i += 2) {
        if (split->trained[i])
            continue;
        split->trained[i] = true;
        general.documents++;
        for (size_t k = 0; k < corpus->tf[i].count; k++)
            terms[n++] = (struct background_term){
                .stem = corpus->tf[i].items[k].stem, .df = 1, .tf = (float)corpus->tf[i].items[k].weight};
    }
    qsort(terms, n, sizeof *terms, by_stem);
    for (size_t i = 0; i < n; i++) {
        if (distinct && terms[distinct - 1].stem == terms[i].stem) {
            terms[distinct - 1].df++;
            terms[distinct - 1].tf += terms[i].tf;
        } else {
            terms[distinct++] = terms[i];
        }
    }
    for (size_t i = 0; i < distinct; i++)
        terms[i].tf /= (float)terms[i].df;
    qsort(terms, distinct, sizeof *terms, by_df);
    general.terms = terms;
    general.nterms = distinct < TERMS ? distinct : TERMS;
    qsort(terms, general.nterms, sizeof *terms, by_stem);
    return general;
}

/* As general_pages_known() does for the program's counts. */
static void keep_known(const struct general_pages *general, struct arena *arena, struct text_vector *tf)
{
    struct text_vector known = {.items = arena_array(arena, tf->count + 1, sizeof *tf->items)};

    SCENT_BUG_IF(!known.items);
    for (size_t i = 0; i < tf->count; i++) {
        struct background_term term = {.stem = tf->items[i].stem};

        if (bsearch(&term, general->terms, general->nterms, sizeof term, by_stem))
            known.items[known.count++] = tf->items[i];
    }
    *tf = known;
}

/* `half` is count_half() of the split `other`. */
static void run_recipe(const struct corpus *corpus, uint32_t topic, int repeat, const struct split *split,
                       const struct split *other, const struct general_pages *half, uint32_t few,
                       const struct recipe *recipe, struct scores *scores)
{
    static const struct str classes[] = {{"no", 2}, {"yes", 3}};
    struct learn_example examples[POSITIVE + NEGATIVE + BACKGROUND];
    struct learn_set set = {.examples = examples, .nexamples = 0, .classes = classes, .nclasses = 2};
    struct model_options options = model_options_default(recipe->kind);
    struct general_pages general = {0};
    struct model *model;
    struct errmsg err;
    struct arena arena;
    struct rng rng;

    arena_init(&arena, SIZE_MAX);
    rng_seed(&rng, topic + 1);
    options.weighting = recipe->weighting;
    options.C = recipe->C;
    for (uint32_t i = 0; i < few; i++)
        examples[set.nexamples++] = (struct learn_example){corpus->tf[split->drawn[i]], 1};
    for (uint32_t i = 0; recipe->negatives && i < 2 * few; i++)
        examples[set.nexamples++] = (struct learn_example){corpus->tf[split->drawn[POSITIVE + i]], 0};
    for (uint32_t i = 0; recipe->background && i < BACKGROUND; i++, set.nweak++)
        examples[set.nexamples++] = (struct learn_example){corpus->tf[split->drawn[POSITIVE + NEGATIVE + i]], 0};
    if (recipe->general == SHIPPED)
        general = general_pages_of(background_for(STR("en")), 0);
    else if (recipe->general == COUNTED)
        general = *half;
    for (size_t i = 0; recipe->general == SHIPPED && i < set.nexamples; i++)
        if (general_pages_known(background_for(STR("en")), &arena, &examples[i].tf) != SCENT_OK)
            die("no memory");
    for (size_t i = 0; recipe->general == COUNTED && i < set.nexamples; i++)
        keep_known(&general, &arena, &examples[i].tf);
    general.stems = general_pages_length(examples, set.nexamples);
    for (uint32_t i = 0; recipe->general && i < BACKGROUND; i++, set.nweak++) {
        examples[set.nexamples].class = 0;
        if (general_pages_draw(&general, &rng, &arena, &examples[set.nexamples++].tf) != SCENT_OK)
            die("no memory");
    }
    if (model_train(&set, &options, &model, &err) != SCENT_OK)
        die(err.text);
    judge_all(corpus, model, topic, recipe->general == COUNTED ? other : split, scores);
    printf("{\"topic\": \"%.*s\", \"repeat\": %d, \"few\": %u, \"recipe\": \"%s\", \"auc\": %.6f, \"brier\": %.6f}\n",
           STR_ARG(corpus->topics[topic]), repeat, few, recipe->name,
           evaluate_auc(scores->p, scores->positive, scores->n),
           evaluate_brier(scores->p, scores->positive, scores->n));
    model_free(model);
    arena_release(&arena);
}

static void run_few(const struct corpus *corpus, uint32_t topic, int repeat, const struct split *split)
{
    struct scores *scores = malloc(sizeof *scores);
    struct split *other = malloc(sizeof *other);
    struct general_pages half;

    SCENT_BUG_IF(!scores || !other);
    *other = *split;
    half = count_half(corpus, other);
    for (uint32_t few = 5; few <= POSITIVE; few *= 2)
        for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
            run_recipe(corpus, topic, repeat, split, other, &half, few, &recipes[i], scores);
    free((void *)(uintptr_t)half.terms);
    free(other);
    free(scores);
}

static void run_topics(const struct corpus *corpus, int repeats, int first, bool few_alone, FILE *splits)
{
    for (int repeat = 0; repeat < repeats; repeat++) {
        struct rng rng;

        rng_seed(&rng, (uint64_t)(first + repeat));
        for (uint32_t topic = 0; topic < corpus->ntopics; topic++) {
            struct split *split = draw_split(corpus, topic, &rng);

            fprintf(splits, "%.*s\t%d", STR_ARG(corpus->topics[topic]), repeat);
            if (!few_alone)
                run_topic(corpus, topic, repeat, split);
            draw_background(corpus, split, (uint64_t)(first + repeat) << 32 | topic);
            run_few(corpus, topic, repeat, split);
            for (int i = 0; i < POSITIVE + NEGATIVE + BACKGROUND; i++)
                fprintf(splits, "%c%u", i == 0 || i == POSITIVE || i == POSITIVE + NEGATIVE ? '\t' : ' ',
                        split->drawn[i]);
            fputc('\n', splits);
            free(split);
        }
    }
}

/* ---- the whole taxonomy, and speed ---- */

static struct learn_set taxonomy(const struct corpus *corpus)
{
    struct str *classes = malloc(LABELS_MAX * sizeof *classes);
    struct learn_example *examples = malloc(LABELS_MAX * sizeof *examples);
    uint32_t nclasses;

    SCENT_BUG_IF(!classes || !examples);
    for (uint32_t i = 0; i < corpus->nlabels; i++)
        classes[i] = corpus->labels[i].category;
    nclasses = distinct(classes, corpus->nlabels);
    for (uint32_t i = 0; i < corpus->nlabels; i++)
        examples[i] = (struct learn_example){corpus->tf[corpus->labels[i].page],
                                             number_of(classes, nclasses, corpus->labels[i].category)};
    return (struct learn_set){.examples = examples, .nexamples = corpus->nlabels, .classes = classes,
                              .nclasses = nclasses};
}

/* The folds of evaluate_model(): pages in order, each under its first label. */
static void dump_folds(const struct corpus *corpus, const struct learn_set *set, const char *dir)
{
    FILE *labels = create(dir, "labels.tsv"), *folds = create(dir, "folds.tsv");
    uint32_t *first = malloc(PAGES_MAX * sizeof *first), *fold = malloc(PAGES_MAX * sizeof *fold);

    for (uint32_t i = corpus->nlabels; i-- > 0;)
        first[corpus->labels[i].page] = set->examples[i].class;
    if (folds_split(first, corpus->npages, set->nclasses, FOLDS, model_options_default(MODEL_BAYES).seed, fold))
        die("no memory");
    for (uint32_t i = 0; i < corpus->npages; i++)
        fprintf(folds, "%u\t%u\n", i, fold[i]);
    for (uint32_t i = 0; i < corpus->nlabels; i++)
        fprintf(labels, "%u\t%.*s\n", corpus->labels[i].page, STR_ARG(corpus->labels[i].category));
    fclose(labels);
    fclose(folds);
    free(first);
    free(fold);
}

static void run_taxonomy(const struct corpus *corpus, const struct learn_set *set, double alpha)
{
    struct model_options options = model_options_default(MODEL_BAYES);
    double ms = now_ms(), train_ms, ask_ms, p[1000];
    struct evaluate_result result;
    struct model *model;
    struct errmsg err;

    options.alpha = alpha;
    if (model_train(set, &options, &model, &err) != SCENT_OK)
        die(err.text);
    train_ms = now_ms() - ms;
    ms = now_ms();
    for (uint32_t i = 0; i < corpus->npages; i++)
        model_predict(model, &corpus->tf[i], p);
    ask_ms = now_ms() - ms;
    model_free(model);
    if (evaluate_model(set, &options, FOLDS, &result, &err) != SCENT_OK)
        die(err.text);
    printf("{\"taxonomy\": \"bayes\", \"alpha\": %g, \"classes\": %u, \"pages\": %u, \"accuracy\": %.6f, \"f1\": %.6f, "
           "\"auc\": %.6f, \"train_ms\": %.1f, \"us_a_page\": %.2f}\n",
           alpha, result.nclasses, result.pages, result.accuracy, result.mean.f1, result.mean.auc, train_ms,
           ask_ms * 1e3 / corpus->npages);
    evaluate_release(&result);
}

/* Training on all pages at once (the first topic against the rest), and asking. Pages of 1,800 to 2,200 words for the
 * price of a typical one. */
static void run_speed(const struct corpus *corpus, enum model_kind kind)
{
    static const struct str classes[] = {{"no", 2}, {"yes", 3}};
    struct learn_example *examples = malloc(PAGES_MAX * sizeof *examples);
    struct learn_set set = {.examples = examples, .nexamples = corpus->npages, .classes = classes, .nclasses = 2};
    struct model_options options = model_options_default(kind);
    double ms = now_ms(), train_ms, p[2], stems = 0;
    struct model *model;
    struct errmsg err;
    size_t asked = 0;

    for (uint32_t i = 0; i < corpus->npages; i++)
        examples[i] = (struct learn_example){corpus->tf[i], corpus->member[0][i]};
    if (model_train(&set, &options, &model, &err) != SCENT_OK)
        die(err.text);
    train_ms = now_ms() - ms;
    ms = now_ms();
    for (int round = 0; round < 20; round++)
        for (uint32_t i = 0; i < corpus->npages; i++)
            if (corpus->words[i] >= 1800 && corpus->words[i] <= 2200) {
                model_predict(model, &corpus->tf[i], p);
                stems += (double)corpus->tf[i].count;
                asked++;
            }
    ms = now_ms() - ms;
    printf("{\"speed\": \"%s\", \"pages\": %u, \"words\": %u, \"train_ms\": %.1f, \"us_a_page\": %.2f, \"stems\": %.0f}\n",
           model_kind_name(kind), corpus->npages, model_nfeatures(model), train_ms, ms * 1e3 / (double)asked,
           stems / (double)asked);
    model_free(model);
    free(examples);
}

int main(int argc, char **argv)
{
    struct corpus *corpus = calloc(1, sizeof *corpus);
    FILE *splits, *members;
    struct learn_set set;

    bool few_alone = argc > 5 && strcmp(argv[5], "few") == 0;

    if (argc < 3 || !corpus)
        die("usage: perf_learn_wikispeedia COLLECTION OUT [REPEATS [FIRST [few]]]");
    arena_init(&corpus->arena, SIZE_MAX);
    corpus->counts = create(argv[2], "counts.bin");
    corpus->texts = create(argv[2], "texts.bin");
    splits = create(argv[2], "splits.tsv");
    members = create(argv[2], "members.tsv");
    load(corpus, argv[1]);
    fclose(corpus->counts);
    fclose(corpus->texts);
    find_topics(corpus, members);
    fclose(members);
    run_topics(corpus, argc > 3 ? atoi(argv[3]) : 1, argc > 4 ? atoi(argv[4]) : 1, few_alone, splits);
    fclose(splits);
    if (few_alone)
        return 0;
    set = taxonomy(corpus);
    dump_folds(corpus, &set, argv[2]);
    run_taxonomy(corpus, &set, 1);
    run_taxonomy(corpus, &set, .01);
    for (enum model_kind kind = MODEL_BAYES; kind <= MODEL_MLP; kind++)
        run_speed(corpus, kind);
    free((void *)(uintptr_t)set.examples);
    free((void *)(uintptr_t)set.classes);
    arena_release(&corpus->arena);
    free(corpus);
    return 0;
}
