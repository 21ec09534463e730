#include "training/trained.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void trained_release(struct trained *trained)
{
    model_free(trained->judge);
    model_free(trained->guide);
    trained_examples_free(trained->examples);
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

/* ---- examples ---- */

scent_status trained_copy(const struct text_vector *tf, struct arena *arena, struct text_vector *out)
{
    *out = (struct text_vector){arena_array(arena, tf->count + 1, sizeof *tf->items), tf->count};
    if (!out->items)
        return SCENT_E_NOMEM;
    if (tf->count)
        memcpy(out->items, tf->items, tf->count * sizeof *tf->items);
    return SCENT_OK;
}

static const struct str two_classes[] = {{"negative", 8}, {"positive", 8}};

/* Room for `n` examples of the two classes of a topic. */
static struct learn_example *begin_set(struct learn_set *set, size_t n, struct arena *arena)
{
    struct learn_example *examples = arena_array(arena, n + 1, sizeof *examples);

    *set = (struct learn_set){.examples = examples, .classes = two_classes, .nclasses = 2};
    return examples;
}

static scent_status copy_set(const struct learn_set *from, struct arena *arena, struct learn_set *out)
{
    struct learn_example *examples = begin_set(out, from->nexamples, arena);

    if (!examples)
        return SCENT_E_NOMEM;
    for (; out->nexamples < from->nexamples; out->nexamples++) {
        examples[out->nexamples].class = from->examples[out->nexamples].class;
        SCENT_TRY(trained_copy(&from->examples[out->nexamples].tf, arena, &examples[out->nexamples].tf));
    }
    out->nweak = from->nweak;
    return SCENT_OK;
}

static struct trained_examples *examples_new(void)
{
    struct trained_examples *examples = calloc(1, sizeof *examples);

    SCENT_BUG_IF(!examples);
    arena_init(&examples->arena, SIZE_MAX);
    return examples;
}

void trained_examples_free(struct trained_examples *examples)
{
    if (!examples)
        return;
    arena_release(&examples->arena);
    free(examples);
}

scent_status trained_keep(struct trained *trained, const struct learn_set *set, const struct learn_set *whole)
{
    SCENT_BUG_IF(set->nclasses != 2 || trained->examples);
    trained->examples = examples_new();
    SCENT_TRY(copy_set(set, &trained->examples->arena, &trained->examples->set));
    trained->examples->whole = trained->examples->set;
    return whole->examples == set->examples
               ? SCENT_OK
               : copy_set(whole, &trained->examples->arena, &trained->examples->whole);
}

/* ---- bytes ---- */

enum { MAX_FILE = 192 << 20, MAX_EXAMPLES = 1 << 20 };

static void put_set(const struct learn_set *set, struct buf *out)
{
    bytes_put(out, set->nexamples, 4);
    bytes_put(out, set->nweak, 4);
    for (size_t i = 0; i < set->nexamples; i++) {
        bytes_put(out, set->examples[i].class, 1);
        bytes_put(out, set->examples[i].tf.count, 4);
        for (size_t k = 0; k < set->examples[i].tf.count; k++) {
            bytes_put(out, set->examples[i].tf.items[k].stem, 8);
            bytes_put_float(out, (float)set->examples[i].tf.items[k].weight);
        }
    }
}

static scent_status get_set(struct bytes *in, struct arena *arena, struct learn_set *out)
{
    uint64_t n = bytes_get(in, 4), nweak = bytes_get(in, 4);
    struct learn_example *examples;

    bytes_check(in, n <= MAX_EXAMPLES && nweak <= n, "the number of examples");
    examples = bytes_has(in, n, 5) ? begin_set(out, n, arena) : NULL;
    if (!examples)
        return in->wrong ? SCENT_E_FORMAT : SCENT_E_NOMEM;
    for (; out->nexamples < n; out->nexamples++) {
        struct learn_example *example = &examples[out->nexamples];
        uint64_t count;

        example->class = (uint32_t)bytes_get(in, 1);
        count = bytes_get(in, 4);
        bytes_check(in, example->class < 2, "the class of an example");
        if (!bytes_has(in, count, 12))
            return SCENT_E_FORMAT;
        example->tf = (struct text_vector){arena_array(arena, count + 1, sizeof *example->tf.items), count};
        if (!example->tf.items)
            return SCENT_E_NOMEM;
        for (size_t k = 0; k < count; k++) {
            example->tf.items[k].stem = bytes_get(in, 8);
            example->tf.items[k].weight = bytes_get_float(in);
        }
        bytes_check(in, text_is_frequencies(&example->tf), "the words of an example");
    }
    out->nweak = nweak;
    return in->wrong ? SCENT_E_FORMAT : SCENT_OK;
}

static uint64_t sum_of(double value)
{
    return hash_bytes(&value, sizeof value, 3) & UINT32_MAX;
}

/* The parts with their lengths, and a sum of the last, which has none of its own; then the AUC and its sum. */
scent_status trained_write(const struct trained *trained, struct buf *out)
{
    struct buf parts[3];
    scent_status status;

    for (int i = 0; i < 3; i++)
        buf_init(&parts[i], MAX_FILE);
    status = model_write(trained->judge, &parts[0]);
    if (status == SCENT_OK && trained->guide)
        status = model_write(trained->guide, &parts[1]);
    if (trained->examples) {
        put_set(&trained->examples->set, &parts[2]);
        if (trained->examples->whole.examples != trained->examples->set.examples)
            put_set(&trained->examples->whole, &parts[2]);
    }
    for (int i = 0; i < 3; i++)
        bytes_put_str(out, buf_str(&parts[i]), 4);
    bytes_put(out, hash_str(buf_str(&parts[2]), 3), 8);
    bytes_put_double(out, trained->auc);
    bytes_put(out, sum_of(trained->auc), 4);
    if (status == SCENT_OK && (parts[2].failed || out->failed))
        status = SCENT_E_LIMIT;
    for (int i = 0; i < 3; i++)
        buf_release(&parts[i]);
    return status;
}

static scent_status read_examples(struct str part, struct trained *out)
{
    struct bytes in = bytes_of(part);
    scent_status status;

    out->examples = examples_new();
    status = get_set(&in, &out->examples->arena, &out->examples->set);
    out->examples->whole = out->examples->set;
    if (status == SCENT_OK && bytes_left(&in))
        status = get_set(&in, &out->examples->arena, &out->examples->whole);
    return status == SCENT_OK && bytes_left(&in) ? SCENT_E_FORMAT : status;
}

static scent_status check_classes(const struct trained *trained)
{
    for (uint32_t i = 0; trained->guide && i < model_nclasses(trained->judge); i++)
        if (model_nclasses(trained->guide) != model_nclasses(trained->judge) ||
            !str_eq(model_class(trained->guide, i), model_class(trained->judge, i)))
            return SCENT_E_FORMAT;
    return trained->examples && model_nclasses(trained->judge) != 2 ? SCENT_E_FORMAT : SCENT_OK;
}

/* With an AUC, which an earlier version did not write. */
static scent_status read_parts(struct str bytes, const char *name, bool measured, struct trained *out,
                               struct errmsg *err)
{
    struct bytes in = bytes_of(bytes);
    struct str parts[3];
    scent_status status = SCENT_OK;

    *out = (struct trained){0};
    for (int i = 0; i < 3; i++)
        parts[i] = bytes_get_str(&in, 4, MAX_FILE);
    bytes_check(&in, bytes_get(&in, 8) == hash_str(parts[2], 3), "a sum");
    if (measured) {
        out->auc = bytes_get_double(&in);
        bytes_check(&in, bytes_get(&in, 4) == sum_of(out->auc) && out->auc >= 0 && out->auc <= 1, "an AUC");
    }
    if (in.wrong || bytes_left(&in))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged; train again", name);
    status = model_read(parts[0], name, &out->judge, err);
    if (status == SCENT_OK && parts[1].len)
        status = model_read(parts[1], name, &out->guide, err);
    if (status == SCENT_OK && parts[2].len) {
        status = read_examples(parts[2], out);
        errmsg_fail(err, SCENT_E_FORMAT, "%s: its examples cannot be read; train again", name);
    }
    if (status == SCENT_OK && check_classes(out) != SCENT_OK)
        status = errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged: its parts know different classes; train again", name);
    if (status != SCENT_OK)
        trained_release(out);
    return status;
}

scent_status trained_read(struct str bytes, const char *name, struct trained *out, struct errmsg *err)
{
    return read_parts(bytes, name, true, out, err) == SCENT_OK ? SCENT_OK : read_parts(bytes, name, false, out, err);
}

/* ---- quality ---- */

scent_status trained_measure(const struct learn_set *set, const struct model_options *options, double ratio,
                             struct trained *trained, struct evaluate_result *result, struct errmsg *err)
{
    struct learn_set judged = trained_by_judge(set, options, ratio);

    SCENT_TRY(evaluate_model(&judged, options, TRAINED_FOLDS, result, err));
    trained->auc = result->mean.auc;
    return SCENT_OK;
}

/* ---- the file ---- */

#define MAGIC "scent-trained "
#define VERSION "4 "
#define UNMEASURED "3 " /* without an AUC at its end */
#define ONE_MODEL "1 " /* as it was once: one model for pages and contexts, and no examples */
enum { HEAD = sizeof MAGIC - 1 + sizeof VERSION - 1 + 16 + 1 };

scent_status trained_save(const struct trained *trained, uint64_t fingerprint, const char *path, struct errmsg *err)
{
    struct buf bytes;
    scent_status status;

    buf_init(&bytes, MAX_FILE); /* what could not be read again is not written */
    buf_printf(&bytes, MAGIC VERSION "%016" PRIx64 "\n", fingerprint);
    status = trained_write(trained, &bytes);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "%s: the model does not fit into %d MiB or into memory; set max_features", path,
                    MAX_FILE >> 20);
    else
        status = file_replace(path, buf_str(&bytes), err);
    buf_release(&bytes);
    return status;
}

