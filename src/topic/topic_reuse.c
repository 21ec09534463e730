/* The key `reuse`: which crawls teach this one, and how much their evidence weighs. They are read when it begins. */
#include "base/file.h"
#include "topic/topic_read.h"

#include <stdlib.h>

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
    scent_status status = reuse ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");

    for (size_t i = 0; i < count && status == SCENT_OK; i++) {
        status = split_spec(specs[i], &reuse[i], err);
        if (status != SCENT_OK)
            break;
        reuse[i].from = arena_str(&topic->arena, reuse[i].from); /* with a terminator */
        if (!reuse[i].from.p)
            status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    }
    topic->reuse = reuse;
    topic->nreuse = count;
    return status;
}
