#include "strategy/experience.h"

#include "strategy/counts.h"

enum { VERSION = 1 };

scent_status experience_learned(const struct experience *experience, struct buf *out)
{
    counts_put_head(out, VERSION, experience->meaning);
    counts_put(out, experience->known->pages);
    counts_put(out, experience->known->relevant);
    for (int i = 0; i < INTEREST_LINKS; i++)
        counts_put(out, experience->known->links[i]);
    evidence_learned(experience->words, out);
    evidence_learned(experience->tokens, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* With a weight of 0 it only looks. */
static void add(const struct experience *experience, struct bytes *in, double weight)
{
    double pages = counts_get(in), relevant = counts_get(in);

    bytes_check(in, relevant <= pages, "it has more relevant pages than pages");
    experience->known->pages += weight * pages;
    experience->known->relevant += weight * relevant;
    for (int i = 0; i < INTEREST_LINKS; i++)
        experience->known->links[i] += weight * counts_get(in);
    evidence_recall(experience->words, in, weight);
    evidence_recall(experience->tokens, in, weight);
}

scent_status experience_recall(const struct experience *experience, struct str blob, double weight, struct errmsg *err)
{
    struct bytes in = bytes_of(blob), again;
    scent_status status = counts_get_head(&in, experience->strategy, VERSION, experience->meaning, err);

    if (status != SCENT_OK)
        return status;
    again = in;
    add(experience, &in, 0);
    status = counts_end(&in, experience->strategy, err);
    if (status == SCENT_OK)
        add(experience, &again, weight);
    return status;
}
