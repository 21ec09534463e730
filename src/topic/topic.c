#include "topic/topic.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "topic/predicate.h"
#include "topic/query.h"
#include "topic/topic_parts.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- scope ---- */

static const struct str default_types[] = {{"text/html", 9}, {"application/xhtml+xml", 21}};

static bool matches(struct str pattern, const struct url *url)
{
    size_t start = url->scheme_end + 3u;

    if (str_find(pattern, '/') == pattern.len)
        return str_glob(pattern, url_host(url));
    return str_glob(pattern, str_sub(url->href, start, url->query_end));
}

/* The first of `patterns` that matches, NULL for none. */
static const struct str *scope_find(const struct str *patterns, size_t count, const struct url *url)
{
    for (size_t i = 0; i < count; i++)
        if (matches(patterns[i], url))
            return &patterns[i];
    return NULL;
}

enum scope_verdict scope_check(const struct scope *scope, const struct url *url)
{
    if (scope_find(scope->exclude, scope->nexclude, url))
        return SCOPE_EXCLUDED;
    if (scope->ninclude && !scope_find(scope->include, scope->ninclude, url))
        return SCOPE_NOT_INCLUDED;
    return SCOPE_IN;
}

const char *scope_verdict_text(enum scope_verdict verdict)
{
    switch (verdict) {
    case SCOPE_IN:
        return "in scope";
    case SCOPE_NOT_INCLUDED:
        return "no pattern of scope.include matches";
    case SCOPE_EXCLUDED:
        return "a pattern of scope.exclude matches";
    }
    return "unknown";
}

bool scope_wants_type(const struct scope *scope, struct str mime)
{
    const struct str *types = scope->ntypes ? scope->types : default_types;
    size_t ntypes = scope->ntypes ? scope->ntypes : sizeof default_types / sizeof *default_types;

    if (mime.len)
        mime = str_trim(str_sub(mime, 0, str_find(mime, ';')));
    if (mime.len == 0)
        return true;
    for (size_t i = 0; i < ntypes; i++)
        if (str_glob(types[i], mime))
            return true;
    return false;
}

/* ---- a topic ---- */

enum { MAX_MEMORY = 1 << 30 };

struct str topic_version(void)
{
    struct str version = STR(SCENT_VERSION);
    size_t dots = 0, len = 0;

    while (len < version.len && (dots += version.p[len] == '.') < 2)
        len++;
    return str_sub(version, 0, len);
}

struct topic *topic_new(struct str name)
{
    struct topic *topic = calloc(1, sizeof *topic);

    SCENT_BUG_IF(!topic);
    arena_init(&topic->arena, MAX_MEMORY);
    topic_set_defaults(topic);
    topic->politeness.user_agent = arena_printf(&topic->arena, "scent/%.*s", STR_ARG(topic_version()));
    SCENT_BUG_IF(!topic->politeness.user_agent.p);
    topic->name = arena_str(&topic->arena, name);
    SCENT_BUG_IF(!topic->name.p);
    topic->strategy = STR("default");
    return topic;
}

unsigned topic_url_flags(const struct topic *topic)
{
    return topic->strip_tracking ? URL_STRIP_TRACKING | URL_STRIP_SESSION : 0;
}

void topic_free(struct topic *topic)
{
    if (!topic)
        return;
    predicate_free((struct predicate *)topic->predicate);
    query_free((struct query *)topic->query);
    arena_release(&topic->arena);
    free(topic);
}

bool topic_has_contact(const struct topic *topic)
{
    const char *agent = topic->politeness.user_agent.p;

    return strstr(agent, "http://") || strstr(agent, "https://") || strchr(agent, '@');
}

scent_status topic_parse(struct str text, const char *name, struct topic **out, struct errmsg *err)
{
    struct conf *conf;
    struct topic *topic;
    scent_status status = conf_parse(text, name, &conf, err);

    *out = NULL;
    if (status != SCENT_OK)
        return status;
    topic = topic_new(STR(""));
    topic->source = arena_str(&topic->arena, text);
    if (!topic->source.p)
        status = errmsg_no_memory(err);
    else if (!conf_root(conf))
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "%s:1: the file is empty; 'scent init NAME' writes one to start from", name);
    else
        status = topic_read(topic, conf_root(conf), name, err);
    conf_free(conf);
    if (status != SCENT_OK) {
        topic_free(topic);
        return status;
    }
    *out = topic;
    return SCENT_OK;
}

