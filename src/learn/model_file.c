/* A model as bytes, the same on every machine: little-endian, fixed layout, checksum behind it all (docs/formats.md). */
#include "base/file.h"
#include "base/hash.h"
#include "learn/parts.h"

#include <math.h>

/* What training never gives; sums of products below it stay finite. */
#define LARGEST 1e30

static const char magic[8] = {'s', 'c', 'e', 'n', 't', 'm', 'd', 'l'};
enum { VERSION = 1, HEADER = 56, CHECKSUM = 8 };
enum { FILE_CAP = 1 << 30 };
enum { CHECKSUM_SEED = 0x6d6f64 };

/* ---- writing ---- */

static void put(struct buf *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_addc(out, (char)(value >> (8 * i)));
}

static void put_double(struct buf *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put(out, bits, 8);
}

static void put_float(struct buf *out, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put(out, bits, 4);
}

static uint32_t ncells_of(const struct model *model)
{
    return model->kind == MODEL_BAYES ? model->first[model->nfeatures] : 0;
}

static void put_header(struct buf *out, const struct model *model)
{
    buf_add(out, (struct str){magic, sizeof magic});
    put(out, VERSION, 4);
    put(out, model->kind, 4);
    put(out, model->weighting, 4);
    put(out, model->nclasses, 4);
    put(out, model->nfeatures, 4);
    put(out, model->ndocs, 4);
    put(out, model->nrow, 4);
    put(out, ncells_of(model), 4);
    put(out, model->words != NULL, 8);
    put_double(out, model->flatten);
}

static void put_bayes(struct buf *out, const struct model *model)
{
    for (uint32_t c = 0; c < model->nclasses; c++)
        put_double(out, model->prior[c]);
    for (uint32_t c = 0; c < model->nclasses; c++)
        put_double(out, model->floor[c]);
    for (uint32_t f = 0; f <= model->nfeatures; f++)
        put(out, model->first[f], 4);
    for (uint32_t k = 0; k < ncells_of(model); k++) {
        put(out, model->cells[k].class, 4);
        put_float(out, model->cells[k].delta);
    }
}

static void put_rows(struct buf *out, const struct model *model)
{
    for (size_t i = 0; i < (size_t)model->nfeatures * model->nrow; i++)
        put_float(out, model->rows[i]);
    for (uint32_t k = 0; k < model->nrow; k++)
        put_double(out, model->bias[k]);
    for (uint32_t k = 0; model->kind != MODEL_MLP && k < model->nrow; k++) {
        put_double(out, model->sigmoids[k].a);
        put_double(out, model->sigmoids[k].b);
    }
    if (model->kind != MODEL_MLP)
        return;
    for (size_t i = 0; i < (size_t)model->nrow * model->nclasses; i++)
        put_float(out, model->out_rows[i]);
    for (uint32_t c = 0; c < model->nclasses; c++)
        put_double(out, model->out_bias[c]);
}

scent_status model_write(const struct model *model, struct buf *out)
{
    size_t begin = out->len;

    put_header(out, model);
    for (uint32_t f = 0; f < model->nfeatures; f++)
        put(out, model->stems[f], 8);
    for (uint32_t f = 0; f < model->nfeatures; f++)
        put(out, model->df[f], 4);
    if (model->kind == MODEL_BAYES)
        put_bayes(out, model);
    else
        put_rows(out, model);
    for (uint32_t c = 0; c < model->nclasses; c++) {
        put(out, model->classes[c].len, 2);
        buf_add(out, model->classes[c]);
    }
    for (uint32_t f = 0; model->words && f < model->nfeatures; f++) {
        put(out, model->words[f].len, 1);
        buf_add(out, model->words[f]);
    }
    put(out, hash_bytes(out->p + begin, out->len - begin, CHECKSUM_SEED), 8);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

scent_status model_save(const struct model *model, const char *path, struct errmsg *err)
{
    scent_status status;
    struct buf out;

    buf_init(&out, FILE_CAP); /* what could not be read again is not written */
    status = model_write(model, &out);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "%s: the model does not fit into %d MiB or into memory; limit max_features", path,
                    FILE_CAP >> 20);
    else
        status = file_replace(path, buf_str(&out), err);
    buf_release(&out);
    return status;
}

