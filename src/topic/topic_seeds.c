#include "base/file.h"
#include "base/hash.h"
#include "topic/topic_read.h"

#include <stdlib.h>

enum { MAX_LIST = 256 << 20, MAX_SEEDS = 10000000 };

/* Seeds while they are gathered: nothing reaches the topic before all are good. */
struct gather {
    struct topic *topic;
    struct url *seeds;
    size_t count, room;
    uint32_t *slots; /* seed number + 1 by hash of its href; 0: empty */
    size_t nslots;
};

static uint32_t *find_slot(const struct gather *gather, struct str href)
{
    size_t i = hash_str(href, 0) & (gather->nslots - 1);

    while (gather->slots[i] && !str_eq(gather->seeds[gather->slots[i] - 1].href, href))
        i = (i + 1) & (gather->nslots - 1);
    return &gather->slots[i];
}

static bool grow(struct gather *gather)
{
    size_t room = gather->room ? gather->room * 2 : 64;
    struct url *seeds = realloc(gather->seeds, room * sizeof *seeds);
    uint32_t *slots;

    if (!seeds)
        return false;
    gather->seeds = seeds;
    if (!(slots = calloc(room * 2, sizeof *slots)))
        return false;
    free(gather->slots);
    gather->slots = slots;
    gather->nslots = room * 2;
    gather->room = room;
    for (size_t i = 0; i < gather->count; i++)
        *find_slot(gather, seeds[i].href) = (uint32_t)i + 1;
    return true;
}

static scent_status gather_add(struct gather *gather, const struct url *url)
{
    uint32_t *slot;

    if (gather->count == MAX_SEEDS)
        return SCENT_E_LIMIT;
    if (gather->count == gather->room && !grow(gather))
        return SCENT_E_NOMEM;
    slot = find_slot(gather, url->href);
    if (*slot == 0) {
        gather->seeds[gather->count++] = *url;
        *slot = (uint32_t)gather->count;
    }
    return SCENT_OK;
}

static scent_status gather_init(struct gather *gather, struct topic *topic)
{
    scent_status status = SCENT_OK;

    *gather = (struct gather){.topic = topic};
    for (size_t i = 0; i < topic->nseeds && status == SCENT_OK; i++)
        status = gather_add(gather, &topic->seeds[i]);
    return status;
}

static void gather_release(struct gather *gather)
{
    free(gather->seeds);
    free(gather->slots);
}

static scent_status gather_finish(struct gather *gather)
{
    struct topic *topic = gather->topic;
    struct url *seeds = arena_array(&topic->arena, gather->count, sizeof *seeds);

    if (!seeds)
        return SCENT_E_NOMEM;
    if (gather->count)
        memcpy(seeds, gather->seeds, gather->count * sizeof *seeds);
    topic->seeds = seeds;
    topic->nseeds = gather->count;
    return SCENT_OK;
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

/* Says in `why` what is wrong, without the place. */
static scent_status add_seed(struct gather *gather, struct str text, struct errmsg *why)
{
    struct topic *topic = gather->topic;
    struct url url, normal;
    scent_status status = url_parse(&topic->arena, text, NULL, &url);

    if (status == SCENT_OK && url_has_credentials(&url))
        return errmsg_fail(why, SCENT_E_INVALID,
                           "a URL here has a user name or a password in it, and seeds are kept with the crawl; leave out "
                           "what stands before the '@' and write it into the file that ways.logins names");
    if (status == SCENT_OK)
        status = url_normalise(&topic->arena, &url, topic_url_flags(topic), &normal);
    if (status != SCENT_OK && status != SCENT_E_NOMEM)
        return say_bad_url(text, status, why);
    if (status == SCENT_OK && scope_check(&topic->scope, &normal) != SCOPE_IN)
        return say_outside(&topic->scope, &normal, why);
    if (status == SCENT_OK)
        status = gather_add(gather, &normal);
    if (status != SCENT_OK)
        errmsg_fail(why, status, "%s", status == SCENT_E_LIMIT ? "more than 10,000,000 seeds" : "out of memory");
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
    scent_status status = gather_init(&gather, topic);

    if (status != SCENT_OK)
        errmsg_fail(err, status, "out of memory");
    else
        status = add_lines(&gather, list, name, err);
    if (status == SCENT_OK && (status = gather_finish(&gather)) != SCENT_OK)
        errmsg_fail(err, status, "out of memory");
    gather_release(&gather);
    return status;
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
    scent_status status = gather_init(&gather, topic);

    if (status != SCENT_OK)
        errmsg_fail(err, status, "out of memory");
    for (size_t i = 0; i < conf_many(node) && status == SCENT_OK; i++)
        status = add_item(&gather, conf_nth(node, i), err);
    if (status == SCENT_OK && (status = gather_finish(&gather)) != SCENT_OK)
        errmsg_fail(err, status, "out of memory");
    gather_release(&gather);
    return status;
}

static scent_status read_file(const struct conf_reader *reader, const struct conf_node *node, struct errmsg *err)
{
    struct str path = STR_NONE;
    struct errmsg why;
    struct buf list;
    scent_status status;

    SCENT_TRY(conf_path(reader, node, "the path of a file with one URL a line", &path, err));
    buf_init(&list, MAX_LIST);
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
