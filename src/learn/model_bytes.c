/* A model as bytes, the same on every machine: little-endian, fixed layout, checksum behind it all
 * (docs/internals/formats.md). */
#include "base/bytes.h"
#include "learn/model_parts.h"

#include <math.h>

/* What training never gives; sums of products below it stay finite. */
#define LARGEST 1e30

static const struct frame frame = {
    .magic = "scentmdl",
    .version = 1,
    .seed = 0x6d6f64,
    .thing = "model",
    .foreign = "name a file that `scent train` wrote",
    .again = "train it again with `scent train`",
};

/* ---- writing ---- */

static uint32_t ncells_of(const struct model *model)
{
    return model->kind == MODEL_BAYES ? model->first[model->nfeatures] : 0;
}

static void put_header(struct buf *out, const struct model *model)
{
    bytes_put(out, model->kind, 4);
    bytes_put(out, model->weighting, 4);
    bytes_put(out, model->nclasses, 4);
    bytes_put(out, model->nfeatures, 4);
    bytes_put(out, model->ndocs, 4);
    bytes_put(out, model->nrow, 4);
    bytes_put(out, ncells_of(model), 4);
    bytes_put(out, model->words != NULL, 8);
    bytes_put_double(out, model->flatten);
}

static void put_bayes(struct buf *out, const struct model *model)
{
    for (uint32_t c = 0; c < model->nclasses; c++)
        bytes_put_double(out, model->prior[c]);
    for (uint32_t c = 0; c < model->nclasses; c++)
        bytes_put_double(out, model->floor[c]);
    for (uint32_t f = 0; f <= model->nfeatures; f++)
        bytes_put(out, model->first[f], 4);
    for (uint32_t k = 0; k < ncells_of(model); k++) {
        bytes_put(out, model->cells[k].class, 4);
        bytes_put_float(out, model->cells[k].delta);
    }
}

static void put_rows(struct buf *out, const struct model *model)
{
    for (size_t i = 0; i < (size_t)model->nfeatures * model->nrow; i++)
        bytes_put_float(out, model->rows[i]);
    for (uint32_t k = 0; k < model->nrow; k++)
        bytes_put_double(out, model->bias[k]);
    for (uint32_t k = 0; model->kind != MODEL_MLP && k < model->nrow; k++) {
        bytes_put_double(out, model->sigmoids[k].a);
        bytes_put_double(out, model->sigmoids[k].b);
    }
    if (model->kind != MODEL_MLP)
        return;
    for (size_t i = 0; i < (size_t)model->nrow * model->nclasses; i++)
        bytes_put_float(out, model->out_rows[i]);
    for (uint32_t c = 0; c < model->nclasses; c++)
        bytes_put_double(out, model->out_bias[c]);
}

scent_status model_write(const struct model *model, struct buf *out)
{
    size_t begin = frame_begin(&frame, out);

    put_header(out, model);
    for (uint32_t f = 0; f < model->nfeatures; f++)
        bytes_put(out, model->stems[f], 8);
    for (uint32_t f = 0; f < model->nfeatures; f++)
        bytes_put(out, model->df[f], 4);
    if (model->kind == MODEL_BAYES)
        put_bayes(out, model);
    else
        put_rows(out, model);
    for (uint32_t c = 0; c < model->nclasses; c++)
        bytes_put_str(out, model->classes[c], 2);
    for (uint32_t f = 0; model->words && f < model->nfeatures; f++)
        bytes_put_str(out, model->words[f], 1);
    return frame_end(&frame, out, begin);
}

/* ---- reading: the checksum finds damage, not malice, so every number is checked for what it is used for ---- */

static double get_double(struct bytes *in)
{
    double value = bytes_get_double(in);

    return bytes_check(in, fabs(value) <= LARGEST, "a number is out of range") ? value : 0;
}

static float get_float(struct bytes *in)
{
    float value = bytes_get_float(in);

    return bytes_check(in, fabs((double)value) <= LARGEST, "a number is out of range") ? value : 0;
}

static struct str get_str(struct bytes *in, struct model *model, int size, size_t max)
{
    struct str s = bytes_get_str(in, size, max);

    if (s.len == 0)
        return STR_NONE;
    s = arena_str(&model->arena, s);
    bytes_check(in, s.p != NULL, "there is no memory for it");
    return s;
}

static void *get_room(struct bytes *in, struct model *model, uint64_t count, size_t stored, size_t size)
{
    bool failed = false;
    void *p;

    if (!bytes_has(in, count, stored))
        return NULL;
    p = model_array(model, count, size, &failed);
    bytes_check(in, !failed, "there is no memory for it");
    return p;
}

static void get_doubles(struct bytes *in, struct model *model, double **out, uint64_t count)
{
    *out = get_room(in, model, count, 8, sizeof **out);
    for (uint64_t i = 0; i < count && !in->wrong; i++)
        (*out)[i] = get_double(in);
}

static void get_floats(struct bytes *in, struct model *model, float **out, uint64_t count)
{
    *out = get_room(in, model, count, 4, sizeof **out);
    for (uint64_t i = 0; i < count && !in->wrong; i++)
        (*out)[i] = get_float(in);
}

static void get_words32(struct bytes *in, struct model *model, uint32_t **out, uint64_t count)
{
    *out = get_room(in, model, count, 4, sizeof **out);
    for (uint64_t i = 0; i < count && !in->wrong; i++)
        (*out)[i] = (uint32_t)bytes_get(in, 4);
}