/* ---- reading: the checksum finds damage, not malice, so every number is checked for what it is used for ---- */

struct source {
    const unsigned char *p, *end;
    const char *wrong; /* the first thing that was; NULL: all well so far */
};

static bool check(struct source *in, bool holds, const char *wrong)
{
    if (!holds && !in->wrong)
        in->wrong = wrong;
    return holds && !in->wrong;
}

static uint64_t get(struct source *in, int bytes)
{
    uint64_t value = 0;

    if (!check(in, in->end - in->p >= bytes, "it is shorter than it says"))
        return 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)in->p[i] << (8 * i);
    in->p += bytes;
    return value;
}

static double get_double(struct source *in)
{
    uint64_t bits = get(in, 8);
    double value;

    memcpy(&value, &bits, sizeof value);
    return check(in, fabs(value) <= LARGEST, "a number is out of range") ? value : 0;
}

static float get_float(struct source *in)
{
    uint32_t bits = (uint32_t)get(in, 4);
    float value;

    memcpy(&value, &bits, sizeof value);
    return check(in, fabs((double)value) <= LARGEST, "a number is out of range") ? value : 0;
}

static struct str get_str(struct source *in, struct model *model, int bytes, size_t max)
{
    size_t len = get(in, bytes);
    struct str s = STR_NONE;

    if (!check(in, len <= max && len <= (size_t)(in->end - in->p), "a name is longer than it may be") || len == 0)
        return s;
    s = arena_str(&model->arena, (struct str){(const char *)in->p, len});
    check(in, s.p != NULL, "there is no memory for it");
    in->p += len;
    return s;
}

/* So many things of so many bytes must still be there: asked before memory is taken for them. */
static void *get_room(struct source *in, struct model *model, uint64_t count, size_t stored, size_t size)
{
    bool failed = false;
    void *p;

    if (!check(in, count <= (size_t)(in->end - in->p) / stored, "it is shorter than it says"))
        return NULL;
    p = parts_array(model, count, size, &failed);
    check(in, !failed, "there is no memory for it");
    return p;
}

static void get_doubles(struct source *in, struct model *model, double **out, uint64_t count)
{
    *out = get_room(in, model, count, 8, sizeof **out);
    for (uint64_t i = 0; i < count && !in->wrong; i++)
        (*out)[i] = get_double(in);
}

static void get_floats(struct source *in, struct model *model, float **out, uint64_t count)
{
    *out = get_room(in, model, count, 4, sizeof **out);
    for (uint64_t i = 0; i < count && !in->wrong; i++)
        (*out)[i] = get_float(in);
}

static void get_words32(struct source *in, struct model *model, uint32_t **out, uint64_t count)
{
    *out = get_room(in, model, count, 4, sizeof **out);
    for (uint64_t i = 0; i < count && !in->wrong; i++)
        (*out)[i] = (uint32_t)get(in, 4);
}

static void get_features(struct source *in, struct model *model)
{
    model->stems = get_room(in, model, model->nfeatures, 8, sizeof *model->stems);
    for (uint32_t f = 0; f < model->nfeatures && !in->wrong; f++) {
        model->stems[f] = get(in, 8);
        check(in, f == 0 || model->stems[f] > model->stems[f - 1], "its words are not sorted");
    }
    get_words32(in, model, &model->df, model->nfeatures);
    for (uint32_t f = 0; f < model->nfeatures && !in->wrong; f++)
        check(in, model->df[f] >= 1 && model->df[f] <= model->ndocs, "a document frequency is out of range");
}

static void get_bayes(struct source *in, struct model *model, uint32_t ncells)
{
    get_doubles(in, model, &model->prior, model->nclasses);
    get_doubles(in, model, &model->floor, model->nclasses);
    get_words32(in, model, &model->first, (uint64_t)model->nfeatures + 1);
    for (uint32_t f = 0; f <= model->nfeatures && !in->wrong; f++)
        check(in, model->first[f] <= ncells && (f == 0 ? model->first[f] == 0 : model->first[f] >= model->first[f - 1]),
              "the counts of a word are out of range");
    check(in, !in->wrong && model->first[model->nfeatures] == ncells, "its counts do not add up");
    model->cells = get_room(in, model, ncells, 8, sizeof *model->cells);
    for (uint32_t k = 0; k < ncells && !in->wrong; k++) {
        model->cells[k].class = (uint32_t)get(in, 4);
        check(in, model->cells[k].class < model->nclasses, "a class is out of range");
        model->cells[k].delta = get_float(in);
    }
}

