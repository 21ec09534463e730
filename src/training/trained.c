#include "training/trained.h"

#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void trained_release(struct trained *trained)
{
    model_free(trained->judge);
    model_free(trained->guide);
    *trained = (struct trained){0};
}

/* ---- which model learns from which examples ---- */

struct learn_set trained_labelled(const struct learn_set *set, double ratio)
{
    struct learn_set out = *set;
    size_t labelled = set->nexamples - set->nweak, of_first = 0, taken = 0;

    for (size_t i = 0; i < labelled; i++)
        of_first += set->examples[i].class == set->examples[0].class;
    if (set->nweak && of_first == labelled)
        taken = (size_t)fmin((double)set->nweak, ceil((double)labelled * ratio));
    out.nexamples = labelled + taken;
    out.nweak = 0;
    return out;
}

struct learn_set trained_by_judge(const struct learn_set *set, const struct model_options *options, double ratio)
{
    return options->weak > 0 ? *set : trained_labelled(set, ratio);
}

scent_status trained_learn(const struct learn_set *set, const struct model_options *options, double ratio,
                           struct trained *out, struct errmsg *err)
{
    struct learn_set of_judge = trained_by_judge(set, options, ratio), of_guide = trained_labelled(set, ratio);
    struct model_options guided = *options;
    bool differs = of_judge.nweak || (options->weighting == TEXT_LSC && options->kind != MODEL_BAYES);
    scent_status status;

    *out = (struct trained){0};
    SCENT_TRY(model_train(&of_judge, options, &out->judge, err));
    guided.weighting = options->weighting == TEXT_LSC ? TEXT_LTC : options->weighting;
    guided.log = NULL; /* the same warnings would come twice */
    status = differs ? model_train(&of_guide, &guided, &out->guide, err) : SCENT_OK;
    if (status == SCENT_E_INVALID) { /* every word stands in all examples: ltc weighs none of them */
        guided.weighting = options->weighting;
        status = model_train(&of_guide, &guided, &out->guide, err);
    }
    if (status != SCENT_OK)
        trained_release(out);
    return status;
}

/* ---- the file ---- */

#define MAGIC "scent-trained "
#define VERSION "2 "
enum { MAX_FILE = 192 << 20, DIGITS = 16, HEAD = sizeof MAGIC - 1 + sizeof VERSION - 1 + 2 * (DIGITS + 1) };

scent_status trained_save(const struct trained *trained, uint64_t fingerprint, const char *path, struct errmsg *err)
{
    struct buf bytes, guide;
    scent_status status;

    buf_init(&bytes, MAX_FILE); /* what could not be read again is not written */
    buf_init(&guide, MAX_FILE);
    status = model_write(trained->judge, &bytes);
    if (status == SCENT_OK && trained->guide)
        status = model_write(trained->guide, &guide);
    if (status == SCENT_OK) {
        struct buf all;

        buf_init(&all, MAX_FILE);
        buf_printf(&all, MAGIC VERSION "%016" PRIx64 " %016zx\n", fingerprint, bytes.len);
        buf_add(&all, buf_str(&bytes));
        buf_add(&all, buf_str(&guide));
        status = all.failed ? SCENT_E_LIMIT : file_replace(path, buf_str(&all), err);
        buf_release(&all);
    }
    if (status == SCENT_E_LIMIT || status == SCENT_E_NOMEM)
        errmsg_fail(err, status, "%s: the model does not fit into %d MiB or into memory; set max_features", path,
                    MAX_FILE >> 20);
    buf_release(&bytes);
    buf_release(&guide);
    return status;
}

static bool read_digits(struct str bytes, size_t at, char after, uint64_t *out)
{
    char digits[DIGITS + 1] = {0}, *end;

    if (bytes.len < at + DIGITS + 1 || bytes.p[at + DIGITS] != after)
        return false;
    memcpy(digits, bytes.p + at, DIGITS);
    *out = strtoull(digits, &end, 16);
    return !*end;
}

static scent_status read_file(struct str bytes, const char *path, struct trained *out, uint64_t *fingerprint,
                              struct errmsg *err)
{
    uint64_t length;

    if (!str_starts(bytes, STR(MAGIC)))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s is not a model that 'scent train' wrote", path);
    if (!str_starts(bytes, STR(MAGIC VERSION)))
        return errmsg_fail(err, SCENT_E_VERSION, "%s was written by another version of scent; train again", path);
    if (!read_digits(bytes, HEAD - 2 * (DIGITS + 1), ' ', fingerprint) ||
        !read_digits(bytes, HEAD - (DIGITS + 1), '\n', &length) || length > bytes.len - HEAD)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged; train again", path);
    SCENT_TRY(model_read(str_sub(bytes, HEAD, HEAD + (size_t)length), path, &out->judge, err));
    if (HEAD + length == bytes.len)
        return SCENT_OK;
    SCENT_TRY(model_read(str_sub(bytes, HEAD + (size_t)length, bytes.len), path, &out->guide, err));
    for (uint32_t i = 0; i < model_nclasses(out->judge); i++)
        if (model_nclasses(out->guide) != model_nclasses(out->judge) ||
            !str_eq(model_class(out->guide, i), model_class(out->judge, i)))
            return errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged: its models know different classes; train again",
                               path);
    return SCENT_OK;
}

scent_status trained_load(const char *path, struct trained *out, uint64_t *fingerprint, struct errmsg *err)
{
    struct buf bytes;
    scent_status status;

    *out = (struct trained){0};
    buf_init(&bytes, MAX_FILE);
    status = file_read_as(path, STR(MAGIC), &bytes, err);
    if (status == SCENT_OK)
        status = read_file(buf_str(&bytes), path, out, fingerprint, err);
    if (status != SCENT_OK)
        trained_release(out);
    buf_release(&bytes);
    return status;
}
