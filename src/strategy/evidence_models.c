/* Other models read the links of a crawl: what the old ones said of them is replaced. */
#include "strategy/evidence.h"

#include <math.h>

void evidence_adopt(struct evidence *evidence, const struct knowledge *knowledge)
{
    link_odds_adopt(&evidence->odds, knowledge);
    for (size_t i = 0; i < evidence->nurls; i++)
        evidence->urls[i].read_again = evidence_is_candidate(&evidence->urls[i]);
}

/* One more of `before` links says `odds`. The sum is that of all in-links, as if those that were not read said the
 * mean. */
static void replace_says(float *best, float *sum, float odds, uint32_t before, uint32_t linking)
{
    float said = (float)before, all = (float)linking;

    *best = before ? fmaxf(*best, odds) : odds;
    *sum = (*sum / all * said + odds) / (said + 1) * all;
}

bool evidence_read_again(struct evidence *evidence, const struct strategy_visit *visit, uint32_t link)
{
    const struct evidence_url *page = evidence_url(evidence, visit->id);
    struct evidence_url *url = evidence_url(evidence, visit->targets[link]);
    float odds[LINK_CONTEXTS];
    uint32_t before;

    if (!page || !page->page || page == url || !url || !evidence_is_candidate(url) || !url->read_again)
        return false;
    before = url->read_again - 1u;
    link_odds_begin(&evidence->odds, visit);
    link_odds_of(&evidence->odds, visit, link, odds);
    for (int i = 0; i < LINK_CONTEXTS; i++)
        replace_says(&url->best[i], &url->sum[i], odds[i], before, url->linking);
    replace_says(&url->parent_best, &url->parent_sum, link_odds_page(&evidence->odds, visit), before, url->linking);
    url->read_again += url->read_again < UINT8_MAX;
    return true;
}