static void get_rows(struct source *in, struct model *model)
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

static void get_names(struct source *in, struct model *model, bool has_words)
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

static void get_model(struct source *in, struct model *model)
{
    uint64_t has_words;
    uint32_t ncells;

    model->kind = (enum model_kind)get(in, 4);
    model->weighting = (enum text_weighting)get(in, 4);
    model->nclasses = (uint32_t)get(in, 4);
    model->nfeatures = (uint32_t)get(in, 4);
    model->ndocs = (uint32_t)get(in, 4);
    model->nrow = (uint32_t)get(in, 4);
    ncells = (uint32_t)get(in, 4);
    has_words = get(in, 8);
    model->flatten = get_double(in);
    check(in, model->kind <= MODEL_MLP && model->weighting <= TEXT_TF && has_words <= 1, "its kind is unknown");
    check(in, model->nclasses >= 2 && model->nfeatures >= 1 && model->nfeatures <= VOCABULARY_MAX,
          "it has too few or too many classes or words");
    check(in, model->flatten >= 0 && shape_fits(model, ncells), "its parts do not fit each other");
    get_features(in, model);
    if (!in->wrong && model->kind == MODEL_BAYES)
        get_bayes(in, model, ncells);
    else if (!in->wrong)
        get_rows(in, model);
    get_names(in, model, has_words);
    check(in, in->p == in->end, "it is longer than it says");
    check(in, in->wrong || parts_finish(model) == SCENT_OK, "there is no memory for it");
}

#define TRAIN_AGAIN "train it again with `scent train`"

/* Is it a model of ours, of this version, and whole? */
static scent_status check_frame(struct source *in, const char *name, struct errmsg *err)
{
    size_t len = (size_t)(in->end - in->p);
    struct source tail = {in->end - CHECKSUM, in->end, NULL};
    uint64_t version;

    if (len < sizeof magic || memcmp(in->p, magic, sizeof magic) != 0)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: this is not a model of scent; name a file that `scent train` wrote",
                           name);
    in->p += sizeof magic;
    version = get(in, 4);
    if (!in->wrong && version != VERSION)
        return errmsg_fail(err, SCENT_E_VERSION, "%s: the model has version %llu, this program reads version %d; %s",
                           name, (unsigned long long)version, VERSION,
                           version > VERSION ? "use a newer scent, or " TRAIN_AGAIN : TRAIN_AGAIN);
    if (len < HEADER + CHECKSUM)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: the model is cut off after %zu bytes; " TRAIN_AGAIN, name, len);
    if (get(&tail, CHECKSUM) != hash_bytes(in->end - len, len - CHECKSUM, CHECKSUM_SEED))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: the model is damaged or cut off (its checksum is wrong); "
                           TRAIN_AGAIN, name);
    in->end -= CHECKSUM;
    return SCENT_OK;
}

scent_status model_read(struct str bytes, const char *name, struct model **out, struct errmsg *err)
{
    struct source in = {(const unsigned char *)bytes.p, (const unsigned char *)bytes.p + bytes.len, NULL};
    scent_status status = check_frame(&in, name, err);
    struct model *model;

    *out = NULL;
    if (status != SCENT_OK)
        return status;
    model = parts_new();
    get_model(&in, model);
    if (in.wrong) {
        model_free(model);
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: the model cannot be used: %s; " TRAIN_AGAIN, name, in.wrong);
    }
    *out = model;
    return SCENT_OK;
}

scent_status model_load(const char *path, struct model **out, struct errmsg *err)
{
    scent_status status;
    struct buf bytes;

    *out = NULL;
    buf_init(&bytes, FILE_CAP);
    status = file_read(path, &bytes, err);
    if (status == SCENT_OK)
        status = model_read(buf_str(&bytes), path, out, err);
    buf_release(&bytes);
    return status;
}