scent_status topic_load(const char *path, struct topic **out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    *out = NULL;
    buf_init(&text, TOPIC_MAX_BYTES);
    status = file_read(path, &text, err);
    if (status == SCENT_E_NOTFOUND)
        errmsg_fail(err, status, "there is no topic file %s; 'scent init NAME URL…' writes one", path);
    else if (status != SCENT_OK && file_is_dir(path))
        errmsg_fail(err, status, "%s is a folder; expected a topic file, such as NAME.yaml", path);
    if (status == SCENT_OK)
        status = topic_parse(buf_str(&text), path, out, err);
    buf_release(&text);
    return status;
}

/* ---- what can be asked of the topic ---- */

enum topic_classes topic_classes(const struct topic *topic)
{
    if (topic->examples.npositive)
        return TOPIC_TWO_CLASSES;
    if (!topic->taxonomy.file.len)
        return TOPIC_NO_MODEL;
    /* Naive Bayes lives on all the categories; the others learn one thing against the rest (STRATEGIES: Chakrabarti,
     * Pant). */
    return topic->taxonomy.ntargets && topic->model.kind != MODEL_BAYES ? TOPIC_TWO_CLASSES : TOPIC_CATEGORIES;
}

/* Does the topic say what the classifier is to look for? */
static bool has_classifier(const struct topic *topic)
{
    enum topic_classes lesson = topic_classes(topic);

    return lesson == TOPIC_TWO_CLASSES || (lesson == TOPIC_CATEGORIES && topic->taxonomy.ntargets);
}

struct str topic_default_predicate(const struct topic *topic)
{
    if (topic_has_judge(topic))
        return STR("judge() > 0.5");
    if (has_classifier(topic))
        return STR("classifier() > 0.5");
    if (topic->query)
        return STR("query() > 0.45");
    return topic->browsing_file.len ? STR("browsing() >= 0.7") : STR("similar()");
}

scent_status topic_check_measures(const struct topic *topic, struct errmsg *err)
{
    static const char no_query[] = "query() needs a query; add the key 'query' to the topic file";
    static const char no_model[] = "classifier() needs examples to learn from; add the key 'examples' to the topic "
                                   "file";
    static const char no_target[] = "classifier() needs the wanted categories; add taxonomy.target, or ask for "
                                    "category(\"…\") instead";
    static const char no_classes[] = "category() needs categories to learn; add the key 'taxonomy' to the topic file";
    static const char one_class[] = "category() needs a model of all categories, and this topic's learns one against "
                                    "the rest; write 'model: bayes', or ask for classifier()";
    static const char no_browsing[] = "browsing() needs a model of somebody's browsing; add the key 'browsing' with a "
                                      "file that 'scent browse train' made";
    static const char no_judge[] = "judge() needs a program that judges; add the key 'judge' to the topic file";
    enum topic_classes lesson = topic_classes(topic);
    scent_status status = SCENT_OK;

    if (!topic_has_judge(topic))
        SCENT_TRY(predicate_refuse(topic->predicate, VALUE_JUDGE, 0, no_judge, err));
    if (!topic->browsing_file.len)
        status = predicate_refuse(topic->predicate, VALUE_BROWSING, 0, no_browsing, err);
    if (status == SCENT_OK && !topic->query)
        status = predicate_refuse(topic->predicate, VALUE_QUERY, 0, no_query, err);
    if (status == SCENT_OK && !has_classifier(topic))
        status = predicate_refuse(topic->predicate, VALUE_CLASSIFIER, 0,
                                  lesson == TOPIC_NO_MODEL ? no_model : no_target, err);
    if (status == SCENT_OK && lesson != TOPIC_CATEGORIES)
        status = predicate_refuse(topic->predicate, VALUE_CATEGORY, UINT32_MAX,
                                  topic->taxonomy.file.len ? one_class : no_classes, err);
    return status;
}

