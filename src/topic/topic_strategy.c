#include "topic/topic_read.h"

enum { MAX_OPTIONS = 64 };

static bool is_name(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_alpha(s.p[i]) && !ascii_is_digit(s.p[i]) && s.p[i] != '-' && s.p[i] != '_')
            return false;
    return s.len > 0 && s.len <= 64;
}

static scent_status fail_memory(struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
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

scent_status topic_set_strategy(struct topic *topic, struct str spec, struct errmsg *err)
{
    struct topic_option *options = arena_array(&topic->arena, MAX_OPTIONS, sizeof *options);
    struct str rest = str_trim(spec), name, part;
    size_t n = 0;

    if (!options)
        return fail_memory(err);
    if (!str_split(&rest, ':', &name) || !is_name(name))
        return fail_spec(err, spec);
    while (str_split(&rest, ',', &part)) {
        if (n == MAX_OPTIONS || !split_option(topic, part, &options[n]))
            return fail_spec(err, spec);
        if (!options[n].key.p || !options[n].value.p)
            return fail_memory(err);
        if (has_option(options, n, options[n].key))
            return errmsg_fail(err, SCENT_E_INVALID, "strategy '%s': the option '%s' is given twice",
                               conf_show(spec).text, options[n].key.p);
        n++;
    }
    name = arena_str(&topic->arena, name);
    if (!name.p)
        return fail_memory(err);
    topic->strategy = name;
    topic->options = options;
    topic->noptions = n;
    return SCENT_OK;
}

static scent_status read_text(struct topic *topic, const struct conf_node *node, struct str *out, struct errmsg *err)
{
    struct str text = STR_NONE;

    SCENT_TRY(conf_str(node, &text, err));
    *out = arena_str(&topic->arena, text);
    return out->p ? SCENT_OK : fail_memory(err);
}

/* The options of a map are those of the strategy, which alone knows them. */
static scent_status read_map(struct topic *topic, const struct conf_node *map, struct errmsg *err)
{
    const struct conf_node *name = conf_get(map, "name");

    if (!name)
        return conf_fail(map, err, "the key 'name' is missing; write for example {name: best-first}");
    if (conf_count(map) > MAX_OPTIONS)
        return conf_fail(map, err, "more than %d options", MAX_OPTIONS);
    SCENT_TRY(read_text(topic, name, &topic->strategy, err));
    if (!is_name(topic->strategy))
        return conf_fail(name, err, "expected the name of a strategy, got '%s'", conf_show(topic->strategy).text);
    topic->options = arena_array(&topic->arena, conf_count(map), sizeof *topic->options);
    if (!topic->options)
        return fail_memory(err);
    for (size_t i = 0; i < conf_count(map); i++) {
        struct topic_option *option = &topic->options[topic->noptions];

        if (conf_item(map, i) == name)
            continue;
        option->key = arena_str(&topic->arena, conf_key(map, i));
        if (!option->key.p)
            return fail_memory(err);
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
        return read_map(topic, node, err);
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