static scent_status read_head(struct str bytes, const char *path, uint64_t *fingerprint, struct errmsg *err)
{
    char digits[17] = {0}, *end;

    if (!str_starts(bytes, STR(MAGIC)))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s is not a model that 'scent train' wrote", path);
    if (!str_starts(bytes, STR(MAGIC VERSION)) && !str_starts(bytes, STR(MAGIC UNMEASURED)) &&
        !str_starts(bytes, STR(MAGIC ONE_MODEL)))
        return errmsg_fail(err, SCENT_E_VERSION, "%s was written by another version of scent; train again", path);
    if (bytes.len < HEAD || bytes.p[HEAD - 1] != '\n')
        return errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged; train again", path);
    memcpy(digits, bytes.p + HEAD - 17, 16);
    *fingerprint = strtoull(digits, &end, 16);
    return *end ? errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged; train again", path) : SCENT_OK;
}

scent_status trained_load(const char *path, struct trained *out, uint64_t *fingerprint, struct errmsg *err)
{
    struct buf bytes;
    struct str rest;
    scent_status status;

    *out = (struct trained){0};
    buf_init(&bytes, MAX_FILE);
    status = file_read_as(path, STR(MAGIC), &bytes, err);
    if (status == SCENT_OK)
        status = read_head(buf_str(&bytes), path, fingerprint, err);
    rest = str_sub(buf_str(&bytes), HEAD, bytes.len);
    if (status == SCENT_OK)
        status = str_starts(buf_str(&bytes), STR(MAGIC ONE_MODEL))
                     ? model_read(rest, path, &out->judge, err)
                     : read_parts(rest, path, str_starts(buf_str(&bytes), STR(MAGIC VERSION)), out, err);
    buf_release(&bytes);
    return status;
}
