/* The tables of the topic file: each key with its kind, limits and default, and what must hold between keys.
 * docs/guide/topic-file.md explains the keys. */
#include "topic/topic_parts.h"

#include "topic/predicate.h"
#include "topic/query.h"

#include <inttypes.h>
#include <stdio.h>

#define DAY_US ((int64_t)86400 * 1000000)

enum { MAX_NAME = 200, MAX_WINDOW = 100000, MAX_PATHS = 1000, MAX_REUSE = 100 };
enum { MAX_PER_CLASS = 1000000, MAX_LEVELS = 32 };

static scent_status fail_memory(struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
}

/* "topic.yaml:7: traces", for messages about what a key names. */
static scent_status keep_place(const struct conf_reader *reader, const struct conf_node *node, const char *key,
                               struct str *out, struct errmsg *err)
{
    *out = arena_printf(reader->arena, "%s:%d: %s", reader->file, conf_line(node), key);
    return out->p ? SCENT_OK : fail_memory(err);
}

/* ---- scope ---- */

static bool is_no_host(struct str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (strchr("=&%#@", pattern.p[i]) || (pattern.p[i] == ':' && pattern.p[0] != '['))
            return true;
    return false;
}

/* URLs are ASCII and patterns are matched without the scheme: another pattern could never match. */
static scent_status check_pattern(const struct conf_node *node, struct str pattern, struct errmsg *err)
{
    if (pattern.len == 0)
        return conf_fail(node, err, "an empty pattern matches nothing; remove it");
    for (size_t i = 0; i < pattern.len; i++)
        if ((unsigned char)pattern.p[i] <= ' ' || (unsigned char)pattern.p[i] >= 0x7f)
            return conf_fail(node, err,
                             "'%s' can match no URL: write hosts as xn--… and other characters as %%XX, without spaces",
                             conf_show(pattern).text);
    if (url_is_absolute(pattern))
        return conf_fail(node, err, "'%s' can match no URL: patterns are compared without the scheme; remove '%.*s'",
                         conf_show(pattern).text, (int)str_find(pattern, '/') + 2, pattern.p);
    if (str_find(pattern, '/') == pattern.len && is_no_host(pattern))
        return conf_fail(node, err,
                         "'%s' has no '/' and is compared with the host alone, which it can never match; write '%s'",
                         conf_show(pattern).text, str_find(pattern, ':') < pattern.len ? "HOST:PORT/*" : "*/*…");
    return SCENT_OK;
}

static scent_status check_patterns(const struct conf_node *node, const struct str *patterns, struct errmsg *err)
{
    for (size_t i = 0; i < conf_many(node); i++)
        SCENT_TRY(check_pattern(conf_nth(node, i), patterns[i], err));
    return SCENT_OK;
}

static scent_status check_scope(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    const struct conf_node *types = conf_get(node, "types");
    const struct scope *scope = members;

    (void)reader;
    SCENT_TRY(check_patterns(conf_get(node, "include"), scope->include, err));
    SCENT_TRY(check_patterns(conf_get(node, "exclude"), scope->exclude, err));
    for (size_t i = 0; i < conf_many(types); i++)
        if (str_find(scope->types[i], '/') == scope->types[i].len)
            return conf_fail(conf_nth(types, i), err, "expected a type such as text/html or text/*, got '%s'",
                             conf_show(scope->types[i]).text);
    return SCENT_OK;
}

static const struct conf_field scope_fields[] = {
    {"include", FIELD_TEXTS, CONF_MEMBERS(struct scope, include, ninclude)},
    {"exclude", FIELD_TEXTS, CONF_MEMBERS(struct scope, exclude, nexclude)},
    {"hops_off_domain", FIELD_COUNT, CONF_MEMBER(struct scope, hops_off_domain), .max = UINT32_MAX - 1,
     .fallback = UINT32_MAX},
    {"types", FIELD_TEXTS, CONF_MEMBERS(struct scope, types, ntypes)},
    {0},
};
static const struct conf_table scope_table = {.fields = scope_fields, .check = check_scope};

/* ---- limits ---- */