/* ---- seeds ---- */

/* With the crawl's own memory of them they stay below 256 MB. */
enum { MAX_SEEDS = 400000, SCRATCH_CAP = 1 << 20 };

/* Seeds while they are gathered: nothing reaches the topic before all are good. */
struct gather {
    struct topic *topic;
    struct url *seeds;
    size_t count, room;
    struct map by_href;
    struct arena scratch; /* for one URL */
};

/* `lasting`: its text lives as long as the topic. */
static scent_status gather_add(struct gather *gather, const struct url *url, bool lasting)
{
    uint64_t hash = hash_str(url->href, 0);
    struct map_walk walk = map_find(&gather->by_href, hash);
    struct url added = *url;

    while (map_next(&walk))
        if (str_eq(gather->seeds[walk.value].href, url->href))
            return SCENT_OK;
    if (gather->count == MAX_SEEDS)
        return SCENT_E_LIMIT;
    if (!lasting)
        added.href = arena_str(&gather->topic->arena, url->href);
    if (!added.href.p || !vec_reserve(&gather->seeds, &gather->room, gather->count + 1, sizeof *gather->seeds))
        return SCENT_E_NOMEM;
    SCENT_TRY(map_add(&gather->by_href, hash, (uint32_t)gather->count));
    gather->seeds[gather->count++] = added;
    return SCENT_OK;
}

/* The topic's own come first. */
static scent_status gather_init(struct gather *gather, struct topic *topic, struct errmsg *err)
{
    *gather = (struct gather){.topic = topic};
    arena_init(&gather->scratch, SCRATCH_CAP);
    for (size_t i = 0; i < topic->nseeds; i++)
        if (gather_add(gather, &topic->seeds[i], true) != SCENT_OK)
            return errmsg_no_memory(err);
    return SCENT_OK;
}

/* Gives the topic the seeds where `status` says that all are good. */
static scent_status gather_end(struct gather *gather, scent_status status, struct errmsg *err)
{
    struct topic *topic = gather->topic;
    struct url *seeds = NULL;

    if (status == SCENT_OK && !(seeds = arena_array(&topic->arena, gather->count, sizeof *seeds)))
        status = errmsg_no_memory(err);
    if (status == SCENT_OK) {
        if (gather->count)
            memcpy(seeds, gather->seeds, gather->count * sizeof *seeds);
        topic->seeds = seeds;
        topic->nseeds = gather->count;
    }
    free(gather->seeds);
    map_release(&gather->by_href);
    arena_release(&gather->scratch);
    return status;
}

static scent_status say_bad_url(struct str text, scent_status status, struct errmsg *why)
{
    struct conf_shown value = conf_show(text);
    bool bare = str_find(text, ':') == text.len && str_find(text, '.') < text.len;

    if (status == SCENT_E_LIMIT)
        return errmsg_fail(why, SCENT_E_INVALID, "'%s' is longer than the %d bytes that a URL may have", value.text,
                           SCENT_URL_MAX);
    return errmsg_fail(why, SCENT_E_INVALID, "'%s' is not an http or https URL%s%s", value.text,
                       bare ? "; write https://" : "", bare ? value.text : "");
}

static scent_status say_outside(const struct scope *scope, const struct url *url, struct errmsg *why)
{
    const struct str *rule = scope_find(scope->exclude, scope->nexclude, url);

    if (rule)
        return errmsg_fail(
            why, SCENT_E_INVALID,
            "'%s' lies outside the scope: scope.exclude '%s' matches; remove the seed or change the pattern",
            conf_show(url->href).text, conf_show(*rule).text);
    return errmsg_fail(
        why, SCENT_E_INVALID,
        "'%s' lies outside the scope: no pattern of scope.include matches; add '%s' there or remove the seed",
        conf_show(url->href).text, conf_show(url_host(url)).text);
}

