#include "lab/experiment.h"

#include "base/date.h"
#include "base/file.h"
#include "base/hash.h"
#include "conf/conf_fields.h"
#include "lab/division.h"
#include "lab/measure.h"
#include "lab/trial.h"
#include "learn/clustering.h"
#include "strategy/strategy.h"

#include <stdlib.h>

enum {
    MAX_FILE = 16 << 20,
    MAX_MEMORY = 1 << 28,
    MAX_POINTS = 1000,
    MAX_DRAWS = 100,
    MAX_STRATEGIES = 64,
    MAX_FUSIONS = 64,
    MAX_BUDGET = 100000000,
    EXCHANGE = 10 /* pages a worker: often enough for crawls of some hundred pages, as experiments are */
};

/* ---- traces ---- */

/* 2011-06-01, 2011-06-01T12:00:00, or 50%. */
static scent_status read_border(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                struct errmsg *err)
{
    struct experiment_border *border = member;
    struct str text = STR_NONE;
    char *end;

    (void)reader;
    SCENT_TRY(conf_str(node, &text, err));
    if (date_parse_iso(text, &border->time)) {
        border->kind = BORDER_TIME;
        return SCENT_OK;
    }
    if (text.len > 1 && ascii_is_digit(text.p[0]) && str_ends(text, STR("%"))) {
        border->kind = BORDER_SHARE;
        border->share = strtod(text.p, &end) / 100;
        if (end == text.p + text.len - 1 && border->share <= 1)
            return SCENT_OK;
    }
    return conf_fail(node, err,
                     "expected a date such as 2011-06-01 or 2011-06-01T12:00:00, or a share of the accesses such "
                     "as 50%%, got '%s'",
                     conf_show(text).text);
}

static scent_status check_traces(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                 struct errmsg *err)
{
    const struct experiment_traces *traces = members;
    const struct experiment_border *from = &traces->from, *until = &traces->until;

    (void)reader;
    if (!traces->nfiles == !traces->simulated.readers)
        return conf_fail(node, err, "expected 'files' (access logs, or what `scent trace import` made of them) or "
                                    "'readers' (how many to simulate), one of the two");
    if (from->kind == until->kind && from->kind != BORDER_NONE &&
        (from->kind == BORDER_TIME ? from->time >= until->time : from->share >= until->share))
        return conf_fail(node, err, "'from' must lie before 'until'");
    return SCENT_OK;
}

static const struct conf_field traces_fields[] = {
    {"files", FIELD_PATHS, CONF_MEMBERS(struct experiment_traces, files, nfiles), .min = 1,
     .expected = "access logs or traces"},
    {"base", FIELD_TEXT, CONF_MEMBER(struct experiment_traces, base), .min = 1},
    {"from", FIELD_OWN, CONF_MEMBER(struct experiment_traces, from), .read = read_border},
    {"until", FIELD_OWN, CONF_MEMBER(struct experiment_traces, until), .read = read_border},
    {"readers", FIELD_COUNT, CONF_MEMBER(struct experiment_traces, simulated.readers), .min = 1, .max = 1000000},
    {"accesses", FIELD_COUNT, CONF_MEMBER(struct experiment_traces, simulated.accesses), .min = 1, .max = 10000},
    {"interest", FIELD_NUMBER, CONF_MEMBER(struct experiment_traces, simulated.interest), .max = 1},
    {"level", FIELD_COUNT, CONF_MEMBER(struct experiment_traces, simulated.level), .min = 1, .max = 100},
    {0},
};
static const struct conf_table traces_table = {.fields = traces_fields, .check = check_traces};

/* A name, a list of names, or {files: …, from: 50%}. The member comes in as what holds where nothing is said. */
static scent_status read_traces(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                struct errmsg *err)
{
    struct experiment_traces *traces = member;

    traces->line = conf_line(node);
    if (conf_kind(node) != CONF_MAP)
        return conf_field_read(&traces_fields[0], reader, node, traces, err);
    traces->from = traces->until = (struct experiment_border){BORDER_NONE, 0, 0};
    if (conf_get(node, "files") || conf_get(node, "readers")) /* other ones than those of the experiment */
        *traces = (struct experiment_traces){.line = traces->line, .simulated = {0, 20, .5, 2}};
    return conf_table_read(&traces_table, reader, node, traces, err);
}