static scent_status check_limits(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                 struct errmsg *err)
{
    const struct topic_limits *limits = members;

    (void)reader;
    if (limits->per_domain && limits->per_host > limits->per_domain)
        return conf_fail(conf_get(node, "per_host"), err,
                         "%" PRIu64 " is more than limits.per_domain allows (%" PRIu64 "); lower it or remove it",
                         limits->per_host, limits->per_domain);
    return SCENT_OK;
}

static const struct conf_field limits_fields[] = {
    {"pages", FIELD_COUNT, CONF_MEMBER(struct topic_limits, pages)},
    {"time", FIELD_DURATION, CONF_MEMBER(struct topic_limits, time_us)},
    {"depth", FIELD_COUNT, CONF_MEMBER(struct topic_limits, depth), .fallback = 20},
    {"page_bytes", FIELD_BYTES, CONF_MEMBER(struct topic_limits, page_bytes), .min = 1 << 10, .max = 1 << 30,
     .fallback = 2 << 20},
    {"per_host", FIELD_COUNT, CONF_MEMBER(struct topic_limits, per_host)},
    {"per_domain", FIELD_COUNT, CONF_MEMBER(struct topic_limits, per_domain)},
    {"per_pattern", FIELD_COUNT, CONF_MEMBER(struct topic_limits, per_pattern), .fallback = 2000},
    {"urls_per_domain", FIELD_COUNT, CONF_MEMBER(struct topic_limits, urls_per_domain), .fallback = 100000},
    {"min_free_disk", FIELD_BYTES, CONF_MEMBER(struct topic_limits, min_free_disk), .fallback = 1 << 30},
    {"text_memory", FIELD_BYTES, CONF_MEMBER(struct topic_limits, text_memory), .min = 1 << 10, .max = 0x1p40,
     .fallback = 16 << 20},
    {"body_memory", FIELD_BYTES, CONF_MEMBER(struct topic_limits, body_memory), .min = 1 << 20, .max = 0x1p40,
     .fallback = 256 << 20},
    {0},
};
static const struct conf_table limits_table = {.fields = limits_fields, .check = check_limits};

/* ---- politeness ---- */

/* It becomes a line of an HTTP request. */
static scent_status check_user_agent(const struct conf_node *node, struct str agent, struct errmsg *err)
{
    if (agent.len == 0 || agent.len > 256)
        return conf_fail(node, err, "must have 1 to 256 characters");
    for (size_t i = 0; i < agent.len; i++)
        if (agent.p[i] < ' ' || agent.p[i] > '~')
            return conf_fail(node, err, "must be plain ASCII on one line");
    return SCENT_OK;
}

static scent_status check_politeness(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                     struct errmsg *err)
{
    const struct conf_node *agent = conf_get(node, "user_agent"), *per_host = conf_get(node, "per_host");
    const struct conf_node *per_domain = conf_get(node, "per_domain");
    struct topic_politeness *polite = members;

    (void)reader;
    if (agent)
        SCENT_TRY(check_user_agent(agent, polite->user_agent, err));
    if (per_domain && polite->per_domain < polite->per_host)
        return conf_fail(per_domain, err, "must be at least per_host (%u), got %u", polite->per_host,
                         polite->per_domain);
    if (polite->per_domain < polite->per_host)
        polite->per_domain = polite->per_host;
    if (polite->per_host > polite->per_ip)
        return conf_fail(per_host ? per_host : conf_get(node, "per_ip"), err,
                         "per_host (%u) is more than per_ip (%u) allows; raise per_ip or lower per_host",
                         polite->per_host, polite->per_ip);
    return SCENT_OK;
}

