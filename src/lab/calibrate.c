#include "lab/calibrate.h"

#include "json/json.h"
#include "lab/trial.h"
#include "topic/query.h"

#include <math.h>
#include <stdlib.h>

enum { TITLE_MAX = 100 };

/* ---- the sample ---- */

static scent_status believe(const struct collection *collection, struct str text, double *beliefs, struct errmsg *err)
{
    struct query_counts *counts;
    struct query *query;
    scent_status status;

    SCENT_TRY(query_parse(text, &query, err));
    counts = query_counts_new(query);
    status = trial_believe(collection, query, counts, beliefs, err);
    query_counts_free(counts);
    query_free(query);
    return status;
}

static int by_belief(const void *a, const void *b)
{
    const struct calibrate_page *x = a, *y = b;

    if (x->belief != y->belief)
        return x->belief < y->belief ? 1 : -1;
    return (x->page > y->page) - (x->page < y->page);
}

static bool in_band(const struct calibration *calibration, size_t band, double belief)
{
    return belief > calibration->bands[band].low &&
           (band == CALIBRATE_BANDS || belief <= calibration->bands[band + 1].low);
}

/* The most pages of a band with which the sample has at most `wanted`: bands of few pages leave their part to the
 * others. */
static size_t find_quota(const struct calibration *calibration, size_t wanted)
{
    for (size_t quota = 0;; quota++) {
        size_t sum = 0, more = 0;

        for (size_t i = 0; i <= CALIBRATE_BANDS; i++) {
            sum += calibration->bands[i].pages <= quota ? calibration->bands[i].pages : quota + 1;
            more += calibration->bands[i].pages > quota;
        }
        if (sum > wanted || !more)
            return quota;
    }
}

static scent_status draw(struct calibration *calibration, const double *beliefs, uint32_t npages, uint32_t wanted,
                         uint64_t seed)
{
    bool *marks = arena_array(&calibration->arena, npages + (size_t)1, sizeof *marks);
    uint32_t *drawn = arena_array(&calibration->arena, wanted + (size_t)1, sizeof *drawn);
    size_t quota;
    struct rng rng;

    calibration->sample = arena_zalloc(&calibration->arena, (wanted + (size_t)1) * sizeof *calibration->sample);
    if (!marks || !drawn || !calibration->sample)
        return SCENT_E_NOMEM;
    for (size_t band = 0; band <= CALIBRATE_BANDS; band++)
        for (uint32_t i = 0; i < npages; i++)
            calibration->bands[band].pages += in_band(calibration, band, beliefs[i]);
    quota = find_quota(calibration, wanted);
    rng_seed(&rng, seed);
    for (size_t band = 0; band <= CALIBRATE_BANDS; band++) {
        size_t n;

        for (uint32_t i = 0; i < npages; i++)
            marks[i] = in_band(calibration, band, beliefs[i]);
        n = trial_draw(marks, npages, quota, &rng, drawn);
        for (size_t i = 0; i < n; i++)
            calibration->sample[calibration->count++] =
                (struct calibrate_page){.page = drawn[i], .band = (uint32_t)band, .belief = beliefs[drawn[i]]};
    }
    qsort(calibration->sample, calibration->count, sizeof *calibration->sample, by_belief);
    return SCENT_OK;
}

scent_status calibrate_sample(const struct collection *collection, const struct calibrate_options *options,
                              struct calibration *out, struct errmsg *err)
{
    uint32_t npages = collection_count(collection);
    double *beliefs = calloc(npages + (size_t)1, sizeof *beliefs);
    scent_status status;

    SCENT_BUG_IF(!beliefs);
    *out = (struct calibration){0};
    arena_init(&out->arena, SIZE_MAX);
    for (size_t i = 0; i <= CALIBRATE_BANDS; i++)
        out->bands[i].low = options->around + options->width * (2. * (double)i / CALIBRATE_BANDS - 1);
    status = believe(collection, options->query, beliefs, err);
    if (status == SCENT_OK && draw(out, beliefs, npages, options->pages, options->seed) != SCENT_OK)
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for a sample of %u pages", options->pages);
    if (status == SCENT_OK && out->count == 0)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "the query believes in no page of the collection by more than %.3f; lower --around",
                             out->bands[0].low);
    free(beliefs);
    if (status != SCENT_OK)
        calibrate_release(out);
    return status;
}

void calibrate_release(struct calibration *calibration)
{
    arena_release(&calibration->arena);
}

/* ---- judging ---- */

static void judge_one(struct calibration *calibration, struct calibrate_page *page, bool relevant)
{
    struct calibrate_band *band = &calibration->bands[page->band];

    if (page->verdict != CALIBRATE_UNKNOWN)
        return;
    page->verdict = relevant ? CALIBRATE_YES : CALIBRATE_NO;
    band->judged++;
    band->relevant += relevant;
}

void calibrate_judge(struct calibration *calibration, const bool *relevant)
{
    for (size_t i = 0; i < calibration->count; i++)
        judge_one(calibration, &calibration->sample[i], relevant[calibration->sample[i].page]);
}