/* ---- sessions ---- */

#define SESSION(name, kind, member, least, most, standard)                                                            \
    {name, kind, CONF_MEMBER(struct experiment_sessions, member), .min = least, .max = most, .fallback = standard}

static const char *const beginnings[] = {"anywhere", "seeds", NULL};
static const struct conf_field walks_fields[] = {
    SESSION("walks", FIELD_COUNT, walks, 1, 10000, 40),
    {"begin", FIELD_CHOICE, CONF_MEMBER(struct experiment_sessions, at_seeds), .words = beginnings},
    SESSION("steps", FIELD_COUNT, steps, 1, 10000, 20),
    SESSION("wander", FIELD_NUMBER, wander, 0, 1, .5),
    SESSION("clusters", FIELD_COUNT, clusters, 1, CLUSTER_MAX, 5),
    SESSION("gamma", FIELD_NUMBER, gamma, 0, 1, .7),
    {0},
};
static const struct conf_table walks_table = {.fields = walks_fields};
static const struct conf_field users_fields[] = {
    {"traces", FIELD_OWN, CONF_MEMBER(struct experiment_sessions, traces), .read = read_traces},
    SESSION("interest", FIELD_COUNT, interest, 1, 1000000, 2),
    SESSION("held_out", FIELD_NUMBER, held_out, .01, .99, .3),
    SESSION("pages", FIELD_COUNT, pages, 2, 4000, 200),
    SESSION("clusters", FIELD_COUNT, clusters, 1, CLUSTER_MAX, 5),
    SESSION("gamma", FIELD_NUMBER, gamma, 0, 1, .7),
    {0},
};
static const struct conf_table users_table = {.fields = users_fields};

static scent_status read_sessions(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                  struct errmsg *err)
{
    struct experiment_sessions *sessions = member;

    sessions->line = conf_line(node);
    if (conf_kind(node) != CONF_MAP || (!conf_get(node, "walks") && !conf_get(node, "traces")))
        return conf_fail(node, err,
                         "whose sessions? Write {traces: access.log} for the users of a log, or {walks: 40} for a "
                         "simulated person");
    sessions->kind = conf_get(node, "traces") ? SESSIONS_OF_USERS : SESSIONS_OF_WALKS;
    return conf_table_read(sessions->kind == SESSIONS_OF_USERS ? &users_table : &walks_table, reader, node, sessions,
                           err);
}

/* ---- topics ---- */

static scent_status check_keyword(const struct experiment *experiment, const struct conf_node *node, struct str keyword,
                                  struct errmsg *err)
{
    if (experiment->relevance == RELEVANT_BY_QUERY)
        return conf_fail(node, err, "relevance is by query, which knows no keyword: put it into the query");
    return trial_keyword_check(keyword) == SCENT_OK
               ? SCENT_OK
               : conf_fail(node, err, "a keyword is a word, or several in a row, without quotes; got '%s'",
                           conf_show(keyword).text);
}

/* A topic without a name is called after its categories, or its category and keyword. */
static scent_status check_topic(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    struct experiment_topic *topic = members;
    struct str name;

    topic->line = conf_line(node);
    topic->category = name = topic->categories[0];
    for (size_t i = 1; i < topic->ncategories; i++)
        name = arena_printf(reader->arena, "%.*s, %.*s", STR_ARG(name), STR_ARG(topic->categories[i]));
    if (topic->keyword.len) {
        SCENT_TRY(check_keyword(reader->object, conf_get(node, "keyword"), topic->keyword, err));
        name = arena_printf(reader->arena, "%.*s + %.*s", STR_ARG(topic->category), STR_ARG(topic->keyword));
    }
    topic->name = topic->name.len ? topic->name : name;
    return topic->name.p ? SCENT_OK : errmsg_no_memory(err);
}

#define TOPIC(kind, member) kind, CONF_MEMBER(struct experiment_topic, member), .min = 1