static const char *const obedience[] = {"obey", "ignore", NULL};
static const struct conf_field politeness_fields[] = {
    {"delay", FIELD_DURATION, CONF_MEMBER(struct topic_politeness, delay_us), .fallback = 1e6},
    {"per_host", FIELD_COUNT, CONF_MEMBER(struct topic_politeness, per_host), .min = 1, .max = 1000, .fallback = 1},
    {"per_domain", FIELD_COUNT, CONF_MEMBER(struct topic_politeness, per_domain), .min = 1, .max = 10000,
     .fallback = 4},
    {"per_ip", FIELD_COUNT, CONF_MEMBER(struct topic_politeness, per_ip), .min = 1, .max = 10000, .fallback = 8},
    {"user_agent", FIELD_TEXT, CONF_MEMBER(struct topic_politeness, user_agent)},
    {"retries", FIELD_COUNT, CONF_MEMBER(struct topic_politeness, retries), .max = 100, .fallback = 2},
    {"connect_timeout", FIELD_DURATION, CONF_MEMBER(struct topic_politeness, connect_timeout_us), .min = 1e5,
     .max = 3600e6, .fallback = 10e6},
    {"timeout", FIELD_DURATION, CONF_MEMBER(struct topic_politeness, timeout_us), .min = 1e5, .max = 24 * 3600e6,
     .fallback = 60e6},
    {"page_robots", FIELD_CHOICE, CONF_MEMBER(struct topic_politeness, ignore_page_robots), .words = obedience},
    {"rel_nofollow", FIELD_CHOICE, CONF_MEMBER(struct topic_politeness, ignore_rel_nofollow), .words = obedience},
    {0},
};
static const struct conf_table politeness_table = {.fields = politeness_fields, .check = check_politeness};

/* ---- ways: how the network is reached ----
 *
 * The topic file is kept with the crawl and passed on with it, so nothing secret may stand in it: secrets lie in files
 * that are named here, and no message shows what was written in their place. */

#define SECRETS_ELSEWHERE "; the topic file is kept with the crawl, so user names and passwords must not stand in it"

static scent_status check_place(const struct conf_reader *reader, const struct conf_node *node, struct str place,
                                struct errmsg *err)
{
    struct str text = arena_printf(reader->arena, "http://%.*s/", STR_ARG(place));
    struct url url;
    bool is_odd = false;

    if (!text.p)
        return fail_memory(err);
    for (size_t i = 0; i < place.len; i++)
        is_odd = is_odd || (unsigned char)place.p[i] <= ' ' || strchr("/?#\\", place.p[i]);
    if (is_odd || url_parse(reader->arena, text, NULL, &url) != SCENT_OK)
        return conf_fail(node, err, "'%s' is not a proxy; write HOST:PORT", conf_show(place).text);
    return SCENT_OK;
}

/* http://HOST:PORT, socks5://HOST:PORT, HOST:PORT */
static scent_status read_proxy(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    static const char *const schemes[] = {"http", "socks5", "socks5h"};
    struct str text = STR_NONE, scheme, *out = member;
    const char *end;
    bool known = false;

    SCENT_TRY(conf_str(node, &text, err));
    if (str_find(text, '@') < text.len)
        return conf_fail(node, err, "this has a user name or a password in it" SECRETS_ELSEWHERE
                                    "; leave out what stands before the '@' and write it as 'proxy: {user: …, "
                                    "password: …}' into the file that ways.logins names, or set SCENT_PROXY_LOGIN");
    *out = arena_str(reader->arena, text);
    if (!out->p)
        return fail_memory(err);
    end = strstr(out->p, "://");
    if (!end)
        return check_place(reader, node, *out, err);
    scheme = (struct str){out->p, (size_t)(end - out->p)};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        known = known || str_eq_nocase(scheme, str_of(schemes[i]));
    if (!known)
        return conf_fail(node, err, "a proxy speaks http or socks5, not '%s'", conf_show(scheme).text);
    return check_place(reader, node, str_of(end + 3), err);
}

/* Tor listens for SOCKS alone. */
static scent_status read_onion(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    struct str *out = member;

    SCENT_TRY(read_proxy(reader, node, out, err));
    if (str_starts_nocase(*out, STR("http:")))
        return conf_fail(node, err, "the way to .onion is a SOCKS port, such as 127.0.0.1:9050");
    return SCENT_OK;
}

static scent_status read_secret(const struct conf_reader *reader, const struct conf_node *node, const char *what,
                                struct str *out, struct errmsg *err)
{
    char expected[64];

    if (conf_kind(node) != CONF_SCALAR)
        return conf_fail(node, err, "expected the path of a file with %s" SECRETS_ELSEWHERE
                                    "; move them to a file of their own and name it here", what);
    snprintf(expected, sizeof expected, "the path of a file with %s", what);
    return conf_path(reader, node, expected, out, err);
}

static scent_status read_cookies(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                 struct errmsg *err)
{
    return read_secret(reader, node, "cookies", member, err);
}

