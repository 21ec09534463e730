/* Any bytes are a browsing model or are refused. The checksum is set right first, or nothing behind it would ever be
 * reached. A model that was accepted answers, and is written as the same bytes again. */
#include "framed.h"

#include "trace/browse.h"

enum { CHECKSUM_SEED = 0x627277 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void ask(const struct browse *browse)
{
    struct text_weight items[] = {{0, 1}, {1, 2.5}, {2, 300}, {UINT64_MAX / 2, 1}, {UINT64_MAX, 1e9}};
    struct text_vector tf = {items, sizeof items / sizeof *items};
    struct page_word words[] = {{.stem = 1}, {.stem = 2}};
    struct page_link links[] = {{.first_word = 0, .end_word = 2}};
    struct page page = {.words = words, .nwords = 2, .links = links, .nlinks = 1};
    double delta[HMM_STATES], ahead[HMM_STATES], worth;
    struct browse_sense sense;
    struct arena arena;

    arena_init(&arena, 1 << 24);
    browse_ask(browse, &page, &tf, &arena, &sense);
    arena_release(&arena);
    SCENT_BUG_IF(!(sense.similar >= 0 && sense.similar <= 1) || sense.cluster >= browse_nclusters(browse));
    hmm_begin(browse_hmm(browse), sense.cluster, delta);
    hmm_step(browse_hmm(browse), delta, 0, delta);
    hmm_ahead(browse_hmm(browse), delta, ahead);
    worth = hmm_worth(ahead);
    SCENT_BUG_IF(!(worth >= 0 && worth <= 1 + 1e-9));
}

static void try_model(struct str bytes)
{
    struct browse *browse;
    struct errmsg err;
    struct buf again;

    if (browse_read(bytes, "fuzz", &browse, &err) != SCENT_OK)
        return;
    ask(browse);
    buf_init(&again, 0);
    SCENT_BUG_IF(browse_write(browse, &again) != SCENT_OK || !str_eq(buf_str(&again), bytes));
    buf_release(&again);
    browse_free(browse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    framed_try(data, len, CHECKSUM_SEED, try_model);
    return 0;
}
