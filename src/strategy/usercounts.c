/* How users of a trace lead to relevant pages. A trace says who looked at which page when (trace/trace.h); the
 * predicate U says which pages are relevant. Everything is counted over crawled pages: N of them, n(U) relevant, P(U) =
 * n(U)/N. Three ratios say by how much more likely than P(U) a page is relevant, given what its users did; as natural
 * logarithms they add up, and 0 says nothing.
 *
 * Users (Aggarwal, 8-10): the event R_i is that user i looked at a page. P(U|R_i)/P(U) is counted like every feature
 *   (features.h), one count for each user of a crawled page. A user counts for a candidate only when T(U, R_i), the
 *   distance of P(U|R_i) from P(U) in standard deviations, reaches t; of these the `users` most significant, since the
 *   product over hundreds of users who look at the same pages would count one reason hundreds of times.
 * Signatures: what are the pages like that a user looks at? Every crawled page has up to 64 signatures (stems, or its
 *   category), each a feature with counts of its own. log I_i of a user is the mean of what the signatures of the
 * crawled
 *   pages say that the user looked at, a signature counting as often as it stands on them. So a user who looked at few
 *   crawled pages still tells something, by what they are about. A mean over the accesses of a user is too much to
 * compute for
 *   every candidate: pages and users keep it, and unless `exact` a value is good until the crawl has grown by a
 * sixteenth
 *   (REFRESH); a user's own new page renews it at once.
 * Temporal locality (11-13): TL(U) are the pages that somebody looked at within `locality` accesses of one to a
 * relevant
 *   page, in the same session. f1 and f2 are the shares of relevant pages among the crawled ones inside and outside.
 * TL(U)
 *   only grows, with each relevant page; a crawled page that comes to lie in it changes sides in the counts.
 *
 * A page that a million users looked at, or a user with a million accesses, is sampled: every second, third … access,
 * so that at most USERCOUNTS_LOOKS are read (stride_of()). A state keeps what cannot be counted again, pages by the
 * hash of their URL and users by that of their name: users and TL(U) are counted anew on load, in the order of
 * learning, so that the trace may have changed between two runs. What was recalled from other crawls stays apart for
 * the same reason. */
#include "strategy/usercounts.h"

#include "base/hash.h"
#include "base/vec.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>

enum { REFRESH = 16 };

void usercounts_init(struct usercounts *counts, const struct trace *trace, const struct usercounts_options *options)
{
    struct trace_size size = trace_size(trace);

    *counts = (struct usercounts){.trace = trace, .options = *options};
    counts->known = (struct ratios){.t = options->t, .smoothing = options->smoothing, .clip = options->clip,
                                    .support = options->support};
    counts->known.n = options->printed_n ? RATIOS_N_ALL : RATIOS_N_EVENT;
    counts->by_user = calloc((size_t)size.users + 1, sizeof *counts->by_user);
    counts->crawled = calloc((size_t)size.pages + 1, sizeof *counts->crawled);
    counts->is_inside = calloc((size_t)size.pages + 1, sizeof *counts->is_inside);
    SCENT_BUG_IF(!counts->by_user || !counts->crawled || !counts->is_inside);
    rounds_init(&counts->met, size.pages);
}

void usercounts_release(struct usercounts *counts)
{
    features_release(&counts->users);
    features_release(&counts->signatures);
    free(counts->by_user);
    free(counts->crawled);
    free(counts->is_inside);
    rounds_release(&counts->met);
    free(counts->pages);
    free(counts->lists);
}

uint64_t usercounts_key(struct str url)
{
    return hash_str(url, 0);
}

/* Of more than USERCOUNTS_LOOKS every second, third … is looked at. */
static uint32_t stride_of(const struct usercounts *counts, uint32_t count)
{
    return counts->options.all ? 1 : count / USERCOUNTS_LOOKS + (count % USERCOUNTS_LOOKS > 0);
}

