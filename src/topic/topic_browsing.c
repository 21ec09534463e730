/* The key `browsing`: the file with a model of somebody's browsing. It is read when a crawl needs it. */
#include "browse/browse.h"
#include "topic/topic_read.h"

#define EXPECTED "expected the path of a file that 'scent browse train' made"

scent_status topic_read_browsing(struct topic *topic, const struct conf_node *node, const char *name,
                                 struct errmsg *err)
{
    scent_status status = topic_read_path(topic, node, name, EXPECTED, &topic->browsing_file, err);

    if (!node || status != SCENT_OK)
        return status;
    topic->browsing_place = arena_printf(&topic->arena, "%s:%d: browsing", name, conf_line(node));
    return topic->browsing_place.p ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
}

void topic_attach_browsing(struct topic *topic, struct browse *browsing)
{
    browse_free((struct browse *)topic->browsing);
    topic->browsing = browsing;
}
