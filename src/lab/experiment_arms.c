/* What a strategy of an experiment may know besides the web, from whom, and how often it may try. */
#include "base/date.h"
#include "lab/experiment_read.h"
#include "strategy/strategy.h"

#include <stdlib.h>

enum { MAX_STARTS = 100 };

/* ---- traces ---- */

/* 2011-06-01, 2011-06-01T12:00:00, or 50%. */
static scent_status read_border(const struct conf_node *node, struct experiment_border *out, struct errmsg *err)
{
    struct str text = STR_NONE;
    scent_status status = conf_str(node, &text, err);
    char *end;

    if (!node || status != SCENT_OK)
        return status;
    if (date_parse_iso(text, &out->time)) {
        out->kind = BORDER_TIME;
        return SCENT_OK;
    }
    if (text.len > 1 && ascii_is_digit(text.p[0]) && str_ends(text, STR("%"))) {
        out->kind = BORDER_SHARE;
        out->share = strtod(text.p, &end) / 100;
        if (end == text.p + text.len - 1 && out->share <= 1)
            return SCENT_OK;
    }
    return conf_fail(node, err,
                     "expected a date such as 2011-06-01 or 2011-06-01T12:00:00, or a share of the accesses such "
                     "as 50%%, got '%s'",
                     conf_show(text).text);
}

static scent_status read_files(struct experiment *experiment, const struct conf_node *node,
                               struct experiment_traces *out, struct errmsg *err)
{
    scent_status status =
        experiment_read_strs(experiment, node, "access logs or traces", &out->files, &out->nfiles, err);

    for (size_t i = 0; node && i < out->nfiles && status == SCENT_OK; i++)
        status = experiment_find_path(experiment, out->files[i], &out->files[i], err);
    return status;
}

static scent_status check_borders(const struct conf_node *node, const struct experiment_traces *traces,
                                  struct errmsg *err)
{
    const struct experiment_border *from = &traces->from, *until = &traces->until;

    if (from->kind != until->kind || from->kind == BORDER_NONE)
        return SCENT_OK;
    if (from->kind == BORDER_TIME ? from->time < until->time : from->share < until->share)
        return SCENT_OK;
    return conf_fail(node, err, "'from' must lie before 'until'");
}

/* A name, a list of names, or {files: …, from: 50%}. */
scent_status experiment_read_traces(struct experiment *experiment, const struct conf_node *node,
                                    struct experiment_traces *out, struct errmsg *err)
{
    static const char *const known[] = {"files", "base", "from", "until", NULL};
    scent_status status;

    if (!node)
        return SCENT_OK;
    out->line = conf_line(node);
    if (conf_kind(node) != CONF_MAP)
        return read_files(experiment, node, out, err);
    out->from = out->until = (struct experiment_border){BORDER_NONE, 0, 0};
    status = conf_expect_map(node, known, err);
    if (status == SCENT_OK)
        status = read_files(experiment, conf_get(node, "files"), out, err);
    if (status == SCENT_OK && !out->nfiles)
        return conf_fail(node, err,
                         "the key 'files' is missing: name access logs, or what `scent trace import` made of "
                         "them");
    if (status == SCENT_OK)
        status = experiment_read_str(experiment, conf_get(node, "base"), &out->base, err);
    if (status == SCENT_OK)
        status = read_border(conf_get(node, "from"), &out->from, err);
    if (status == SCENT_OK)
        status = read_border(conf_get(node, "until"), &out->until, err);
    return status == SCENT_OK ? check_borders(node, out, err) : status;
}

/* ---- a crawl before the crawl ---- */

static scent_status read_reuse(struct experiment *experiment, const struct conf_node *node,
                               struct experiment_strategy *out, struct errmsg *err)
{
    static const char *const known[] = {"seeds", "budget", "weight", "traces", NULL};
    static const char *const seeds[] = {"other", "same", NULL};
    struct experiment_reuse *reuse = &out->reuse;
    unsigned same = 0;
    scent_status status;

    if (!node)
        return SCENT_OK;
    *reuse = (struct experiment_reuse){
        .wanted = true, .budget = experiment->budget, .weight = 1, .traces = out->traces};
    if (!strategy_find(out->name)->learned)
        return conf_fail(node, err, "%.*s learns nothing that another crawl could begin with; remove this key",
                         STR_ARG(out->name));
    status = conf_expect_map(node, known, err);
    if (status == SCENT_OK)
        status = experiment_read_choice(conf_get(node, "seeds"), seeds, &same, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(node, "budget"), 1, 100000000, &reuse->budget, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "weight"), 0, 1, &reuse->weight, err);
    reuse->same_seeds = same;
    return status == SCENT_OK ? experiment_read_traces(experiment, conf_get(node, "traces"), &reuse->traces, err)
                              : status;
}

/* ---- arms ---- */

scent_status experiment_read_arm(struct experiment *experiment, const struct conf_node *node,
                                 struct experiment_strategy *out, struct errmsg *err)
{
    scent_status status = experiment_read_traces(experiment, conf_get(node, "traces"), &out->traces, err);

    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(node, "best_of"), 1, MAX_STARTS, &out->best_of, err);
    return status == SCENT_OK ? read_reuse(experiment, conf_get(node, "reuse"), out, err) : status;
}