/* ---- what signatures tell of users ---- */

static bool is_fresh(const struct usercounts *counts, uint32_t computed)
{
    if (counts->options.exact || !computed)
        return computed && computed == counts->observed;
    return (uint64_t)counts->observed * REFRESH < (uint64_t)computed * (REFRESH + 1);
}

static double signature_ratio(const struct usercounts *counts, const struct ratios_now *now, uint32_t signature)
{
    struct features_seen sum = features_sum(&counts->signatures, signature);

    return ratios_now_if_significant(now, sum.pages, sum.relevant);
}

static uint64_t signatures_begin(const struct usercounts *counts, size_t page)
{
    return page ? counts->pages[page - 1].end : 0;
}

static double page_signatures(struct usercounts *counts, const struct ratios_now *now, size_t number)
{
    struct usercounts_page *page = &counts->pages[number];

    if (is_fresh(counts, page->computed))
        return page->signature_log;
    page->signature_log = 0;
    for (uint64_t i = signatures_begin(counts, number); i < page->end; i++)
        page->signature_log += signature_ratio(counts, now, counts->lists[i]);
    page->computed = counts->observed;
    return page->signature_log;
}

/* sum_s A_i(s) log I(U, s) / sum_s A_i(s), page by page. */
static double user_signatures(struct usercounts *counts, const struct ratios_now *now, uint32_t user)
{
    struct usercounts_user *known = &counts->by_user[user];
    struct trace_range range = trace_of_user(counts->trace, user);
    uint32_t stride = stride_of(counts, range.end - range.begin);
    double sum = 0, number = 0;

    if (is_fresh(counts, known->computed))
        return known->signature_log;
    rounds_begin(&counts->met);
    for (uint32_t at = range.begin; at < range.end; at += stride) {
        uint32_t place = trace_at(counts->trace, at)->page, page = counts->crawled[place];

        if (!page || !rounds_first(&counts->met, place))
            continue;
        sum += page_signatures(counts, now, page - 1);
        number += (double)(counts->pages[page - 1].end - signatures_begin(counts, page - 1));
    }
    known->signature_log = number > 0 ? sum / number : 0;
    known->computed = counts->observed;
    return known->signature_log;
}

/* ---- learning ---- */

static void count_feature(struct features *features, uint32_t feature, bool relevant)
{
    features->counts[feature].pages++;
    features->counts[feature].relevant += relevant;
}

static void count_user(struct usercounts *counts, uint32_t user, bool relevant)
{
    struct usercounts_user *known = &counts->by_user[user];

    if (!known->feature)
        known->feature = features_number(&counts->users, usercounts_key(trace_user_name(counts->trace, user))) + 1;
    count_feature(&counts->users, known->feature - 1, relevant);
    known->computed = 0;
}

/* Each user of the page once: the accesses of one user stand together. */
static void count_users(struct usercounts *counts, uint32_t place, bool relevant)
{
    uint32_t count, last = UINT32_MAX;
    const uint32_t *positions = trace_of_page(counts->trace, place, &count);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t user = trace_at(counts->trace, positions[i])->user;

        if (user != last)
            count_user(counts, user, relevant);
        last = user;
    }
}

static void move_inside(struct usercounts *counts, uint32_t place)
{
    uint32_t page = counts->crawled[place];

    if (counts->is_inside[place])
        return;
    counts->is_inside[place] = true;
    if (!page)
        return;
    counts->outside[0]--;
    counts->inside[0]++;
    if (counts->pages[page - 1].relevant) {
        counts->outside[1]--;
        counts->inside[1]++;
    }
}

/* TL(U) grows by TLR of each access of a relevant page, which does not count for itself (Aggarwal, 11). */
static void grow_locality(struct usercounts *counts, uint32_t place)
{
    uint32_t count;
    const uint32_t *positions = trace_of_page(counts->trace, place, &count);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t reach = counts->options.locality;
        struct trace_range range = trace_around(counts->trace, positions[i], reach, reach);

        for (uint32_t at = range.begin; at < range.end; at++)
            if (trace_at(counts->trace, at)->page != place)
                move_inside(counts, trace_at(counts->trace, at)->page);
    }
}