static const struct conf_field topic_fields[] = {
    {"category", FIELD_TEXTS, CONF_MEMBERS(struct experiment_topic, categories, ncategories), .min = 1,
     .expected = "categories", .missing = ": name one, or a list of several that are one topic together"},
    {"keyword", TOPIC(FIELD_TEXT, keyword)},
    {"name", TOPIC(FIELD_TEXT, name)},
    {"query", TOPIC(FIELD_TEXT, query)},
    {"relevant", TOPIC(FIELD_TEXT, relevant)},
    {"seeds", TOPIC(FIELD_TEXTS, seeds), .count = offsetof(struct experiment_topic, nseeds), .expected = "URLs"},
    {"negatives", TOPIC(FIELD_TEXTS, negatives), .count = offsetof(struct experiment_topic, nnegatives),
     .expected = "URLs"},
    {0},
};
static const struct conf_table topic_table = {
    .fields = topic_fields, .size = sizeof(struct experiment_topic), .brief = "category", .check = check_topic};
static const struct conf_field topics_field = {
    "topics", FIELD_MAPS, CONF_MEMBERS(struct experiment, topics, ntopics), .table = &topic_table};

static scent_status check_rule(const struct conf_reader *reader, const struct conf_node *node, void *members,
                               struct errmsg *err)
{
    const struct experiment *experiment = members;

    (void)reader;
    for (size_t i = 0; i < experiment->nkeywords; i++)
        SCENT_TRY(check_keyword(experiment, conf_get(node, "keywords"), experiment->keywords[i], err));
    return SCENT_OK;
}

static const char *const choices[] = {"first", "random", NULL};
static const struct conf_field rule_fields[] = {
    {"level", FIELD_COUNT, CONF_MEMBER(struct experiment, level), .min = 1, .max = 64, .fallback = 2},
    {"min_pages", FIELD_COUNT, CONF_MEMBER(struct experiment, min_pages), .min = 2, .max = 1 << 24, .fallback = 50},
    {"max", FIELD_COUNT, CONF_MEMBER(struct experiment, max_topics), .min = 1, .max = 100000},
    {"choose", FIELD_CHOICE, CONF_MEMBER(struct experiment, random_topics), .words = choices},
    {"keywords", FIELD_TEXTS, CONF_MEMBERS(struct experiment, keywords, nkeywords), .min = 1, .expected = "words"},
    {0},
};
static const struct conf_table rule_table = {.fields = rule_fields, .check = check_rule};

static scent_status read_topics(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                struct errmsg *err)
{
    struct experiment *experiment = reader->object;

    (void)member;
    if (conf_kind(node) == CONF_MAP)
        return conf_table_read(&rule_table, reader, node, experiment, err);
    if (conf_kind(node) != CONF_LIST)
        return conf_fail(node, err, "expected a list of categories, or {level: 2, min_pages: 50}");
    if (conf_count(node) == 0)
        return conf_fail(node, err, "no topic; name categories, or write {level: 2, min_pages: 50}");
    SCENT_TRY(conf_field_read(&topics_field, reader, node, experiment, err));
    for (size_t i = 0; i < experiment->ntopics; i++)
        for (size_t k = 0; k < i; k++)
            if (str_eq(experiment->topics[i].name, experiment->topics[k].name))
                return conf_fail(conf_item(node, i), err, "the topic '%s' stands here twice; give one another name",
                                 conf_show(experiment->topics[i].name).text);
    return SCENT_OK;
}

/* ---- strategies ---- */

static const char *const reuse_seeds[] = {"other", "same", NULL};
static const struct conf_field reuse_fields[] = {
    {"seeds", FIELD_CHOICE, CONF_MEMBER(struct experiment_reuse, same_seeds), .words = reuse_seeds},
    {"budget", FIELD_COUNT, CONF_MEMBER(struct experiment_reuse, budget), .min = 1, .max = MAX_BUDGET},
    {"weight", FIELD_NUMBER, CONF_MEMBER(struct experiment_reuse, weight), .min = 0, .max = 1},
    {"traces", FIELD_OWN, CONF_MEMBER(struct experiment_reuse, traces), .read = read_traces},
    {0},
};
static const struct conf_table reuse_table = {.fields = reuse_fields};

static const char *const counts[] = {"own", "shared", NULL};