scent_status topic_read_seed(const struct topic *topic, struct str text, struct arena *arena, struct url *out,
                             struct errmsg *why)
{
    struct url url;
    scent_status status = url_parse(arena, text, NULL, &url);

    if (status == SCENT_OK && url_has_credentials(&url))
        return errmsg_fail(why, SCENT_E_INVALID,
                           "a URL here has a user name or a password in it, and seeds are kept with the crawl; leave "
                           "out what stands before the '@' and write it into the file that ways.logins names");
    if (status == SCENT_OK)
        status = url_normalise(arena, &url, topic_url_flags(topic), out);
    if (status == SCENT_E_NOMEM)
        return errmsg_fail(why, status, "out of memory");
    if (status != SCENT_OK)
        return say_bad_url(text, status, why);
    return scope_check(&topic->scope, out) == SCOPE_IN ? SCENT_OK : say_outside(&topic->scope, out, why);
}

/* Says in `why` what is wrong, without the place. */
static scent_status add_seed(struct gather *gather, struct str text, struct errmsg *why)
{
    struct url url;
    scent_status status;

    arena_reset(&gather->scratch);
    SCENT_TRY(topic_read_seed(gather->topic, text, &gather->scratch, &url, why));
    status = gather_add(gather, &url, false);
    if (status != SCENT_OK)
        errmsg_fail(why, status, "%s", status == SCENT_E_LIMIT ? "more than 400,000 seeds" : "out of memory");
    return status;
}

static scent_status add_lines(struct gather *gather, struct str list, const char *name, struct errmsg *err)
{
    struct errmsg why;
    struct str line;

    for (size_t n = 1; str_split(&list, '\n', &line); n++) {
        scent_status status;

        line = str_trim(line);
        if (n == 1 && str_starts(line, STR("\xEF\xBB\xBF")))
            line = str_sub(line, 3, line.len);
        if (line.len == 0 || line.p[0] == '#')
            continue;
        status = add_seed(gather, line, &why);
        if (status != SCENT_OK)
            return errmsg_fail(err, status, "%s:%zu: %s", name, n, why.text);
    }
    return SCENT_OK;
}

scent_status topic_add_seeds(struct topic *topic, struct str list, const char *name, struct errmsg *err)
{
    struct gather gather;
    scent_status status = gather_init(&gather, topic, err);

    if (status == SCENT_OK)
        status = add_lines(&gather, list, name, err);
    return gather_end(&gather, status, err);
}

static scent_status add_item(struct gather *gather, const struct conf_node *node, struct errmsg *err)
{
    struct str text = STR_NONE;
    struct errmsg why;
    scent_status status = conf_str(node, &text, err);

    if (status != SCENT_OK)
        return status;
    status = add_seed(gather, text, &why);
    if (status != SCENT_OK)
        conf_fail(node, err, "%s", why.text);
    return status;
}

static scent_status read_list(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    struct gather gather;
    scent_status status = gather_init(&gather, topic, err);

    for (size_t i = 0; i < conf_many(node) && status == SCENT_OK; i++)
        status = add_item(&gather, conf_nth(node, i), err);
    return gather_end(&gather, status, err);
}

static scent_status read_file(const struct conf_reader *reader, const struct conf_node *node, struct errmsg *err)
{
    struct str path = STR_NONE;
    struct errmsg why;
    struct buf list;
    scent_status status;

    SCENT_TRY(conf_path(reader, node, "the path of a file with one URL a line", &path, err));
    buf_init(&list, TOPIC_SEEDS_MAX_BYTES);
    status = file_read(path.p, &list, &why);
    if (status != SCENT_OK)
        status = conf_fail(node, err, "%s", why.text);
    else
        status = topic_add_seeds(reader->object, buf_str(&list), path.p, err);
    buf_release(&list);
    return status;
}

scent_status topic_read_seeds(const struct conf_reader *reader, const struct conf_node *root, struct errmsg *err)
{
    const struct conf_node *seeds = conf_get(root, "seeds"), *file = conf_get(root, "seeds_file");

    if (seeds)
        SCENT_TRY(read_list(reader->object, seeds, err));
    return file ? read_file(reader, file, err) : SCENT_OK;
}

