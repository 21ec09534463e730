#include "lab/experiment.h"

#include "base/file.h"
#include "conf/conf.h"
#include "lab/experiment_read.h"

#include <stdlib.h>

enum { MAX_FILE = 16 << 20, MAX_MEMORY = 1 << 28, MAX_POINTS = 1000 };

static struct experiment *experiment_new(void)
{
    struct experiment *experiment = calloc(1, sizeof *experiment);

    SCENT_BUG_IF(!experiment);
    arena_init(&experiment->arena, MAX_MEMORY);
    experiment->level = 2;
    experiment->min_pages = 50;
    experiment->seeds = 20;
    experiment->repeats = 1;
    experiment->budget = 1000;
    experiment->seed = 1;
    experiment->belief = .45;
    experiment->taxonomy = (struct experiment_taxonomy){.min_leaf = 10, .share = .5};
    return experiment;
}

void experiment_free(struct experiment *experiment)
{
    if (!experiment)
        return;
    arena_release(&experiment->arena);
    free(experiment);
}

/* ---- shared readings ---- */

scent_status experiment_no_memory(struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the experiment");
}

scent_status experiment_read_str(struct experiment *experiment, const struct conf_node *node, struct str *out,
                                 struct errmsg *err)
{
    struct str text = STR_NONE;
    scent_status status = conf_str(node, &text, err);

    if (!node || status != SCENT_OK)
        return status;
    *out = arena_str(&experiment->arena, str_trim(text));
    if (!out->p)
        return experiment_no_memory(err);
    return out->len ? SCENT_OK : conf_fail(node, err, "it is empty; write something, or leave the key out");
}

scent_status experiment_read_u32(const struct conf_node *node, uint32_t min, uint32_t max, uint32_t *out,
                                 struct errmsg *err)
{
    uint64_t value = *out;
    scent_status status = conf_u64(node, min, max, &value, err);

    *out = (uint32_t)value;
    return status;
}

scent_status experiment_read_choice(const struct conf_node *node, const char *const *words, unsigned *out,
                                    struct errmsg *err)
{
    struct str text = STR_NONE;
    scent_status status = conf_str(node, &text, err);

    if (!node || status != SCENT_OK)
        return status;
    for (unsigned i = 0; words[i]; i++)
        if (str_eq(text, str_of(words[i]))) {
            *out = i;
            return SCENT_OK;
        }
    return conf_fail(node, err, "expected %s or %s, got '%s'", words[0], words[1], conf_show(text).text);
}

scent_status experiment_find_path(struct experiment *experiment, struct str path, struct str *out, struct errmsg *err)
{
    *out = file_beside(&experiment->arena, experiment->file.p, path);
    return out->p ? SCENT_OK : experiment_no_memory(err);
}

static scent_status read_path(struct experiment *experiment, const struct conf_node *node, struct str *out,
                              struct errmsg *err)
{
    struct str path = STR_NONE;
    scent_status status = experiment_read_str(experiment, node, &path, err);

    return node && status == SCENT_OK ? experiment_find_path(experiment, path, out, err) : status;
}

scent_status experiment_read_strs(struct experiment *experiment, const struct conf_node *node, const char *what,
                                  struct str **out, size_t *count, struct errmsg *err)
{
    size_t n = node && conf_kind(node) == CONF_LIST ? conf_count(node) : 1;
    scent_status status = SCENT_OK;
    struct str *texts;

    if (!node)
        return SCENT_OK;
    if (conf_kind(node) == CONF_MAP || n == 0)
        return conf_fail(node, err, "expected a list of %s", what);
    texts = arena_array(&experiment->arena, n, sizeof *texts);
    if (!texts)
        return experiment_no_memory(err);
    for (size_t i = 0; i < n && status == SCENT_OK; i++)
        status =
            experiment_read_str(experiment, conf_kind(node) == CONF_LIST ? conf_item(node, i) : node, &texts[i], err);
    *out = texts;
    *count = n;
    return status;
}

/* ---- points ---- */