/* The keys of an experiment; all others are options of the strategy. `name` and `reuse` are read apart. */
static const struct conf_field strategy_fields[] = {
    {"name", FIELD_TEXT, CONF_MEMBER(struct experiment_strategy, name), .min = 1},
    {"as", FIELD_TEXT, CONF_MEMBER(struct experiment_strategy, label), .min = 1},
    {"model", FIELD_MAP, CONF_MEMBER(struct experiment_strategy, model), .table = &experiment_model_table},
    {"traces", FIELD_OWN, CONF_MEMBER(struct experiment_strategy, traces), .read = read_traces},
    {"best_of", FIELD_COUNT, CONF_MEMBER(struct experiment_strategy, best_of), .min = 1, .max = MAX_DRAWS},
    {"reuse", FIELD_MAP, CONF_MEMBER(struct experiment_strategy, reuse), .table = &reuse_table},
    {"workers", FIELD_COUNT, CONF_MEMBER(struct experiment_strategy, workers), .min = 1, .max = DIVISION_WORKERS_MAX},
    {"counts", FIELD_CHOICE, CONF_MEMBER(struct experiment_strategy, shares), .words = counts},
    {"exchange", FIELD_COUNT, CONF_MEMBER(struct experiment_strategy, exchange), .min = 1, .max = MAX_BUDGET},
    {0},
};
static const struct conf_field option_field = {
    "option", FIELD_TEXT, CONF_MEMBER(struct topic_option, value), .min = 1};

static scent_status check_name(const struct conf_node *node, struct str name, struct errmsg *err)
{
    struct buf list;

    if (strategy_find(name) || str_eq(name, STR("default")))
        return SCENT_OK;
    buf_init(&list, 0);
    for (size_t i = 0; strategy_at(i); i++)
        buf_printf(&list, "%s%s", i ? ", " : "", strategy_at(i)->name);
    conf_fail(node, err, "there is no strategy '%s'; there are %s", conf_show(name).text, buf_z(&list));
    buf_release(&list);
    return SCENT_E_INVALID;
}

static scent_status read_options(const struct conf_reader *reader, const struct conf_node *map,
                                 struct experiment_strategy *strategy, struct errmsg *err)
{
    strategy->options = arena_array(reader->arena, conf_count(map) + 1, sizeof *strategy->options);
    if (!strategy->options)
        return errmsg_no_memory(err);
    for (size_t i = 0; i < conf_count(map); i++) {
        struct topic_option *option = &strategy->options[strategy->noptions];
        const struct conf_field *field = strategy_fields;

        while (field->kind && !str_eq(conf_key(map, i), str_of(field->name)))
            field++;
        if (field->kind)
            continue;
        *option = (struct topic_option){.key = arena_str(reader->arena, conf_key(map, i))};
        if (!option->key.p)
            return errmsg_no_memory(err);
        SCENT_TRY(conf_field_read(&option_field, reader, conf_item(map, i), option, err));
        strategy->noptions++;
    }
    return SCENT_OK;
}

static scent_status read_strategy(const struct conf_reader *reader, const struct conf_node *node,
                                  struct experiment_strategy *strategy, struct errmsg *err)
{
    const struct experiment *experiment = reader->object;
    bool is_map = conf_kind(node) == CONF_MAP;
    const struct conf_node *name = is_map ? conf_get(node, "name") : node;
    const struct strategy_ops *ops; /* NULL: the choice of a topic file that names none */

    strategy->line = conf_line(node);
    if (!name)
        return conf_fail(node, err, "the key 'name' is missing; write for example {name: full-page, model: svm}");
    SCENT_TRY(conf_field_read(&strategy_fields[0], reader, name, strategy, err));
    SCENT_TRY(check_name(name, strategy->name, err));
    ops = strategy_find(strategy->name);
    strategy->label = strategy->name;
    for (const struct conf_field *field = strategy_fields + 1; is_map && field->kind; field++) {
        const struct conf_node *value = conf_get(node, field->name);

        if (!value)
            continue;
        if (field->table == &reuse_table) {
            if (!ops || !ops->learned)
                return conf_fail(value, err, "%.*s learns nothing that another crawl could begin with; remove this key",
                                 STR_ARG(strategy->name));
            strategy->reuse = (struct experiment_reuse){
                .wanted = true, .budget = experiment->budget, .weight = 1, .traces = strategy->traces};
        }
        SCENT_TRY(conf_field_read(field, reader, value, strategy, err));
    }
    if (!is_map)
        return SCENT_OK;
    SCENT_TRY(read_options(reader, node, strategy, err));
    if (!ops && strategy->noptions)
        return conf_fail(node, err, "default takes no options; name a strategy, or remove '%s'",
                         conf_show(strategy->options[0].key).text);
    if (ops && !conf_get(node, "model"))
        strategy_preset_model(ops, strategy->options, strategy->noptions,
                              &strategy->model.options);
    return SCENT_OK;
}