static void get_features(struct bytes *in, struct model *model)
{
    model->stems = get_room(in, model, model->nfeatures, 8, sizeof *model->stems);
    for (uint32_t f = 0; f < model->nfeatures && !in->wrong; f++) {
        model->stems[f] = bytes_get(in, 8);
        bytes_check(in, f == 0 || model->stems[f] > model->stems[f - 1], "its words are not sorted");
    }
    get_words32(in, model, &model->df, model->nfeatures);
    for (uint32_t f = 0; f < model->nfeatures && !in->wrong; f++)
        bytes_check(in, model->df[f] >= 1 && model->df[f] <= model->ndocs, "a document frequency is out of range");
}

static void get_bayes(struct bytes *in, struct model *model, uint32_t ncells)
{
    get_doubles(in, model, &model->prior, model->nclasses);
    get_doubles(in, model, &model->floor, model->nclasses);
    get_words32(in, model, &model->first, (uint64_t)model->nfeatures + 1);
    for (uint32_t f = 0; f <= model->nfeatures && !in->wrong; f++)
        bytes_check(in, model->first[f] <= ncells && model->first[f] >= (f ? model->first[f - 1] : 0) &&
                            (f || model->first[f] == 0),
                    "the counts of a word are out of range");
    bytes_check(in, !in->wrong && model->first[model->nfeatures] == ncells, "its counts do not add up");
    model->cells = get_room(in, model, ncells, 8, sizeof *model->cells);
    for (uint32_t k = 0; k < ncells && !in->wrong; k++) {
        model->cells[k].class = (uint32_t)bytes_get(in, 4);
        bytes_check(in, model->cells[k].class < model->nclasses, "a class is out of range");
        model->cells[k].delta = get_float(in);
    }
}

static void get_rows(struct bytes *in, struct model *model)
{
    get_floats(in, model, &model->rows, (uint64_t)model->nfeatures * model->nrow);
    get_doubles(in, model, &model->bias, model->nrow);
    if (model->kind == MODEL_MLP) {
        get_floats(in, model, &model->out_rows, (uint64_t)model->nrow * model->nclasses);
        get_doubles(in, model, &model->out_bias, model->nclasses);
        return;
    }
    model->sigmoids = get_room(in, model, model->nrow, 16, sizeof *model->sigmoids);
    for (uint32_t k = 0; k < model->nrow && !in->wrong; k++) {
        model->sigmoids[k].a = get_double(in);
        model->sigmoids[k].b = get_double(in);
    }
}

static void get_names(struct bytes *in, struct model *model, bool has_words)
{
    model->classes = get_room(in, model, model->nclasses, 2, sizeof *model->classes);
    for (uint32_t c = 0; c < model->nclasses && !in->wrong; c++)
        model->classes[c] = get_str(in, model, 2, LEARN_CLASS_MAX);
    if (!has_words)
        return;
    model->words = get_room(in, model, model->nfeatures, 1, sizeof *model->words);
    for (uint32_t f = 0; f < model->nfeatures && !in->wrong; f++)
        model->words[f] = get_str(in, model, 1, TEXT_WORD_MAX);
}

static bool shape_fits(const struct model *model, uint32_t ncells)
{
    if (model->kind == MODEL_BAYES)
        return model->nrow == 0 && model->weighting == TEXT_TF;
    if (ncells != 0)
        return false;
    if (model->kind == MODEL_MLP)
        return model->nrow >= 1 && model->nrow <= MODEL_HIDDEN_MAX;
    return model->nrow == (model->nclasses == 2 ? 1 : model->nclasses);
}

static void get_model(struct bytes *in, struct model *model)
{
    uint64_t has_words;
    uint32_t ncells;

    model->kind = (enum model_kind)bytes_get(in, 4);
    model->weighting = (enum text_weighting)bytes_get(in, 4);
    model->nclasses = (uint32_t)bytes_get(in, 4);
    model->nfeatures = (uint32_t)bytes_get(in, 4);
    model->ndocs = (uint32_t)bytes_get(in, 4);
    model->nrow = (uint32_t)bytes_get(in, 4);
    ncells = (uint32_t)bytes_get(in, 4);
    has_words = bytes_get(in, 8);
    model->flatten = get_double(in);
    bytes_check(in, model->kind <= MODEL_MLP && model->weighting <= TEXT_LSC && has_words <= 1, "its kind is unknown");
    bytes_check(in, model->nclasses >= 2 && model->nfeatures >= 1 && model->nfeatures <= VOCABULARY_MAX,
                "it has too few or too many classes or words");
    bytes_check(in, model->flatten >= 0 && shape_fits(model, ncells), "its parts do not fit each other");
    get_features(in, model);
    if (!in->wrong && model->kind == MODEL_BAYES)
        get_bayes(in, model, ncells);
    else if (!in->wrong)
        get_rows(in, model);
    get_names(in, model, has_words);
    bytes_check(in, in->wrong || model_finish(model) == SCENT_OK, "there is no memory for it");
}

scent_status model_read(struct str bytes, const char *name, struct model **out, struct errmsg *err)
{
    struct bytes in;
    scent_status status = frame_open(&frame, bytes, name, &in, err);
    struct model *model;

    *out = NULL;
    if (status != SCENT_OK)
        return status;
    model = model_new();
    get_model(&in, model);
    status = frame_close(&frame, &in, name, err);
    if (status == SCENT_OK)
        *out = model;
    else
        model_free(model);
    return status;
}