static scent_status read_logins(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                struct errmsg *err)
{
    return read_secret(reader, node, "logins", member, err);
}

static const struct conf_field network_fields[] = {
    {"proxy", FIELD_OWN, CONF_MEMBER(struct topic_network, proxy), .read = read_proxy},
    {"onion", FIELD_OWN, CONF_MEMBER(struct topic_network, onion), .read = read_onion},
    {"cookies", FIELD_OWN, CONF_MEMBER(struct topic_network, cookies), .read = read_cookies},
    {"logins", FIELD_OWN, CONF_MEMBER(struct topic_network, logins), .read = read_logins},
    {0},
};
static const struct conf_table network_table = {.fields = network_fields};

/* ---- recrawl ---- */

/* A key without an effect is a mistake. */
static scent_status check_recrawl(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                  struct errmsg *err)
{
    static const char *const keys[] = {"interval", "min", "max", "wait"};
    const struct topic_recrawl *recrawl = members;

    (void)reader;
    for (size_t i = 0; i < 4; i++) {
        const struct conf_node *given = conf_get(node, keys[i]);
        bool of_adaptive = i == 1 || i == 2;

        if (given && recrawl->policy == TOPIC_RECRAWL_NONE)
            return conf_fail(given, err, "has no effect without a policy; add 'policy: fixed' or 'policy: adaptive'");
        if (given && of_adaptive && recrawl->policy == TOPIC_RECRAWL_FIXED)
            return conf_fail(given, err, "has no effect with 'policy: fixed'; remove it, or write 'policy: adaptive'");
    }
    if (recrawl->policy != TOPIC_RECRAWL_ADAPTIVE)
        return SCENT_OK;
    if (recrawl->min_us > recrawl->max_us)
        return conf_fail(node, err, "min is longer than max (1h and 90d unless given); swap or change them");
    if (recrawl->interval_us < recrawl->min_us || recrawl->interval_us > recrawl->max_us)
        return conf_fail(node, err, "interval (7d unless given) must lie between min (1h) and max (90d)");
    return SCENT_OK;
}

#define INTERVAL(name, member, normal)                                                                                \
    {name, FIELD_DURATION, CONF_MEMBER(struct topic_recrawl, member), .min = 1e6, .max = 3650. * DAY_US,              \
     .fallback = normal}

static const char *const recrawl_policies[] = {
    [TOPIC_RECRAWL_NONE] = "none", [TOPIC_RECRAWL_FIXED] = "fixed", [TOPIC_RECRAWL_ADAPTIVE] = "adaptive", NULL};
static const struct conf_field recrawl_fields[] = {
    {"policy", FIELD_CHOICE, CONF_MEMBER(struct topic_recrawl, policy), .words = recrawl_policies},
    INTERVAL("interval", interval_us, 7. * DAY_US),
    INTERVAL("min", min_us, DAY_US / 24),
    INTERVAL("max", max_us, 90. * DAY_US),
    {"wait", FIELD_BOOL, CONF_MEMBER(struct topic_recrawl, wait)},
    {0},
};
static const struct conf_table recrawl_table = {.fields = recrawl_fields, .check = check_recrawl};

/* ---- examples and taxonomy ---- */

static scent_status check_examples(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                   struct errmsg *err)
{
    const struct topic_examples *examples = members;

    (void)reader;
    if (examples->nnegative && examples->nbackground)
        return conf_fail(conf_get(node, "background"), err,
                         "negatives are drawn from here only where none are given; remove it, or move it to "
                         "'negative'");
    if (examples->nnegative && conf_get(node, "ratio"))
        return conf_fail(conf_get(node, "ratio"), err,
                         "it counts the negatives that are drawn, and these are given; remove it");
    return SCENT_OK;
}

#define EXAMPLES(name, member, number)                                                                                \
    name, FIELD_PATHS, CONF_MEMBERS(struct topic_examples, member, number), .min = 1, .max = MAX_PATHS,               \
        .expected = "paths of files or folders"