static scent_status check_workers(const struct conf_node *node, const struct experiment_strategy *strategy,
                                  struct errmsg *err)
{
    const struct strategy_ops *ops = strategy_find(strategy->name);

    if (strategy->shares && strategy->workers < 2)
        return conf_fail(conf_get(node, "counts"), err, "one worker has nobody to share with; write 'workers: 8', too");
    if (strategy->shares && !(ops && ops->learned))
        return conf_fail(conf_get(node, "counts"), err, "%.*s learns nothing that workers could share; remove this key",
                         STR_ARG(strategy->name));
    if (strategy->workers > 1 && strategy->reuse.wanted)
        return conf_fail(node, err, "'reuse' and several workers do not go together: an earlier crawl would count once "
                                    "for each worker");
    return SCENT_OK;
}

/* Rules are counted where the categories are learned; models of browsing are learned from sessions. */
static scent_status check_strategy(struct experiment *experiment, const struct conf_node *node,
                                   const struct experiment_strategy *strategy, struct errmsg *err)
{
    bool browsing = str_eq(strategy->name, STR("hmm"));

    SCENT_TRY(check_workers(node, strategy, err));
    experiment->trains_on_labels |= strategy->model.taxonomy;
    if (str_eq(strategy->name, STR("rules")) && !strategy->model.taxonomy)
        return conf_fail(node, err, "rules needs a model of all categories; write 'model: {train: taxonomy}'");
    for (size_t i = 0; i < strategy->noptions; i++)
        browsing |= str_eq(strategy->name, STR("best-first")) && str_eq(strategy->options[i].key, STR("by")) &&
                    str_eq(strategy->options[i].value, STR("browsing"));
    if (browsing && !experiment->sessions.kind)
        return conf_fail(node, err,
                         "it follows somebody's browsing, and there is none: write 'sessions: {walks: 40}' for a "
                         "simulated person, or 'sessions: {traces: access.log}' for the users of a log");
    return SCENT_OK;
}

static bool find_strategy(const struct experiment *experiment, struct str label, size_t *out)
{
    for (size_t i = 0; i < experiment->nstrategies; i++)
        if (str_eq(experiment->strategies[i].label, label)) {
            *out = i;
            return true;
        }
    return false;
}

static scent_status read_strategies(const struct conf_reader *reader, const struct conf_node *list, void *member,
                                    struct errmsg *err)
{
    struct experiment *experiment = reader->object;

    (void)member;
    if (conf_kind(list) != CONF_LIST || conf_count(list) == 0 || conf_count(list) > MAX_STRATEGIES)
        return conf_fail(list, err, "expected a list of 1 to %d strategies", MAX_STRATEGIES);
    experiment->strategies = arena_zalloc(reader->arena, conf_count(list) * sizeof *experiment->strategies);
    if (!experiment->strategies)
        return errmsg_no_memory(err);
    for (size_t i = 0, other; i < conf_count(list); i++) {
        struct experiment_strategy *strategy = &experiment->strategies[i];

        *strategy = (struct experiment_strategy){.model = experiment->model,
                                                 .traces = experiment->traces,
                                                 .best_of = 1,
                                                 .workers = experiment->workers,
                                                 .exchange = EXCHANGE};
        SCENT_TRY(read_strategy(reader, conf_item(list, i), strategy, err));
        SCENT_TRY(check_strategy(experiment, conf_item(list, i), strategy, err));
        if (find_strategy(experiment, strategy->label, &other))
            return conf_fail(conf_item(list, i), err, "'%s' stands here twice; tell them apart with 'as: another name'",
                             conf_show(strategy->label).text);
        experiment->nstrategies++;
    }
    return SCENT_OK;
}

/* ---- comparisons ---- */

static scent_status read_label(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    struct str label = STR_NONE;

    SCENT_TRY(conf_str(node, &label, err));
    return find_strategy(reader->object, label, member)
               ? SCENT_OK
               : conf_fail(node, err, "'%s' is none of the strategies above", conf_show(label).text);
}