/* ---- strategy ---- */

enum { MAX_OPTIONS = 64 };

static bool is_name(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_alpha(s.p[i]) && !ascii_is_digit(s.p[i]) && s.p[i] != '-' && s.p[i] != '_')
            return false;
    return s.len > 0 && s.len <= 64;
}

static scent_status fail_spec(struct errmsg *err, struct str spec)
{
    return errmsg_fail(err, SCENT_E_INVALID, "strategy '%s': expected NAME or NAME:key=value,key=value",
                       conf_show(spec).text);
}

/* "width=5" */
static bool split_option(struct topic *topic, struct str part, struct topic_option *out)
{
    size_t equal = str_find(part, '=');
    struct str key = str_trim(str_sub(part, 0, equal));

    if (equal == part.len || !is_name(key))
        return false;
    out->key = arena_str(&topic->arena, key);
    out->value = arena_str(&topic->arena, str_trim(str_sub(part, equal + 1, part.len)));
    return true;
}

static bool has_option(const struct topic_option *options, size_t n, struct str key)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(options[i].key, key))
            return true;
    return false;
}

scent_status topic_settle_strategy(struct topic *topic, struct errmsg *err)
{
    if (!str_eq(topic->strategy, STR("default")))
        return SCENT_OK;
    if (topic->noptions)
        return errmsg_fail(err, SCENT_E_INVALID, "default takes no options; name a strategy, or remove '%.*s'",
                           STR_ARG(topic->options[0].key));
    topic->strategy = STR(TOPIC_DEFAULT_STRATEGY);
    topic->chosen = "the topic names none";
    return SCENT_OK;
}

void topic_write_strategy(const struct topic *topic, struct buf *out)
{
    buf_add(out, topic->strategy);
    for (size_t i = 0; i < topic->noptions; i++)
        buf_printf(out, "%c%.*s=%.*s", i ? ',' : ':', STR_ARG(topic->options[i].key), STR_ARG(topic->options[i].value));
}

scent_status topic_set_strategy(struct topic *topic, struct str spec, struct errmsg *err)
{
    struct topic_option *options = arena_array(&topic->arena, MAX_OPTIONS, sizeof *options);
    struct str rest = str_trim(spec), name, part;
    size_t n = 0;

    if (!options)
        return errmsg_no_memory(err);
    if (!str_split(&rest, ':', &name) || !is_name(name))
        return fail_spec(err, spec);
    while (str_split(&rest, ',', &part)) {
        if (n == MAX_OPTIONS || !split_option(topic, part, &options[n]))
            return fail_spec(err, spec);
        if (!options[n].key.p || !options[n].value.p)
            return errmsg_no_memory(err);
        if (has_option(options, n, options[n].key))
            return errmsg_fail(err, SCENT_E_INVALID, "strategy '%s': the option '%s' is given twice",
                               conf_show(spec).text, options[n].key.p);
        n++;
    }
    name = arena_str(&topic->arena, name);
    if (!name.p)
        return errmsg_no_memory(err);
    topic->strategy = name;
    topic->options = options;
    topic->noptions = n;
    topic->chosen = NULL;
    return topic_settle_strategy(topic, err);
}

static scent_status read_text(struct topic *topic, const struct conf_node *node, struct str *out, struct errmsg *err)
{
    struct str text = STR_NONE;

    SCENT_TRY(conf_str(node, &text, err));
    *out = arena_str(&topic->arena, text);
    return out->p ? SCENT_OK : errmsg_no_memory(err);
}

/* The library lies beside the file; its whole path is kept with the crawl, so that it is found from everywhere. */
static scent_status read_plugin(const struct conf_reader *reader, const struct conf_node *node,
                                struct topic_option *out, struct errmsg *err)
{
    struct str path = STR_NONE;
    char here[4096];

    SCENT_TRY(conf_path(reader, node, "the path of a shared library", &path, err));
    *out = (struct topic_option){STR("file"), path};
    if (path.p[0] != '/' && getcwd(here, sizeof here))
        out->value = arena_printf(reader->arena, "%s/%.*s", here, STR_ARG(path));
    return out->value.p ? SCENT_OK : errmsg_no_memory(err);
}

