/* Paths in a topic file: they are relative to its folder, not to where the program was started. */
#include "base/file.h"
#include "topic/topic_read.h"

enum { LONGEST = 4000 };

scent_status topic_find_path(struct topic *topic, const struct conf_node *node, const char *name, const char *expected,
                             struct str *path, struct errmsg *err)
{
    if (path->len == 0 || path->len > LONGEST || memchr(path->p, 0, path->len) || memchr(path->p, '\n', path->len))
        return conf_fail(node, err, "%s", expected);
    *path = file_beside(&topic->arena, name, *path);
    return path->p ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
}

scent_status topic_read_path(struct topic *topic, const struct conf_node *node, const char *name, const char *expected,
                             struct str *out, struct errmsg *err)
{
    struct str path = STR_NONE;
    scent_status status;

    if (!node)
        return SCENT_OK;
    if (conf_kind(node) != CONF_SCALAR)
        return conf_fail(node, err, "%s", expected);
    status = conf_str(node, &path, err);
    if (status == SCENT_OK)
        status = topic_find_path(topic, node, name, expected, &path, err);
    if (status == SCENT_OK)
        *out = path;
    return status;
}
