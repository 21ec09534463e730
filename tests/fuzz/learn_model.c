/* Any bytes are a model or are refused. The checksum is set right first, or nothing behind it would ever be reached. A
 * model that was accepted answers with probabilities, and is written as the same bytes again. */
#include "framed.h"

#include "learn/model.h"

enum { CHECKSUM_SEED = 0x6d6f64, CLASSES_MAX = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void ask(const struct model *model)
{
    struct text_weight items[] = {{0, 1}, {1, 2.5}, {2, 300}, {UINT64_MAX / 2, 1}, {UINT64_MAX, 1e9}};
    struct text_vector page = {items, sizeof items / sizeof *items};
    static double p[CLASSES_MAX];
    struct model_term terms[4];
    uint32_t n = model_nclasses(model);

    if (n > CLASSES_MAX)
        return;
    model_predict(model, &page, p);
    for (uint32_t c = 0; c < n; c++)
        SCENT_BUG_IF(!(p[c] >= 0 && p[c] <= 1 + 1e-9));
    model_decision(model, &page, p);
    model_telling(model, n - 1, terms, 4);
    model_explain(model, &page, 0, terms, 4);
}

static void try_model(struct str bytes)
{
    struct model *model;
    struct errmsg err;
    struct buf again;

    if (model_read(bytes, "fuzz", &model, &err) != SCENT_OK)
        return;
    ask(model);
    buf_init(&again, 0);
    SCENT_BUG_IF(model_write(model, &again) != SCENT_OK || !str_eq(buf_str(&again), bytes));
    buf_release(&again);
    model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    framed_try(data, len, CHECKSUM_SEED, try_model);
    return 0;
}