/* The options of a map are those of the strategy, which alone knows them. */
static scent_status read_map(const struct conf_reader *reader, const struct conf_node *map, struct errmsg *err)
{
    const struct conf_node *name = conf_get(map, "name"), *plugin = conf_get(map, "plugin");
    struct topic *topic = reader->object;
    struct topic_option *options;

    if (plugin && !name)
        name = plugin;
    if (!name)
        return conf_fail(map, err, "the key 'name' is missing; write for example {name: best-first}");
    if (conf_count(map) > MAX_OPTIONS)
        return conf_fail(map, err, "more than %d options", MAX_OPTIONS);
    if (name == plugin)
        topic->strategy = STR("plugin");
    else
        SCENT_TRY(read_text(topic, name, &topic->strategy, err));
    if (!is_name(topic->strategy))
        return conf_fail(name, err, "expected the name of a strategy, got '%s'", conf_show(topic->strategy).text);
    topic->options = options = arena_array(&topic->arena, conf_count(map), sizeof *options);
    if (!options)
        return errmsg_no_memory(err);
    if (name == plugin)
        SCENT_TRY(read_plugin(reader, plugin, &options[topic->noptions++], err));
    for (size_t i = 0; i < conf_count(map); i++) {
        struct topic_option *option = &options[topic->noptions];

        if (conf_item(map, i) == name)
            continue;
        option->key = arena_str(&topic->arena, conf_key(map, i));
        if (!option->key.p)
            return errmsg_no_memory(err);
        SCENT_TRY(read_text(topic, conf_item(map, i), &option->value, err));
        topic->noptions++;
    }
    return SCENT_OK;
}

scent_status topic_read_strategy(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                 struct errmsg *err)
{
    struct topic *topic = reader->object;
    struct str name = STR_NONE;

    (void)member;
    if (conf_kind(node) == CONF_MAP)
        return read_map(reader, node, err);
    if (conf_kind(node) == CONF_LIST)
        return conf_fail(node, err, "expected a name or a map such as {name: best-first}, got a list");
    SCENT_TRY(read_text(topic, node, &name, err));
    if (!is_name(name))
        return conf_fail(node, err,
                         "expected the name of a strategy, or a map such as {name: fish, width: 5}, got '%s'",
                         conf_show(name).text);
    topic->strategy = name;
    return SCENT_OK;
}

/* ---- reuse ---- */

static bool is_weight(double weight)
{
    return weight > 0 && weight <= 1;
}

/* "winter.crawl:0.5"; a path may have colons of its own. */
static scent_status split_spec(const char *spec, struct topic_reuse *out, struct errmsg *err)
{
    const char *colon = strrchr(spec, ':');
    char *end;

    *out = (struct topic_reuse){.from = str_of(spec), .weight = 1};
    if (!colon || file_exists(spec))
        return SCENT_OK;
    out->weight = strtod(colon + 1, &end);
    if (end == colon + 1 || *end || !is_weight(out->weight))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "--reuse %s: the weight behind the colon is a number above 0, at most 1", spec);
    out->from.len = (size_t)(colon - spec);
    return SCENT_OK;
}

scent_status topic_set_reuse(struct topic *topic, const char *const *specs, size_t count, struct errmsg *err)
{
    struct topic_reuse *reuse = arena_zalloc(&topic->arena, (count + 1) * sizeof *reuse);
    scent_status status = reuse ? SCENT_OK : errmsg_no_memory(err);

    for (size_t i = 0; i < count && status == SCENT_OK; i++) {
        status = split_spec(specs[i], &reuse[i], err);
        if (status != SCENT_OK)
            break;
        reuse[i].from = arena_str(&topic->arena, reuse[i].from); /* with a terminator */
        if (!reuse[i].from.p)
            status = errmsg_no_memory(err);
    }
    topic->reuse = reuse;
    topic->nreuse = count;
    return status;
}