/* The last of `pages` is this one. */
static void learn_place(struct usercounts *counts, uint32_t place, bool relevant)
{
    double *side = counts->is_inside[place] ? counts->inside : counts->outside;

    counts->crawled[place] = (uint32_t)counts->npages;
    side[0]++;
    side[1] += relevant;
    count_users(counts, place, relevant);
    if (relevant)
        grow_locality(counts, place);
}

static void keep_signatures(struct usercounts *counts, const uint64_t *signatures, size_t nsignatures, bool relevant,
                            bool keep)
{
    if (nsignatures > USERCOUNTS_SIGNATURES && !counts->options.all)
        nsignatures = USERCOUNTS_SIGNATURES;
    features_begin(&counts->signatures);
    SCENT_BUG_IF(!vec_reserve(&counts->lists, &counts->lists_room, counts->nlists + nsignatures,
                              sizeof *counts->lists));
    for (size_t i = 0; i < nsignatures; i++) {
        uint32_t signature = features_number(&counts->signatures, signatures[i]);

        if (!features_first(&counts->signatures, signature))
            continue;
        count_feature(&counts->signatures, signature, relevant);
        if (keep)
            counts->lists[counts->nlists++] = signature;
    }
}

void usercounts_learn(struct usercounts *counts, uint32_t place, bool relevant, const uint64_t *signatures,
                      size_t nsignatures)
{
    bool known = place != USERCOUNTS_NONE && !counts->crawled[place];

    counts->observed++;
    counts->known.pages++;
    counts->known.relevant += relevant;
    keep_signatures(counts, signatures, nsignatures, relevant, known);
    if (!known)
        return;
    SCENT_BUG_IF(!vec_reserve(&counts->pages, &counts->pages_room, counts->npages + 1, sizeof *counts->pages));
    counts->pages[counts->npages++] = (struct usercounts_page){
        .key = usercounts_key(trace_url(counts->trace, place)), .end = counts->nlists, .relevant = relevant};
    learn_place(counts, place, relevant);
}

/* ---- judging ---- */

struct significant {
    double significance;
    uint32_t user;
};

/* The most significant first; of equal ones the first user. */
static void insert_user(struct significant *best, uint32_t *count, uint32_t most, struct significant one)
{
    uint32_t at = *count;

    while (at && best[at - 1].significance < one.significance)
        at--;
    if (at == most)
        return;
    *count += *count < most;
    memmove(best + at + 1, best + at, (*count - at - 1) * sizeof *best);
    best[at] = one;
}

static void count_user_in(struct usercounts *counts, const struct ratios_now *now, uint32_t user,
                          struct usercounts_view *out)
{
    struct features_seen sum = features_sum(&counts->users, counts->by_user[user].feature - 1);
    double signatures = user_signatures(counts, now, user);

    out->significant++;
    out->users += ratios_now_event(now, sum.pages, sum.relevant);
    out->signatures += signatures;
    out->informative += signatures != 0;
}

/* The significant users of a page, the first `users` of them where not all count. */
static void look_at_users(struct usercounts *counts, const struct ratios_now *now, uint32_t place,
                          struct usercounts_view *out)
{
    struct significant best[USERCOUNTS_USERS_MAX];
    uint32_t count, found = 0, last = UINT32_MAX;
    const uint32_t *positions = trace_of_page(counts->trace, place, &count);
    uint32_t stride = stride_of(counts, count);