static const struct conf_field examples_fields[] = {
    {EXAMPLES("positive", positive, npositive), .missing = ": the examples of what you are looking for"},
    {EXAMPLES("negative", negative, nnegative)},
    {EXAMPLES("background", background, nbackground)},
    {"ratio", FIELD_NUMBER, CONF_MEMBER(struct topic_examples, ratio), .min = 0.1, .max = 1000, .fallback = 2},
    {0},
};
static const struct conf_table examples_table = {
    .fields = examples_fields,
    .expected = "a map such as {positive: examples/hockey, negative: examples/other}",
    .check = check_examples};

static scent_status check_taxonomy(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                   struct errmsg *err)
{
    const struct topic_taxonomy *taxonomy = members;

    (void)reader;
    for (size_t i = 0; i < taxonomy->ntargets; i++)
        if (str_trim(taxonomy->targets[i]).len == 0)
            return conf_fail(conf_get(node, "target"), err, "expected the name of a category, such as Sports.Hockey");
    if (taxonomy->min_leaf > taxonomy->per_class)
        return conf_fail(conf_get(node, "min_leaf"), err,
                         "%" PRIu32 " is more than per_class keeps of a category (%" PRIu32 "); lower it",
                         taxonomy->min_leaf, taxonomy->per_class);
    return SCENT_OK;
}

static const struct conf_field taxonomy_fields[] = {
    {"file", FIELD_PATH, CONF_MEMBER(struct topic_taxonomy, file),
     .missing = ": a category<TAB>url list, a folder tree or an ODP dump"},
    {"collection", FIELD_PATH, CONF_MEMBER(struct topic_taxonomy, collection)},
    {"target", FIELD_TEXTS, CONF_MEMBERS(struct topic_taxonomy, targets, ntargets)},
    {"min_leaf", FIELD_COUNT, CONF_MEMBER(struct topic_taxonomy, min_leaf), .max = MAX_PER_CLASS},
    {"levels", FIELD_COUNT, CONF_MEMBER(struct topic_taxonomy, levels), .max = MAX_LEVELS},
    {"per_class", FIELD_COUNT, CONF_MEMBER(struct topic_taxonomy, per_class), .min = 1, .max = MAX_PER_CLASS,
     .fallback = 500},
    {0},
};
static const struct conf_table taxonomy_table = {
    .fields = taxonomy_fields,
    .brief = "file",
    .expected = "a path, or a map such as {file: taxonomy.tsv, target: Sports.Hockey}",
    .check = check_taxonomy};

/* ---- model ---- */

/* An option that the kind does not know would be a silent wish. */
static scent_status check_model(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    enum { BAYES = 1 << MODEL_BAYES, SVM = 1 << MODEL_SVM, LOGISTIC = 1 << MODEL_LOGISTIC, MLP = 1 << MODEL_MLP };
    static const struct {
        const char *key;
        int kinds;
        const char *names;
    } owners[] = {
        {"C", SVM | LOGISTIC, "svm and logistic"}, {"weighting", SVM | LOGISTIC | MLP, "svm, logistic and mlp"},
        {"alpha", BAYES, "bayes"},                 {"flatten", BAYES, "bayes"},
        {"folds", SVM, "svm"},                     {"loss", SVM, "svm"},
        {"hidden", MLP, "mlp"},                    {"epochs", MLP, "mlp"},
        {"l2", MLP, "mlp"},
    };
    const struct model_options *options = members;

    (void)reader;
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        const struct conf_node *option = conf_get(node, owners[i].key);

        if (option && !(owners[i].kinds & 1 << options->kind))
            return conf_fail(option, err, "an option of %s; a model of kind %s has no use for it, remove it",
                             owners[i].names, model_kind_name(options->kind));
    }
    return SCENT_OK;
}

/* The examples of a topic are few: with ltc the words that all of them have would weigh nothing, and with C = 1 a
 * logistic model is sure of nothing (docs/decisions/0012-models.md). */
static struct model_options model_for_few(enum model_kind kind)
{
    struct model_options options = model_options_default(kind);

    if (kind == MODEL_SVM || kind == MODEL_LOGISTIC)
        options.weighting = TEXT_LSC;
    if (kind == MODEL_LOGISTIC)
        options.C = 10;
    return options;
}

/* Each kind has defaults of its own; it is read first. */
static scent_status read_kind(const struct conf_reader *reader, const struct conf_node *node, void *member,
                              struct errmsg *err)
{
    struct topic *topic = reader->object;
    struct str name = STR_NONE;
    enum model_kind kind;

