/* The key `browsing`: the file with a model of somebody's browsing. It is read when a crawl needs it. */
#include "browse/browse.h"
#include "topic/topic_read.h"

#define EXPECTED "expected the path of a file that 'scent browse train' made"

scent_status topic_read_browsing(struct topic *topic, const struct conf_node *node, const char *name, struct errmsg *err)
{
    const char *slash = strrchr(name, '/');
    struct str file = STR_NONE;

    if (!node)
        return SCENT_OK;
    if (conf_kind(node) != CONF_SCALAR)
        return conf_fail(node, err, EXPECTED);
    if (conf_str(node, &file, err) != SCENT_OK)
        return SCENT_E_INVALID;
    if (file.len == 0 || file.len > 4000 || memchr(file.p, 0, file.len))
        return conf_fail(node, err, EXPECTED);
    topic->browsing_file = arena_printf(&topic->arena, "%.*s%.*s", slash && file.p[0] != '/' ? (int)(slash - name) + 1 : 0,
                                        name, STR_ARG(file));
    topic->browsing_place = arena_printf(&topic->arena, "%s:%d: browsing", name, conf_line(node));
    return topic->browsing_file.p && topic->browsing_place.p ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
}

void topic_attach_browsing(struct topic *topic, struct browse *browsing)
{
    browse_free((struct browse *)topic->browsing);
    topic->browsing = browsing;
}