static scent_status read_members(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                 struct errmsg *err)
{
    const struct experiment *experiment = reader->object;
    struct experiment_fusion *out = member;

    if (conf_kind(node) != CONF_LIST || conf_count(node) < 2)
        return conf_fail(node, err, "expected a list of two or more strategies");
    out->members = arena_array(reader->arena, conf_count(node), sizeof *out->members);
    if (!out->members)
        return errmsg_no_memory(err);
    for (size_t i = 0; i < conf_count(node); i++) {
        size_t *number = &out->members[out->count++];

        SCENT_TRY(read_label(reader, conf_item(node, i), number, err));
        if (experiment->strategies[*number].best_of > 1)
            return conf_fail(conf_item(node, i), err,
                             "the best of several crawls cannot be fused: they begin at different seeds");
    }
    return SCENT_OK;
}

static const struct conf_field fusion_fields[] = {
    {"of", FIELD_OWN, .read = read_members, .missing = ": name two or more strategies, such as of: [a, b]"},
    {"by", FIELD_CHOICE, CONF_MEMBER(struct experiment_fusion, by), .words = measure_fusion_words},
    {0},
};
static const struct conf_table fusion_table = {.fields = fusion_fields};

/* A list of strategies, or {of: [a, b], by: combsum}. */
static scent_status read_fusion(const struct conf_reader *reader, const struct conf_node *node,
                                struct experiment_fusion *out, struct errmsg *err)
{
    return conf_kind(node) == CONF_MAP ? conf_table_read(&fusion_table, reader, node, out, err)
                                       : read_members(reader, node, out, err);
}

static scent_status read_fusions(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                 struct errmsg *err)
{
    struct experiment *experiment = reader->object;

    (void)member;
    if (conf_kind(node) != CONF_LIST || conf_count(node) > MAX_FUSIONS)
        return conf_fail(node, err, "expected a list of lists of strategies, such as [[a, b], [a, c]]");
    experiment->fusions = arena_zalloc(reader->arena, (conf_count(node) + 1) * sizeof *experiment->fusions);
    if (!experiment->fusions)
        return errmsg_no_memory(err);
    for (size_t i = 0; i < conf_count(node); i++)
        SCENT_TRY(read_fusion(reader, conf_item(node, i), &experiment->fusions[experiment->nfusions++], err));
    return SCENT_OK;
}

/* ---- points ---- */

static scent_status read_points(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                struct errmsg *err)
{
    struct experiment *experiment = reader->object;
    uint64_t before = 0, point = 0;

    (void)member;
    if (conf_kind(node) != CONF_LIST || conf_count(node) == 0 || conf_count(node) > MAX_POINTS)
        return conf_fail(node, err, "expected a list of 1 to %d numbers of pages, such as [100, 250, 500]", MAX_POINTS);
    experiment->points = arena_array(reader->arena, conf_count(node), sizeof *experiment->points);
    if (!experiment->points)
        return errmsg_no_memory(err);
    for (size_t i = 0; i < conf_count(node); i++, before = point) {
        SCENT_TRY(conf_u64(conf_item(node, i), 1, experiment->budget, &point, err));
        if (point <= before)
            return conf_fail(conf_item(node, i), err, "points must grow; %u follows %u", (unsigned)point,
                             (unsigned)before);
        experiment->points[experiment->npoints++] = (uint32_t)point;
    }
    return SCENT_OK;
}

static scent_status default_points(struct experiment *experiment, struct errmsg *err)
{
    enum { POINTS = 10 };

    experiment->points = arena_array(&experiment->arena, POINTS, sizeof *experiment->points);
    if (!experiment->points)
        return errmsg_no_memory(err);
    for (uint32_t i = 1; i <= POINTS; i++) {
        uint32_t point = (uint32_t)((uint64_t)experiment->budget * i / POINTS);

        if (point && (experiment->npoints == 0 || point > experiment->points[experiment->npoints - 1]))
            experiment->points[experiment->npoints++] = point;
    }
    return SCENT_OK;
}

/* ---- the file ---- */