    (void)member;
    SCENT_TRY(conf_str(node, &name, err));
    if (!model_kind_parse(name, &kind))
        return conf_fail(node, err, "expected svm, logistic, bayes or mlp, got '%s'", conf_show(name).text);
    topic->model = model_for_few(kind);
    return SCENT_OK;
}

#define OPTION(name, field, member, least, most)                                                                      \
    {name, field, CONF_MEMBER(struct model_options, member), .min = least, .max = most}

static const char *const weightings[] = {
    [TEXT_LTC] = "ltc", [TEXT_ATN] = "atn", [TEXT_TF] = "tf", [TEXT_LSC] = "lsc", NULL};
static const char *const losses[] = {[MODEL_SQUARED_HINGE] = "squared_hinge", [MODEL_HINGE] = "hinge", NULL};
static const struct conf_field model_fields[] = {
    {"kind", FIELD_OWN, .read = read_kind},
    {"weighting", FIELD_CHOICE, CONF_MEMBER(struct model_options, weighting), .words = weightings},
    {"loss", FIELD_CHOICE, CONF_MEMBER(struct model_options, loss), .words = losses},
    OPTION("C", FIELD_NUMBER, C, 1e-6, 1e6),
    OPTION("alpha", FIELD_NUMBER, alpha, 1e-9, 1000),
    OPTION("flatten", FIELD_NUMBER, flatten, 0, 1e6),
    OPTION("folds", FIELD_COUNT, folds, 2, 20),
    OPTION("hidden", FIELD_COUNT, hidden, 1, MODEL_HIDDEN_MAX),
    OPTION("epochs", FIELD_COUNT, epochs, 1, 100000),
    OPTION("l2", FIELD_NUMBER, l2, 0, 1000),
    OPTION("max_features", FIELD_COUNT, max_features, 0, 100000000),
    {0},
};
static const struct conf_table model_table = {
    .fields = model_fields,
    .brief = "kind",
    .expected = "svm, logistic, bayes or mlp, or a map such as {kind: svm, C: 1}",
    .check = check_model};

static struct model_options default_model(const struct topic *topic)
{
    bool by_taxonomy = topic->taxonomy.file.len && !topic->examples.npositive;
    struct model_options options = model_for_few(by_taxonomy ? MODEL_BAYES : MODEL_SVM);

    options.seed = topic->seed ? topic->seed : 1; /* the same examples give the same model */
    return options;
}

static scent_status read_model(struct topic *topic, const struct conf_reader *reader, const struct conf_node *node,
                               struct errmsg *err)
{
    topic->model = default_model(topic);
    SCENT_TRY(conf_table_read(&model_table, reader, node, &topic->model, err));
    topic->model.seed = topic->seed ? topic->seed : 1; /* its kind may have replaced the options */
    topic->model_given = node != NULL;
    if (node && topic_classes(topic) == TOPIC_NO_MODEL)
        return conf_fail(node, err, "there is nothing to train it with; add 'examples' or 'taxonomy'");
    return SCENT_OK;
}

/* ---- traces, browsing, reuse: what others have left behind ---- */

static scent_status check_trace(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    struct topic_trace *trace = members;
    struct url url;

    if (trace->base.len && url_parse(reader->arena, trace->base, NULL, &url) != SCENT_OK)
        return conf_fail(conf_get(node, "base"), err,
                         "'%s' is not an http or https URL; give the site of the log, such as "
                         "https://www.example.org/",
                         conf_show(trace->base).text);
    return keep_place(reader, node, "traces", &trace->place, err);
}

#define A_TRACE "the path of an access log or of a file that 'scent trace import' made"
static const struct conf_field trace_fields[] = {
    {"file", FIELD_PATH, CONF_MEMBER(struct topic_trace, file), .expected = A_TRACE,
     .missing = "; write {file: access.log, base: https://www.example.org/}"},
    {"base", FIELD_TEXT, CONF_MEMBER(struct topic_trace, base), .min = 1},
    {0},
};
static const struct conf_table trace_table = {.fields = trace_fields,
                                              .size = sizeof(struct topic_trace),
                                              .brief = "file",
                                              .expected = A_TRACE,
                                              .check = check_trace};

