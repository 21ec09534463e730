/* The key `traces`: which files tell who looked at which page. They are read when a crawl needs them. */
#include "topic/topic_read.h"
#include "trace/trace.h"

enum { MAX_TRACES = 1000 };
#define EXPECTED "expected the path of an access log or of a file that 'scent trace import' made"

static scent_status read_base(struct topic *topic, const struct conf_node *node, struct str *out, struct errmsg *err)
{
    scent_status status = topic_read_str(topic, node, out, err);
    struct url url;

    if (!node || status != SCENT_OK)
        return status;
    if (url_parse(&topic->arena, *out, NULL, &url) != SCENT_OK)
        return conf_fail(node, err, "'%s' is no URL of http or https; give the site of the log, such as "
                         "https://www.example.org/", conf_show(*out).text);
    return SCENT_OK;
}

static scent_status read_one(struct topic *topic, const struct conf_node *node, const char *name,
                             struct topic_trace *out, struct errmsg *err)
{
    static const char *const known[] = {"file", "base", NULL};
    bool is_map = conf_kind(node) == CONF_MAP;
    scent_status status = is_map ? conf_expect_map(node, known, err) : SCENT_OK;

    if (status == SCENT_OK && is_map && !conf_get(node, "file"))
        return conf_fail(node, err,
                         "the key 'file' is missing; write {file: access.log, base: https://www.example.org/}");
    if (status == SCENT_OK)
        status = topic_read_path(topic, is_map ? conf_get(node, "file") : node, name, EXPECTED, &out->file, err);
    if (status == SCENT_OK)
        status = read_base(topic, conf_get(node, "base"), &out->base, err);
    if (status != SCENT_OK)
        return status;
    out->place = arena_printf(&topic->arena, "%s:%d: traces", name, conf_line(node));
    return out->place.p ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
}

scent_status topic_read_traces(struct topic *topic, const struct conf_node *node, const char *name, struct errmsg *err)
{
    bool is_list = node && conf_kind(node) == CONF_LIST;
    size_t count = is_list ? conf_count(node) : 1;
    scent_status status = SCENT_OK;
    struct topic_trace *traces;

    if (!node)
        return SCENT_OK;
    if (count == 0 || count > MAX_TRACES)
        return conf_fail(node, err, "expected 1 to %d paths of access logs", MAX_TRACES);
    if (!(traces = arena_zalloc(&topic->arena, count * sizeof *traces)))
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = read_one(topic, is_list ? conf_item(node, i) : node, name, &traces[i], err);
    topic->traces = traces;
    topic->ntraces = count;
    return status;
}

void topic_attach_trace(struct topic *topic, struct trace *trace)
{
    trace_free((struct trace *)topic->trace);
    topic->trace = trace;
}