static const struct conf_field taxonomy_fields[] = {
    {"levels", FIELD_COUNT, CONF_MEMBER(struct experiment_taxonomy, levels), .max = 32},
    {"min_leaf", FIELD_COUNT, CONF_MEMBER(struct experiment_taxonomy, min_leaf), .max = 1000000, .fallback = 10},
    {"share", FIELD_NUMBER, CONF_MEMBER(struct experiment_taxonomy, share), .min = .01, .max = .99, .fallback = .5},
    {0},
};
static const struct conf_table taxonomy_table = {.fields = taxonomy_fields};

static const struct conf_field training_fields[] = {
    {"positives", FIELD_COUNT, CONF_MEMBER(struct experiment_training, positives), .max = 1000000},
    {"negatives", FIELD_COUNT, CONF_MEMBER(struct experiment_training, negatives), .min = 1, .max = 1000000},
    {"other_topics", FIELD_NUMBER, CONF_MEMBER(struct experiment_training, other_topics), .max = 1, .fallback = .5},
    {"share", FIELD_NUMBER, CONF_MEMBER(struct experiment_training, share), .max = 1, .fallback = .5},
    {0},
};
static const struct conf_table training_table = {.fields = training_fields};

static scent_status check_experiment(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                     struct errmsg *err)
{
    struct experiment *experiment = members;

    (void)reader;
    if (experiment->relevance == RELEVANT_BY_BROWSING && !experiment->sessions.kind)
        return conf_fail(conf_get(node, "relevance"), err,
                         "relevance by browsing needs browsing: write 'sessions', too");
    experiment->committee |= experiment->relevance == RELEVANT_BY_COMMITTEE;
    if (experiment->training.negatives && experiment->negatives)
        return conf_fail(conf_get(node, "negatives"), err, "'training' has negatives of its own; remove one of them");
    if (experiment->training.negatives)
        experiment->negatives = experiment->training.negatives;
    else if (conf_get(node, "training"))
        return conf_fail(conf_get(node, "training"), err, "the key 'negatives' is missing: how many pages that are not "
                                                          "of the topic do models learn from?");
    experiment->negatives = experiment->negatives ? experiment->negatives : 2 * experiment->seeds;
    return experiment->npoints ? SCENT_OK : default_points(experiment, err);
}

/* "model", "label", or a program as in a topic file. */
static scent_status read_judge(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    static const char *const judges[] = {"model", "label", NULL};
    static const struct conf_field choice = {"judge", FIELD_CHOICE, CONF_MEMBER(struct experiment, judge),
                                             .words = judges};
    struct experiment *experiment = reader->object;

    (void)member;
    if (conf_kind(node) != CONF_MAP)
        return conf_field_read(&choice, reader, node, experiment, err);
    experiment->judge = JUDGED_BY_PROGRAM;
    conf_table_defaults(&topic_judge_table, &experiment->program);
    return conf_table_read(&topic_judge_table, reader, node, &experiment->program, err);
}

#define MEMBER(kind, member) kind, CONF_MEMBER(struct experiment, member)

static const char *const relevances[] = {"label", "committee", "query", "browsing", NULL};
static const char *const contents[] = {[TOPIC_CONTENT_MAIN] = "main", [TOPIC_CONTENT_ALL] = "all", NULL};
static const char *const seedings[] = {"topic", "core", NULL};