static scent_status default_points(struct experiment *experiment, struct errmsg *err)
{
    enum { POINTS = 10 };

    experiment->points = arena_array(&experiment->arena, POINTS, sizeof *experiment->points);
    if (!experiment->points)
        return experiment_no_memory(err);
    for (uint32_t i = 1; i <= POINTS; i++) {
        uint32_t point = (uint32_t)((uint64_t)experiment->budget * i / POINTS);

        if (point && (experiment->npoints == 0 || point > experiment->points[experiment->npoints - 1]))
            experiment->points[experiment->npoints++] = point;
    }
    return SCENT_OK;
}

static scent_status read_points(struct experiment *experiment, const struct conf_node *node, struct errmsg *err)
{
    uint32_t before = 0;
    scent_status status = SCENT_OK;

    if (!node)
        return default_points(experiment, err);
    if (conf_kind(node) != CONF_LIST || conf_count(node) == 0 || conf_count(node) > MAX_POINTS)
        return conf_fail(node, err, "expected a list of 1 to %d numbers of pages, such as [100, 250, 500]", MAX_POINTS);
    experiment->points = arena_array(&experiment->arena, conf_count(node), sizeof *experiment->points);
    if (!experiment->points)
        return experiment_no_memory(err);
    for (size_t i = 0; i < conf_count(node) && status == SCENT_OK; i++) {
        uint32_t *point = &experiment->points[experiment->npoints++];

        *point = 0;
        status = experiment_read_u32(conf_item(node, i), 1, experiment->budget, point, err);
        if (status == SCENT_OK && *point <= before)
            status = conf_fail(conf_item(node, i), err, "points must grow; %u follows %u", *point, before);
        before = *point;
    }
    return status;
}

/* ---- the file ---- */

static scent_status read_taxonomy(struct experiment *experiment, const struct conf_node *node, struct errmsg *err)
{
    static const char *const taxonomy_keys[] = {"levels", "min_leaf", "share", NULL};
    struct experiment_taxonomy *taxonomy = &experiment->taxonomy;
    scent_status status;

    if (!node)
        return SCENT_OK;
    status = conf_expect_map(node, taxonomy_keys, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(node, "levels"), 0, 32, &taxonomy->levels, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(node, "min_leaf"), 0, 1000000, &taxonomy->min_leaf, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "share"), .01, .99, &taxonomy->share, err);
    return status;
}

static scent_status read_numbers(struct experiment *experiment, const struct conf_node *root, struct errmsg *err)
{
    static const char *const relevances[] = {"label", "committee", "query", "browsing", NULL};
    static const char *const judges[] = {"model", "label", NULL};
    static const char *const seedings[] = {"topic", "core", NULL};
    unsigned relevance = RELEVANT_BY_LABEL, judge = JUDGED_BY_MODEL, seeding = SEEDS_FROM_TOPIC;
    scent_status status = experiment_read_u32(conf_get(root, "seeds"), 1, 100000, &experiment->seeds, err);

    experiment->negatives = 2 * experiment->seeds;
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(root, "negatives"), 1, 1000000, &experiment->negatives, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(root, "hubs"), 0, 100000, &experiment->hubs, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(root, "repeats"), 1, 1000, &experiment->repeats, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(root, "budget"), 1, 100000000, &experiment->budget, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(root, "max_pages"), 1, 1 << 24, &experiment->max_pages, err);
    if (status == SCENT_OK)
        status = conf_u64(conf_get(root, "seed"), 0, INT64_MAX, &experiment->seed, err);
    if (status == SCENT_OK)
        status = experiment_read_choice(conf_get(root, "relevance"), relevances, &relevance, err);
    if (status == SCENT_OK)
        status = experiment_read_choice(conf_get(root, "judge"), judges, &judge, err);
    if (status == SCENT_OK)
        status = experiment_read_choice(conf_get(root, "seeds_from"), seedings, &seeding, err);
    if (status == SCENT_OK)
        status = conf_bool(conf_get(root, "committee"), &experiment->committee, err);
    if (status == SCENT_OK)
        status = conf_bool(conf_get(root, "similarity"), &experiment->similarity, err);
    if (status == SCENT_OK)
        status = conf_bool(conf_get(root, "disjoint_seeds"), &experiment->disjoint, err);
    if (status == SCENT_OK)
        status = read_taxonomy(experiment, conf_get(root, "taxonomy"), err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(root, "belief"), 0, 1, &experiment->belief, err);
    experiment->relevance = relevance;
    experiment->judge = judge;
    experiment->seeding = seeding;
    experiment->committee |= relevance == RELEVANT_BY_COMMITTEE;
    return status == SCENT_OK ? read_points(experiment, conf_get(root, "points"), err) : status;
}