static scent_status read_browsing(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                  struct errmsg *err)
{
    struct topic *topic = reader->object;

    SCENT_TRY(conf_path(reader, node, "the path of a file that 'scent browse train' made", member, err));
    return keep_place(reader, node, "browsing", &topic->browsing_place, err);
}

static scent_status check_reuse(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    const struct topic_reuse *reuse = members;

    (void)reader;
    if (reuse->weight <= 0)
        return conf_fail(conf_get(node, "weight"), err,
                         "with a weight of 0 nothing is reused; give one above 0, at most 1");
    return SCENT_OK;
}

#define A_CRAWL "a crawl directory or a file of its folder 'learned', such as winter.crawl"
static const struct conf_field reuse_fields[] = {
    {"from", FIELD_PATH, CONF_MEMBER(struct topic_reuse, from), .expected = A_CRAWL,
     .missing = "; write {from: winter.crawl, weight: 0.5}"},
    {"weight", FIELD_NUMBER, CONF_MEMBER(struct topic_reuse, weight), .max = 1, .fallback = 1},
    {0},
};
static const struct conf_table reuse_table = {.fields = reuse_fields,
                                              .size = sizeof(struct topic_reuse),
                                              .brief = "from",
                                              .expected = A_CRAWL,
                                              .check = check_reuse};

/* ---- the file ---- */

static scent_status read_name(const struct conf_reader *reader, const struct conf_node *node, void *member,
                              struct errmsg *err)
{
    struct str name = STR_NONE, *out = member;

    SCENT_TRY(conf_str(node, &name, err));
    if (str_trim(name).len == 0)
        return conf_fail(node, err, "the name is empty; write for example 'topic: hockey'");
    if (name.len > MAX_NAME)
        return conf_fail(node, err, "a name has at most %d bytes", MAX_NAME);
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
            return conf_fail(node, err, "a name has no control characters or line breaks; write it on one line");
    *out = arena_str(reader->arena, name);
    return out->p ? SCENT_OK : fail_memory(err);
}

static scent_status read_seed(const struct conf_reader *reader, const struct conf_node *node, void *member,
                              struct errmsg *err)
{
    (void)reader;
    if (conf_kind(node) == CONF_LIST)
        return conf_fail(node, err, "expected the whole number that random numbers start from; did you mean 'seeds'?");
    return conf_u64(node, 0, UINT64_MAX, member, err);
}

static scent_status read_query(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    struct query **out = member;
    struct errmsg why = {{0}};
    struct str text = STR_NONE;

    (void)reader;
    SCENT_TRY(conf_str(node, &text, err));
    return query_parse(text, out, &why) == SCENT_OK ? SCENT_OK : conf_fail(node, err, "%s", why.text);
}

/* Keys that depend on others are read after the table, in finish(). */
static scent_status read_later(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    (void)reader;
    (void)node;
    (void)member;
    (void)err;
    return SCENT_OK;
}

#define LATER(name) {name, FIELD_OWN, .read = read_later}

static scent_status finish(const struct conf_reader *reader, const struct conf_node *root, void *members,
                           struct errmsg *err);