/* In the order of reading: topics, strategies and what follows them depend on what stands above. */
static const struct conf_field fields[] = {
    {"experiment", MEMBER(FIELD_TEXT, name), .min = 1, .text = "experiment"},
    {"collection", MEMBER(FIELD_PATH, collection), .expected = "a folder of WARC files, or a generated web's file",
     .missing = ": name a folder of WARC files, or the specification of a generated web"},
    {"labels", MEMBER(FIELD_PATH, labels)},
    {"traces", MEMBER(FIELD_OWN, traces), .read = read_traces},
    {"exclude", FIELD_TEXTS, CONF_MEMBERS(struct experiment, exclude, nexclude), .min = 1,
     .expected = "globs of URLs"},
    {"page_bytes", MEMBER(FIELD_BYTES, page_bytes), .min = 1 << 10, .max = 64 << 20},
    {"page_links", MEMBER(FIELD_COUNT, page_links), .min = 1, .max = 20000},
    {"content", MEMBER(FIELD_CHOICE, content), .words = contents, .fallback = TOPIC_CONTENT_ALL},
    {"query", MEMBER(FIELD_TEXT, query), .min = 1},
    {"relevant", MEMBER(FIELD_TEXT, relevant), .min = 1},
    {"seeds", MEMBER(FIELD_COUNT, seeds), .min = 1, .max = 100000, .fallback = 20},
    {"negatives", MEMBER(FIELD_COUNT, negatives), .min = 1, .max = 1000000},
    {"examples", MEMBER(FIELD_BOOL, examples), .fallback = true},
    {"training", MEMBER(FIELD_MAP, training), .table = &training_table},
    {"hubs", MEMBER(FIELD_COUNT, hubs), .max = 100000},
    {"repeats", MEMBER(FIELD_COUNT, repeats), .min = 1, .max = 1000, .fallback = 1},
    {"budget", MEMBER(FIELD_COUNT, budget), .min = 1, .max = MAX_BUDGET, .fallback = 1000},
    {"max_pages", MEMBER(FIELD_COUNT, max_pages), .min = 1, .max = 1 << 24},
    {"seed", MEMBER(FIELD_COUNT, seed), .max = 0x1p63, .fallback = 1},
    {"relevance", MEMBER(FIELD_CHOICE, relevance), .words = relevances},
    {"judge", MEMBER(FIELD_OWN, judge), .read = read_judge},
    {"seeds_from", MEMBER(FIELD_CHOICE, seeding), .words = seedings},
    {"committee", MEMBER(FIELD_BOOL, committee)},
    {"similarity", MEMBER(FIELD_BOOL, similarity)},
    {"disjoint_seeds", MEMBER(FIELD_BOOL, disjoint)},
    {"taxonomy", MEMBER(FIELD_MAP, taxonomy), .table = &taxonomy_table},
    {"belief", MEMBER(FIELD_NUMBER, belief), .max = 1, .fallback = .45},
    {"points", FIELD_OWN, .read = read_points},
    {"sessions", MEMBER(FIELD_OWN, sessions), .read = read_sessions},
    {"topics", FIELD_OWN, .read = read_topics},
    {"model", MEMBER(FIELD_MAP, model), .table = &experiment_model_table},
    {"workers", MEMBER(FIELD_COUNT, workers), .min = 1, .max = DIVISION_WORKERS_MAX, .fallback = 1},
    {"strategies", FIELD_OWN, .read = read_strategies, .missing = ": list the strategies to compare"},
    {"baseline", MEMBER(FIELD_OWN, baseline), .read = read_label},
    {"fusions", FIELD_OWN, .read = read_fusions},
    {0},
};
static const struct conf_table experiment_table = {.fields = fields, .check = check_experiment};

static scent_status read_file(struct experiment *experiment, struct str text, const char *name, struct errmsg *err)
{
    struct conf_reader reader = {.arena = &experiment->arena, .object = experiment};
    struct conf *conf;
    scent_status status;

    experiment->source = arena_str(&experiment->arena, text);
    experiment->file = arena_str(&experiment->arena, str_of(name));
    if (!experiment->source.p || !experiment->file.p)
        return errmsg_no_memory(err);
    reader.file = experiment->file.p;
    SCENT_TRY(conf_parse(text, name, &conf, err));
    status = conf_root(conf) ? conf_table_read(&experiment_table, &reader, conf_root(conf), experiment, err)
                             : errmsg_fail(err, SCENT_E_INVALID, "%s: the file is empty", name);
    conf_free(conf);
    return status;
}

scent_status experiment_parse(struct str text, const char *name, struct experiment **out, struct errmsg *err)
{
    struct experiment *experiment = calloc(1, sizeof *experiment);
    scent_status status;

    SCENT_BUG_IF(!experiment);
    arena_init(&experiment->arena, MAX_MEMORY);
    conf_table_defaults(&experiment_table, experiment);
    conf_table_defaults(&rule_table, experiment);
    conf_table_defaults(&walks_table, &experiment->sessions);
    conf_table_defaults(&users_table, &experiment->sessions);
    experiment->model.options = model_options_default(MODEL_SVM);
    status = read_file(experiment, text, name, err);
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

void experiment_free(struct experiment *experiment)
{
    if (!experiment)
        return;
    arena_release(&experiment->arena);
    free(experiment);
}