static scent_status read_texts(struct experiment *experiment, const struct conf_node *root, struct errmsg *err)
{
    scent_status status;

    if (!conf_get(root, "collection"))
        return conf_fail(root, err, "the key 'collection' is missing: name a folder of WARC files, or the "
                                    "specification of a generated web");
    experiment->name = STR("experiment");
    status = experiment_read_str(experiment, conf_get(root, "experiment"), &experiment->name, err);
    if (status == SCENT_OK)
        status = read_path(experiment, conf_get(root, "collection"), &experiment->collection, err);
    if (status == SCENT_OK)
        status = read_path(experiment, conf_get(root, "labels"), &experiment->labels, err);
    if (status == SCENT_OK)
        status = experiment_read_traces(experiment, conf_get(root, "traces"), &experiment->traces, err);
    if (status == SCENT_OK)
        status = experiment_read_strs(experiment, conf_get(root, "exclude"), "globs of URLs", &experiment->exclude,
                                      &experiment->nexclude, err);
    if (status == SCENT_OK)
        status = experiment_read_str(experiment, conf_get(root, "query"), &experiment->query, err);
    return status == SCENT_OK ? experiment_read_str(experiment, conf_get(root, "relevant"), &experiment->relevant, err)
                              : status;
}

static scent_status read_root(struct experiment *experiment, const struct conf_node *root, struct errmsg *err)
{
    static const char *const known[] = {
        "experiment", "collection", "labels",     "max_pages", "topics",     "seeds",    "negatives",      "repeats",
        "budget",     "points",     "seed",       "relevance", "judge",      "committee", "similarity",    "query",
        "belief",     "relevant",   "model",      "strategies", "baseline",  "fusions",  "hubs",           "exclude",
        "taxonomy",   "disjoint_seeds", "traces", "seeds_from", "sessions",  NULL};
    scent_status status;

    if (!root)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: the file is empty", experiment->file.p);
    status = conf_expect_map(root, known, err);
    if (status == SCENT_OK)
        status = read_texts(experiment, root, err);
    if (status == SCENT_OK)
        status = read_numbers(experiment, root, err);
    if (status == SCENT_OK)
        status = experiment_read_sessions(experiment, conf_get(root, "sessions"), err);
    if (status == SCENT_OK && experiment->relevance == RELEVANT_BY_BROWSING && !experiment->sessions.kind)
        return conf_fail(conf_get(root, "relevance"), err,
                         "relevance by browsing needs browsing: write 'sessions', too");
    if (status == SCENT_OK)
        status = experiment_read_topics(experiment, conf_get(root, "topics"), err);
    return status == SCENT_OK ? experiment_read_strategies(experiment, root, err) : status;
}

scent_status experiment_parse(struct str text, const char *name, struct experiment **out, struct errmsg *err)
{
    struct experiment *experiment = experiment_new();
    struct conf *conf;
    scent_status status = conf_parse(text, name, &conf, err);

    if (status == SCENT_OK) {
        experiment->source = arena_str(&experiment->arena, text);
        experiment->file = arena_str(&experiment->arena, str_of(name));
        status = experiment->source.p && experiment->file.p ? read_root(experiment, conf_root(conf), err)
                                                            : experiment_no_memory(err);
        conf_free(conf);
    }
    if (status == SCENT_OK)
        *out = experiment;
    else
        experiment_free(experiment);
    return status;
}

scent_status experiment_load(const char *path, struct experiment **out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, MAX_FILE);
    status = file_read(path, &text, err);
    if (status == SCENT_OK)
        status = experiment_parse(buf_str(&text), path, out, err);
    buf_release(&text);
    return status;
}