static const struct conf_field fields[] = {
    {"topic", FIELD_OWN, CONF_MEMBER(struct topic, name), .read = read_name,
     .missing = "; name the topic, for example 'topic: hockey'"},
    LATER("seeds"),
    LATER("seeds_file"),
    {"scope", FIELD_MAP, CONF_MEMBER(struct topic, scope), .table = &scope_table},
    LATER("relevant"),
    {"strategy", FIELD_OWN, .read = topic_read_strategy},
    {"window", FIELD_COUNT, CONF_MEMBER(struct topic, window), .max = MAX_WINDOW},
    {"seed", FIELD_OWN, CONF_MEMBER(struct topic, seed), .read = read_seed},
    {"limits", FIELD_MAP, CONF_MEMBER(struct topic, limits), .table = &limits_table},
    {"politeness", FIELD_MAP, CONF_MEMBER(struct topic, politeness), .table = &politeness_table},
    {"strip_tracking", FIELD_BOOL, CONF_MEMBER(struct topic, strip_tracking), .fallback = true},
    {"ways", FIELD_MAP, CONF_MEMBER(struct topic, network), .table = &network_table},
    {"examples", FIELD_MAP, CONF_MEMBER(struct topic, examples), .table = &examples_table},
    LATER("model"),
    {"taxonomy", FIELD_MAP, CONF_MEMBER(struct topic, taxonomy), .table = &taxonomy_table},
    {"query", FIELD_OWN, CONF_MEMBER(struct topic, query), .read = read_query},
    {"recrawl", FIELD_MAP, CONF_MEMBER(struct topic, recrawl), .table = &recrawl_table},
    {"sitemaps", FIELD_BOOL, CONF_MEMBER(struct topic, sitemaps)},
    {"traces", FIELD_MAPS, CONF_MEMBERS(struct topic, traces, ntraces), .table = &trace_table, .min = 1,
     .max = MAX_PATHS, .expected = "paths of access logs"},
    {"rules", FIELD_PATH, CONF_MEMBER(struct topic, rules_file)},
    {"browsing", FIELD_OWN, CONF_MEMBER(struct topic, browsing_file), .read = read_browsing},
    {"reuse", FIELD_MAPS, CONF_MEMBERS(struct topic, reuse, nreuse), .table = &reuse_table, .min = 1, .max = MAX_REUSE,
     .expected = "crawl directories"},
    {0},
};
static const struct conf_table topic_table = {.fields = fields, .check = finish};

/* Says in `why` what is wrong, without the place. */
static scent_status parse_relevant(struct topic *topic, struct str text, struct errmsg *why)
{
    struct predicate *predicate = NULL;

    topic->relevant = text.len ? arena_str(&topic->arena, text) : topic_default_predicate(topic);
    if (!topic->relevant.p)
        return fail_memory(why);
    SCENT_TRY(predicate_parse(topic->relevant, &predicate, why));
    topic->predicate = predicate;
    return topic_check_measures(topic, why);
}

static scent_status read_relevant(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    struct str text = STR_NONE;
    struct errmsg why = {{0}};
    scent_status status;

    SCENT_TRY(conf_str(node, &text, err));
    if (node && text.len == 0)
        return conf_fail(node, err, "expected a predicate such as '\"ice hockey\" and similar() > 0.2'; write one, or "
                                    "remove the key");
    status = parse_relevant(topic, text, &why);
    if (status == SCENT_OK)
        return SCENT_OK;
    return node && status != SCENT_E_NOMEM ? conf_fail(node, err, "%s", why.text)
                                           : errmsg_fail(err, status, "%s", why.text);
}

/* The model's default depends on its training data, the predicate and the strategy on the measures that the topic has.
 * Seeds come last: they are normalised with strip_tracking and must lie in the scope. */
static scent_status finish(const struct conf_reader *reader, const struct conf_node *root, void *members,
                           struct errmsg *err)
{
    struct topic *topic = members;

    SCENT_TRY(read_model(topic, reader, conf_get(root, "model"), err));
    if (topic->rules_file.len && topic_classes(topic) != TOPIC_CATEGORIES)
        return conf_fail(conf_get(root, "rules"), err,
                         "interclass rules are about the categories of a taxonomy; add 'taxonomy', with "
                         "'model: bayes'");
    SCENT_TRY(read_relevant(topic, conf_get(root, "relevant"), err));
    if (!conf_get(root, "strategy"))
        topic_choose_strategy(topic);
    return topic_read_seeds(reader, root, err);
}

scent_status topic_complete(struct topic *topic, struct str query, struct str relevant, struct errmsg *err)
{
    struct query *parsed = NULL;

    if (query.len)
        SCENT_TRY(query_parse(query, &parsed, err));
    topic->query = parsed;
    topic->model = default_model(topic);
    SCENT_TRY(parse_relevant(topic, relevant, err));
    topic_choose_strategy(topic);
    return SCENT_OK;
}

void topic_set_defaults(struct topic *topic)
{
    conf_table_defaults(&topic_table, topic);
}

scent_status topic_read(struct topic *topic, const struct conf_node *root, const char *name, struct errmsg *err)
{
    const struct conf_reader reader = {.arena = &topic->arena, .file = name, .object = topic};

    return conf_table_read(&topic_table, &reader, root, topic, err);
}