    for (uint32_t i = 0; i < count; i += stride) {
        uint32_t user = trace_at(counts->trace, positions[i])->user, number = counts->by_user[user].feature;
        struct significant one = {0, user};

        if (user == last)
            continue;
        last = user;
        out->visitors++;
        if (number) {
            struct features_seen sum = features_sum(&counts->users, number - 1);

            one.significance = ratios_significance(&counts->known, sum.pages, sum.relevant);
        }
        if (!number || one.significance < counts->known.t)
            continue;
        if (counts->options.users)
            insert_user(best, &found, counts->options.users, one);
        else
            count_user_in(counts, now, user, out);
    }
    for (uint32_t i = 0; i < found; i++)
        count_user_in(counts, now, best[i].user, out);
}

/* (Aggarwal, 12) and (13), smoothed like every conditional probability; not clipped. Both sides of the fraction times
 * N: whole numbers are exact, so that a share that is P(U) says 0 and not a rounding error, which a threshold of 0
 * would take for evidence against half of the trace. */
static double locality_of(const struct usercounts *counts, const double *side)
{
    const struct ratios *known = &counts->known;
    double share = side[1] * known->pages + known->smoothing * known->relevant;

    if (side[0] + known->smoothing == 0)
        return 0;
    return share > 0 ? log(share / ((side[0] + known->smoothing) * known->relevant)) : RATIOS_LOG_ZERO;
}

void usercounts_view(struct usercounts *counts, uint32_t place, struct usercounts_view *out)
{
    const struct ratios_now now = ratios_now(&counts->known);
    const double *side = counts->is_inside[place] ? counts->inside : counts->outside;

    *out = (struct usercounts_view){.inside = counts->is_inside[place], .neighbours = (uint32_t)side[0],
                                    .relevant = (uint32_t)side[1]};
    if (!ratios_can_learn(&counts->known))
        return;
    look_at_users(counts, &now, place, out);
    out->locality = locality_of(counts, side);
}

/* ---- for other crawls ---- */

void usercounts_learned(const struct usercounts *counts, struct buf *out)
{
    const double all[] = {counts->known.pages, counts->known.relevant, counts->inside[0],
                          counts->inside[1],   counts->outside[0],     counts->outside[1]};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        saved_put_count(out, all[i]);
    features_learned(&counts->users, out);
    features_learned(&counts->signatures, out);
}

/* By name; what their pages tell is computed when it is asked for. */
static void find_users(struct usercounts *counts)
{
    uint32_t users = trace_size(counts->trace).users;

    for (uint32_t i = 0; i < users; i++) { /* FEATURES_NONE + 1 is 0 */
        uint64_t key = usercounts_key(trace_user_name(counts->trace, i));

        counts->by_user[i] = (struct usercounts_user){.feature = features_find(&counts->users, key) + 1};
    }
    for (size_t i = 0; i < counts->npages; i++)
        counts->pages[i].computed = 0;
}

static void start_from_recalled(struct usercounts *counts)
{
    memcpy(counts->inside, counts->recalled, sizeof counts->inside);
    memcpy(counts->outside, counts->recalled + 2, sizeof counts->outside);
    find_users(counts);
}

void usercounts_recall(struct usercounts *counts, struct bytes *in, double weight)
{
    double *sums[] = {&counts->known.pages, &counts->known.relevant, &counts->inside[0],
                      &counts->inside[1],   &counts->outside[0],     &counts->outside[1]};

    for (int i = 0; i < 6; i += 2) {
        double pages = saved_get_count(in), relevant = saved_get_count(in);

        bytes_check(in, relevant <= pages, "it has more relevant pages than pages");
        *sums[i] += saved_weigh(pages, weight);
        *sums[i + 1] += saved_weigh(relevant, weight);
        if (i > 0) {
            counts->recalled[i - 2] += saved_weigh(pages, weight);
            counts->recalled[i - 1] += saved_weigh(relevant, weight);
        }
    }
    features_recall(&counts->users, in, weight);
    features_recall(&counts->signatures, in, weight);
    if (weight != 0)
        find_users(counts);
}

/* ---- keeping ---- */