void calibrate_write_sheet(const struct calibration *calibration, const struct collection *collection, struct buf *out)
{
    buf_addz(out, "# verdict (y or n instead of ?), belief, URL, title\n");
    for (size_t i = 0; i < calibration->count; i++) {
        const struct calibrate_page *page = &calibration->sample[i];
        struct str title = collection_page(collection, page->page, NULL)->title;

        buf_printf(out, "?\t%.4f\t%.*s\t", page->belief, STR_ARG(collection_url(collection, page->page)));
        for (size_t k = 0; k < title.len && k < TITLE_MAX; k++) /* a page may name itself as it likes */
            buf_addc(out, (unsigned char)title.p[k] < ' ' ? ' ' : title.p[k]);
        buf_addc(out, '\n');
    }
}

static struct calibrate_page *find_sampled(struct calibration *calibration, uint32_t page)
{
    for (size_t i = 0; i < calibration->count; i++)
        if (calibration->sample[i].page == page)
            return &calibration->sample[i];
    return NULL;
}

scent_status calibrate_read_sheet(struct calibration *calibration, const struct collection *collection,
                                  struct str text, const char *name, struct errmsg *err)
{
    struct str rest = text, line;

    for (size_t number = 1; str_split(&rest, '\n', &line); number++) {
        struct str fields = line, verdict, belief, url;
        struct calibrate_page *page;
        uint32_t found;

        if (line.len && line.p[line.len - 1] == '\r')
            fields.len--;
        if (fields.len == 0 || fields.p[0] == '#')
            continue;
        if (!str_split(&fields, '\t', &verdict) || !str_split(&fields, '\t', &belief) ||
            !str_split(&fields, '\t', &url) || verdict.len != 1 || !strchr("?yn", verdict.p[0]))
            return errmsg_fail(err, SCENT_E_INVALID,
                               "%s:%zu: expected a verdict (y, n or ?), a belief and a URL, divided by tabs", name,
                               number);
        page = collection_find(collection, url, &found) ? find_sampled(calibration, found) : NULL;
        if (page && verdict.p[0] != '?')
            judge_one(calibration, page, verdict.p[0] == 'y');
    }
    return SCENT_OK;
}

/* ---- precision ---- */

double calibrate_precision(const struct calibration *calibration, size_t band, double *error)
{
    double all = 0, mean = 0, variance = 0;

    *error = NAN;
    for (size_t i = band; i <= CALIBRATE_BANDS; i++)
        all += (double)calibration->bands[i].pages;
    for (size_t i = band; i <= CALIBRATE_BANDS; i++) {
        const struct calibrate_band *b = &calibration->bands[i];
        double n = (double)b->judged, share = (double)b->pages / all, p;

        if (b->pages == 0)
            continue;
        if (b->judged == 0)
            return NAN;
        p = (double)b->relevant / n;
        mean += share * p;
        /* of a sample without replacement; one judged page of many tells nothing about the variance of its band */
        variance += share * share * p * (1 - p) / (n > 1 ? n - 1 : 1) * (1 - n / (double)b->pages);
    }
    if (all == 0)
        return NAN;
    *error = sqrt(variance);
    return mean;
}

static size_t count_above(const struct calibration *calibration, size_t band, bool judged)
{
    size_t n = 0;

    for (size_t i = band; i <= CALIBRATE_BANDS; i++)
        n += judged ? calibration->bands[i].judged : calibration->bands[i].pages;
    return n;
}

void calibrate_print(const struct calibration *calibration, struct buf *out)
{
    buf_printf(out, "%9s %9s %8s %18s\n", "threshold", "pages", "judged", "precision");
    for (size_t i = 0; i <= CALIBRATE_BANDS; i++) {
        double error, precision = calibrate_precision(calibration, i, &error);

        buf_printf(out, "%9.3f %9zu %8zu", calibration->bands[i].low, count_above(calibration, i, false),
                   count_above(calibration, i, true));
        if (isnan(precision))
            buf_addz(out, "                  ?\n");
        else
            buf_printf(out, "   %.3f +- %.3f\n", precision, error);
    }
}

void calibrate_write_json(const struct calibration *calibration, struct buf *out)
{
    struct json_writer w;

    json_writer_init(&w, out);
    json_object_begin(&w);
    json_key(&w, "thresholds");
    json_array_begin(&w);
    for (size_t i = 0; i <= CALIBRATE_BANDS; i++) {
        double error, precision = calibrate_precision(calibration, i, &error);

        json_object_begin(&w);
        json_put_double(&w, "threshold", calibration->bands[i].low);
        json_put_int(&w, "pages", (int64_t)count_above(calibration, i, false));
        json_put_int(&w, "judged", (int64_t)count_above(calibration, i, true));
        json_put_double(&w, "precision", precision);
        json_put_double(&w, "error", error);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_addc(out, '\n');
}
