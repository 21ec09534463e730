#include "lab/compare.h"

#include "base/arena.h"
#include "base/file.h"
#include "lab/compare_parts.h"
#include "lab/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FILE = 1 << 29 };

/* ---- reading ---- */

static scent_status read_run(const char *dir, struct compare_run *out, struct errmsg *err)
{
    struct errmsg why = {0};
    char path[4096];
    struct buf text;
    scent_status status;

    snprintf(path, sizeof path, "%s/summary.json", dir);
    out->dir = dir;
    buf_init(&text, MAX_FILE);
    status = file_read(path, &text, &why);
    if (status == SCENT_E_NOTFOUND)
        errmsg_fail(err, status = SCENT_E_INVALID,
                    "%s has no summary.json: give folders that 'scent lab run' has finished", dir);
    else if (status != SCENT_OK)
        errmsg_fail(err, status, "%s", why.text);
    else if ((status = json_parse(buf_str(&text), &out->json, &why)) != SCENT_OK)
        errmsg_fail(err, status, "%s: %s", path, why.text);
    buf_release(&text);
    if (status == SCENT_OK &&
        (json_count(json_get(out->json, "series")) == 0 || json_count(json_get(out->json, "topics")) == 0))
        return errmsg_fail(err, SCENT_E_INVALID, "%s: not the summary of an experiment", path);
    return status;
}

const struct json *compare_series(const struct compare_run *run, size_t series)
{
    return json_at(json_get(run->json, "series"), series);
}

size_t compare_nseries(const struct compare_run *run)
{
    return json_count(json_get(run->json, "series"));
}

/* The values of a series after so many pages; NULL. */
static const struct json *point_of(const struct json *series, uint32_t pages)
{
    const struct json *points = json_get(series, "points");

    for (size_t i = 0; i < json_count(points); i++)
        if (json_as_int(json_get(json_at(points, i), "pages")) == pages)
            return json_at(points, i);
    return NULL;
}

static bool all_have(const struct compare *compare, uint32_t pages)
{
    for (size_t i = 0; i < compare->nruns; i++)
        if (!point_of(compare_series(&compare->runs[i], 0), pages))
            return false;
    return true;
}

static scent_status find_points(struct compare *compare, struct errmsg *err)
{
    const struct json *points = json_get(compare_series(&compare->runs[0], 0), "points");

    compare->points = calloc(json_count(points) + 1, sizeof *compare->points);
    SCENT_BUG_IF(!compare->points);
    for (size_t i = 0; i < json_count(points); i++) {
        uint32_t pages = (uint32_t)json_as_int(json_get(json_at(points, i), "pages"));

        if (pages && all_have(compare, pages))
            compare->points[compare->npoints++] = pages;
    }
    return compare->npoints ? SCENT_OK
                            : errmsg_fail(err, SCENT_E_INVALID,
                                          "no number of pages at which all of them were measured: run "
                                          "them with common 'points'");
}

static void find_baseline(struct compare *compare)
{
    struct str name = json_as_str(json_get(compare->runs[0].json, "baseline"));

    for (size_t s = 0; s < compare_nseries(&compare->runs[0]); s++)
        if (str_eq(json_as_str(json_get(compare_series(&compare->runs[0], s), "name")), name))
            compare->baseline = s;
}

scent_status compare_open(char *const *dirs, size_t count, struct compare **out, struct errmsg *err)
{
    struct compare *compare = calloc(1, sizeof *compare);
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!compare);
    compare->runs = calloc(count + 1, sizeof *compare->runs);
    SCENT_BUG_IF(!compare->runs);
    while (compare->nruns < count && status == SCENT_OK) {
        status = read_run(dirs[compare->nruns], &compare->runs[compare->nruns], err);
        compare->nruns++;
    }
    if (status == SCENT_OK)
        status = find_points(compare, err);
    if (status == SCENT_OK) {
        find_baseline(compare);
        *out = compare;
    } else {
        compare_free(compare);
    }
    return status;
}

void compare_free(struct compare *compare)
{
    if (!compare)
        return;
    for (size_t i = 0; i < compare->nruns; i++)
        json_free(compare->runs[i].json);
    free(compare->points);
    free(compare->runs);
    free(compare);
}

/* ---- comparing ---- */

bool compare_same_collection(const struct compare_run *a, const struct compare_run *b)
{
    return str_eq(json_as_str(json_get(a->json, "collection")), json_as_str(json_get(b->json, "collection")));
}

bool compare_find_topic(const struct compare_run *run, struct str name, size_t *out)
{
    const struct json *topics = json_get(run->json, "topics");

    for (size_t i = 0; i < json_count(topics); i++)
        if (str_eq(json_as_str(json_get(json_at(topics, i), "name")), name)) {
            *out = i;
            return true;
        }
    return false;
}

struct compare_value compare_value(const struct compare_run *run, size_t series, uint32_t pages, const char *measure)
{
    const struct json *value = json_get(point_of(compare_series(run, series), pages), measure);
    const struct json *mean = json_get(value, "mean");

    return json_is_none(mean) ? (struct compare_value){NAN, NAN}
                              : (struct compare_value){json_as_double(mean), json_as_double(json_get(value, "error"))};
}

struct compare_test compare_test(const struct compare *compare, size_t run, size_t series, uint32_t pages,
                                 const char *measure)
{
    const struct compare_run *own = &compare->runs[run], *first = &compare->runs[0];
    const struct json *topics = json_get(own->json, "topics");
    const struct json *values = json_get(json_get(point_of(compare_series(own, series), pages), measure), "topics");
    const struct json *base =
        json_get(json_get(point_of(compare_series(first, compare->baseline), pages), measure), "topics");
    struct compare_test test = {.difference = NAN, .better = NAN, .worse = NAN};
    double *x = calloc(2 * json_count(topics) + 2, sizeof *x), *y = x + json_count(topics) + 1;

    SCENT_BUG_IF(!x);
    for (size_t i = 0, other; compare_same_collection(own, first) && i < json_count(topics); i++) {
        if (!compare_find_topic(first, json_as_str(json_get(json_at(topics, i), "name")), &other))
            continue;
        x[test.topics] = json_as_double(json_at(values, i));
        y[test.topics++] = json_as_double(json_at(base, other));
    }
    if (test.topics >= 2) {
        test.difference = stats_mean(x, test.topics) - stats_mean(y, test.topics);
        test.better = stats_t_test(x, y, test.topics);
        test.worse = stats_t_test(y, x, test.topics);
    }
    free(x);
    return test;
}