void usercounts_save(const struct usercounts *counts, struct buf *out)
{
    bytes_put(out, counts->observed, 8);
    bytes_put(out, counts->npages, 8);
    bytes_put(out, counts->nlists, 8);
    bytes_put_double(out, counts->known.pages);
    bytes_put_double(out, counts->known.relevant);
    for (int i = 0; i < 4; i++)
        bytes_put_double(out, counts->recalled[i]);
    features_save(&counts->users, out);
    features_save(&counts->signatures, out);
    for (size_t i = 0; i < counts->npages; i++) {
        bytes_put(out, counts->pages[i].key, 8);
        bytes_put(out, counts->pages[i].end << 1 | counts->pages[i].relevant, 8);
    }
    saved_put_array(out, counts->lists, counts->nlists, sizeof *counts->lists);
}

static void get_counts(struct bytes *in, double *pages, double *relevant)
{
    *pages = bytes_get_double(in);
    *relevant = bytes_get_double(in);
    bytes_check(in, *relevant >= 0 && *relevant <= *pages && saved_is_count(*pages), "a count is out of range");
}

static void load_pages(struct usercounts *counts, uint64_t npages, uint64_t nlists, struct bytes *in)
{
    uint64_t end = 0;

    if (!bytes_has(in, npages, 16))
        return;
    SCENT_BUG_IF(!vec_reserve(&counts->pages, &counts->pages_room, npages, sizeof *counts->pages));
    for (; counts->npages < npages; counts->npages++) {
        uint64_t key = bytes_get(in, 8), packed = bytes_get(in, 8);

        counts->pages[counts->npages] =
            (struct usercounts_page){.key = key, .end = packed >> 1, .relevant = packed & 1};
        bytes_check(in, packed >> 1 >= end && (counts->options.all || (packed >> 1) - end <= USERCOUNTS_SIGNATURES),
                    "a page is out of place");
        end = packed >> 1;
    }
    bytes_check(in, end == nlists, "signatures belong to no page");
    counts->lists = saved_take_array(in, nlists, sizeof *counts->lists);
    counts->nlists = counts->lists_room = counts->lists ? nlists : 0;
    for (size_t i = 0; i < counts->nlists; i++)
        bytes_check(in, counts->lists[i] < counts->signatures.count, "a signature is unknown");
}

/* As they were learned, one after the other. */
static void learn_again(struct usercounts *counts, uint32_t (*find)(const void *ctx, uint64_t key), const void *ctx)
{
    size_t all = counts->npages;

    for (size_t i = 0; i < counts->users.count; i++)
        counts->users.counts[i].pages = counts->users.counts[i].relevant = 0;
    start_from_recalled(counts);
    for (counts->npages = 1; counts->npages <= all; counts->npages++) {
        const struct usercounts_page *page = &counts->pages[counts->npages - 1];
        uint32_t place = find(ctx, page->key);

        if (place != USERCOUNTS_NONE && !counts->crawled[place])
            learn_place(counts, place, page->relevant);
    }
    counts->npages = all;
}

void usercounts_load(struct usercounts *counts, struct bytes *in, uint32_t (*find)(const void *ctx, uint64_t key),
                     const void *ctx)
{
    uint64_t observed = bytes_get(in, 8), npages = bytes_get(in, 8), nlists = bytes_get(in, 8);

    get_counts(in, &counts->known.pages, &counts->known.relevant);
    get_counts(in, &counts->recalled[0], &counts->recalled[1]);
    get_counts(in, &counts->recalled[2], &counts->recalled[3]);
    features_load(&counts->users, in);
    features_load(&counts->signatures, in);
    bytes_check(in, npages <= observed && observed < UINT32_MAX, "it has more pages than were observed");
    load_pages(counts, npages, nlists, in);
    if (in->wrong)
        return;
    counts->observed = (uint32_t)observed;
    learn_again(counts, find, ctx);
}
