#include "strategy/crowd.h"

#include "base/hash.h"
#include "strategy/array.h"
#include "strategy/counts.h"

#include <math.h>
#include <stdlib.h>

enum { AGING = 16 };

void crowd_init(struct crowd *crowd, const struct trace *trace, const struct crowd_options *options, double t)
{
    struct trace_size size = trace_size(trace);

    *crowd = (struct crowd){.trace = trace, .options = *options, .known = {.t = t}};
    crowd->people = calloc((size_t)size.users + 1, sizeof *crowd->people);
    crowd->crawled = calloc((size_t)size.pages + 1, sizeof *crowd->crawled);
    crowd->close = calloc((size_t)size.pages + 1, sizeof *crowd->close);
    SCENT_BUG_IF(!crowd->people || !crowd->crawled || !crowd->close);
    rounds_init(&crowd->met, size.pages);
}

void crowd_release(struct crowd *crowd)
{
    evidence_release(&crowd->users);
    evidence_release(&crowd->signs);
    free(crowd->people);
    free(crowd->crawled);
    free(crowd->close);
    rounds_release(&crowd->met);
    free(crowd->pages);
    free(crowd->marks);
}

uint64_t crowd_key(struct str url)
{
    return hash_str(url, 0);
}

/* Of more than CROWD_LOOKS every second, third … is looked at. */
static uint32_t stride_of(uint32_t count)
{
    return count / CROWD_LOOKS + (count % CROWD_LOOKS > 0);
}

/* ---- what signs tell of users ---- */

double crowd_significance(const struct crowd *crowd, double pages, double relevant)
{
    double base = interest_base(&crowd->known);

    if (!interest_can_learn(&crowd->known) || pages == 0)
        return 0;
    return fabs(relevant / pages - base) /
           sqrt(base * (1 - base) / (crowd->options.printed_n ? crowd->known.pages : pages));
}

static bool is_fresh(const struct crowd *crowd, uint32_t taken)
{
    if (crowd->options.exact || !taken)
        return taken && taken == crowd->observed;
    return (uint64_t)crowd->observed * AGING < (uint64_t)taken * (AGING + 1);
}

static double sign_taste(const struct crowd *crowd, uint32_t sign)
{
    struct evidence_old sum = evidence_sum(&crowd->signs, sign);

    if (sum.pages < INTEREST_MIN_PAGES || !(crowd_significance(crowd, sum.pages, sum.relevant) >= crowd->known.t))
        return 0;
    return interest_of_event(&crowd->known, sum.pages, sum.relevant);
}

static uint64_t marks_begin(const struct crowd *crowd, size_t page)
{
    return page ? crowd->pages[page - 1].end : 0;
}

static double page_taste(struct crowd *crowd, size_t number)
{
    struct crowd_page *page = &crowd->pages[number];

    if (is_fresh(crowd, page->taken))
        return page->taste;
    page->taste = 0;
    for (uint64_t i = marks_begin(crowd, number); i < page->end; i++)
        page->taste += sign_taste(crowd, crowd->marks[i]);
    page->taken = crowd->observed;
    return page->taste;
}

/* sum_s A_i(s) log I(U, s) / sum_s A_i(s), page by page. */
static double user_taste(struct crowd *crowd, uint32_t user)
{
    struct crowd_person *person = &crowd->people[user];
    struct trace_range range = trace_of_user(crowd->trace, user);
    uint32_t stride = stride_of(range.end - range.begin);
    double sum = 0, marks = 0;

    if (is_fresh(crowd, person->taken))
        return person->taste;
    rounds_begin(&crowd->met);
    for (uint32_t at = range.begin; at < range.end; at += stride) {
        uint32_t place = trace_at(crowd->trace, at)->page, page = crowd->crawled[place];

        if (!page || !rounds_first(&crowd->met, place))
            continue;
        sum += page_taste(crowd, page - 1);
        marks += (double)(crowd->pages[page - 1].end - marks_begin(crowd, page - 1));
    }
    person->taste = marks > 0 ? sum / marks : 0;
    person->taken = crowd->observed;
    return person->taste;
}

/* ---- learning ---- */

static void count_fact(struct evidence *evidence, uint32_t fact, bool relevant)
{
    evidence->facts[fact].pages++;
    evidence->facts[fact].relevant += relevant;
}

static void count_user(struct crowd *crowd, uint32_t user, bool relevant)
{
    struct crowd_person *person = &crowd->people[user];

    if (!person->fact)
        person->fact = evidence_number(&crowd->users, crowd_key(trace_user_name(crowd->trace, user))) + 1;
    count_fact(&crowd->users, person->fact - 1, relevant);
    person->taken = 0;
}

/* Each user of the page once: the accesses of one user stand together. */
static void count_users(struct crowd *crowd, uint32_t place, bool relevant)
{
    uint32_t count, last = UINT32_MAX;
    const uint32_t *positions = trace_of_page(crowd->trace, place, &count);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t user = trace_at(crowd->trace, positions[i])->user;

        if (user != last)
            count_user(crowd, user, relevant);
        last = user;
    }
}

static void move_inside(struct crowd *crowd, uint32_t place)
{
    uint32_t page = crowd->crawled[place];

    if (crowd->close[place])
        return;
    crowd->close[place] = true;
    if (!page)
        return;
    crowd->far[0]--;
    crowd->near[0]++;
    if (crowd->pages[page - 1].relevant) {
        crowd->far[1]--;
        crowd->near[1]++;
    }
}

/* TL(U) grows by TLR of each access of a relevant page, which does not count for itself (Aggarwal, 11). */
static void grow_locality(struct crowd *crowd, uint32_t place)
{
    uint32_t count;
    const uint32_t *positions = trace_of_page(crowd->trace, place, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct trace_range range = trace_around(crowd->trace, positions[i], crowd->options.reach, crowd->options.reach);

        for (uint32_t at = range.begin; at < range.end; at++)
            if (trace_at(crowd->trace, at)->page != place)
                move_inside(crowd, trace_at(crowd->trace, at)->page);
    }
}

/* The last of `pages` is this one. */
static void learn_place(struct crowd *crowd, uint32_t place, bool relevant)
{
    double *side = crowd->close[place] ? crowd->near : crowd->far;

    crowd->crawled[place] = (uint32_t)crowd->npages;
    side[0]++;
    side[1] += relevant;
    count_users(crowd, place, relevant);
    if (relevant)
        grow_locality(crowd, place);
}

static void keep_marks(struct crowd *crowd, const uint64_t *signs, size_t nsigns, bool relevant, bool keep)
{
    if (nsigns > CROWD_SIGNS)
        nsigns = CROWD_SIGNS;
    evidence_begin(&crowd->signs);
    crowd->marks = array_grow(crowd->marks, &crowd->marks_room, crowd->nmarks + nsigns, sizeof *crowd->marks);
    for (size_t i = 0; i < nsigns; i++) {
        uint32_t sign = evidence_number(&crowd->signs, signs[i]);

        if (!evidence_first(&crowd->signs, sign))
            continue;
        count_fact(&crowd->signs, sign, relevant);
        if (keep)
            crowd->marks[crowd->nmarks++] = sign;
    }
}

void crowd_learn(struct crowd *crowd, uint32_t place, bool relevant, const uint64_t *signs, size_t nsigns)
{
    bool known = place != CROWD_NOWHERE && !crowd->crawled[place];

    crowd->observed++;
    crowd->known.pages++;
    crowd->known.relevant += relevant;
    keep_marks(crowd, signs, nsigns, relevant, known);
    if (!known)
        return;
    crowd->pages = array_grow(crowd->pages, &crowd->pages_room, crowd->npages + 1, sizeof *crowd->pages);
    crowd->pages[crowd->npages++] = (struct crowd_page){
        .key = crowd_key(trace_url(crowd->trace, place)), .end = crowd->nmarks, .relevant = relevant};
    learn_place(crowd, place, relevant);
}

/* ---- judging ---- */

struct telling {
    double significance;
    uint32_t user;
};

/* The most significant first; of equal ones the first user. */
static void insert(struct telling *best, uint32_t *count, uint32_t most, struct telling one)
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

static uint32_t find_telling(const struct crowd *crowd, uint32_t place, struct telling *best, uint32_t *visitors)
{
    uint32_t count, found = 0, last = UINT32_MAX;
    const uint32_t *positions = trace_of_page(crowd->trace, place, &count);
    uint32_t stride = stride_of(count);

    *visitors = 0;
    for (uint32_t i = 0; i < count; i += stride) {
        uint32_t user = trace_at(crowd->trace, positions[i])->user, number = crowd->people[user].fact;
        struct telling one = {0, user};

        if (user == last)
            continue;
        last = user;
        ++*visitors;
        if (number) {
            struct evidence_old sum = evidence_sum(&crowd->users, number - 1);

            one.significance = crowd_significance(crowd, sum.pages, sum.relevant);
        }
        if (number && one.significance >= crowd->known.t)
            insert(best, &found, crowd->options.users, one);
    }
    return found;
}

/* (Aggarwal, 12) and (13), smoothed like every conditional probability; not clipped. Both sides of the fraction times N: whole
 * numbers are exact, so that a share that is P(U) says 0 and not a rounding error, which a threshold of 0 would take for
 * evidence against half of the trace. */
static double locality_of(const struct crowd *crowd, const double *side)
{
    const struct interest *known = &crowd->known;

    return log((side[1] * known->pages + known->relevant) / ((side[0] + 1) * known->relevant));
}

void crowd_view(struct crowd *crowd, uint32_t place, struct crowd_view *out)
{
    struct telling best[CROWD_USERS_MAX];
    const double *side = crowd->close[place] ? crowd->near : crowd->far;

    *out = (struct crowd_view){.near = crowd->close[place], .neighbours = (uint32_t)side[0],
                               .relevant = (uint32_t)side[1]};
    if (!interest_can_learn(&crowd->known))
        return;
    out->telling = find_telling(crowd, place, best, &out->visitors);
    for (uint32_t i = 0; i < out->telling; i++) {
        struct evidence_old sum = evidence_sum(&crowd->users, crowd->people[best[i].user].fact - 1);
        double taste = user_taste(crowd, best[i].user);

        out->users += interest_of_event(&crowd->known, sum.pages, sum.relevant);
        out->taste += taste;
        out->tasting += taste != 0;
    }
    out->moment = locality_of(crowd, side);
}

/* ---- for other crawls ---- */

void crowd_learned(const struct crowd *crowd, struct buf *out)
{
    const double counts[] = {crowd->known.pages, crowd->known.relevant, crowd->near[0], crowd->near[1],
                             crowd->far[0],      crowd->far[1]};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        counts_put(out, counts[i]);
    evidence_learned(&crowd->users, out);
    evidence_learned(&crowd->signs, out);
}

static void start_from_recalled(struct crowd *crowd)
{
    uint32_t users = trace_size(crowd->trace).users;

    memcpy(crowd->near, crowd->recalled, sizeof crowd->near);
    memcpy(crowd->far, crowd->recalled + 2, sizeof crowd->far);
    for (uint32_t i = 0; i < users; i++) /* EVIDENCE_NONE + 1 is 0 */
        crowd->people[i].fact = evidence_find(&crowd->users, crowd_key(trace_user_name(crowd->trace, i))) + 1;
}

void crowd_recall(struct crowd *crowd, struct bytes *in, double weight)
{
    double *sums[] = {&crowd->known.pages,  &crowd->known.relevant, &crowd->recalled[0],
                      &crowd->recalled[1], &crowd->recalled[2],    &crowd->recalled[3]};

    for (int i = 0; i < 6; i += 2) {
        double pages = counts_get(in), relevant = counts_get(in);

        bytes_check(in, relevant <= pages, "it has more relevant pages than pages");
        *sums[i] += weight * pages;
        *sums[i + 1] += weight * relevant;
    }
    evidence_recall(&crowd->users, in, weight);
    evidence_recall(&crowd->signs, in, weight);
    if (weight > 0)
        start_from_recalled(crowd);
}

/* ---- keeping ---- */

struct saved {
    uint64_t observed, npages, nmarks;
    double pages, relevant, recalled[4];
};

void crowd_save(const struct crowd *crowd, struct buf *out)
{
    struct saved saved = {crowd->observed,    crowd->npages,         crowd->nmarks,
                          crowd->known.pages, crowd->known.relevant, {0}};

    memcpy(saved.recalled, crowd->recalled, sizeof saved.recalled);
    array_put(out, &saved, sizeof saved);
    evidence_save(&crowd->users, out);
    evidence_save(&crowd->signs, out);
    for (size_t i = 0; i < crowd->npages; i++) {
        const uint64_t page[] = {crowd->pages[i].key, crowd->pages[i].end << 1 | crowd->pages[i].relevant};

        array_put(out, page, sizeof page);
    }
    array_put(out, crowd->marks, crowd->nmarks * sizeof *crowd->marks);
}

static bool are_counts(double pages, double relevant)
{
    return relevant >= 0 && relevant <= pages && pages <= COUNTS_MAX;
}

static bool is_sound(const struct saved *saved, size_t left)
{
    return saved->npages <= saved->observed && saved->observed < UINT32_MAX &&
           are_counts(saved->pages, saved->relevant) && are_counts(saved->recalled[0], saved->recalled[1]) &&
           are_counts(saved->recalled[2], saved->recalled[3]) && saved->nmarks <= saved->npages * CROWD_SIGNS &&
           saved->npages <= left / (2 * sizeof(uint64_t)) &&
           saved->npages * 2 * sizeof(uint64_t) + saved->nmarks * sizeof(uint32_t) <= left;
}

static bool load_pages(struct crowd *crowd, const struct saved *saved, struct str *rest)
{
    uint64_t end = 0;

    crowd->npages = crowd->pages_room = saved->npages;
    crowd->pages = calloc(saved->npages + 1, sizeof *crowd->pages);
    SCENT_BUG_IF(!crowd->pages);
    for (size_t i = 0; i < saved->npages; i++) {
        uint64_t page[2];

        if (!array_get(rest, page, sizeof page))
            return false;
        crowd->pages[i] = (struct crowd_page){.key = page[0], .end = page[1] >> 1, .relevant = page[1] & 1};
        if (crowd->pages[i].end < end || crowd->pages[i].end - end > CROWD_SIGNS)
            return false;
        end = crowd->pages[i].end;
    }
    if (end != saved->nmarks)
        return false;
    crowd->marks = array_take(rest, saved->nmarks, sizeof *crowd->marks);
    crowd->nmarks = crowd->marks_room = saved->nmarks;
    for (size_t i = 0; i < crowd->nmarks; i++)
        if (crowd->marks[i] >= crowd->signs.count)
            return false;
    return true;
}

/* As they were learned, one after the other. */
static void learn_again(struct crowd *crowd, uint32_t (*find)(void *ctx, uint64_t key), void *ctx)
{
    size_t all = crowd->npages;

    for (size_t i = 0; i < crowd->users.count; i++)
        crowd->users.facts[i].pages = crowd->users.facts[i].relevant = 0;
    start_from_recalled(crowd);
    for (crowd->npages = 1; crowd->npages <= all; crowd->npages++) {
        const struct crowd_page *page = &crowd->pages[crowd->npages - 1];
        uint32_t place = find(ctx, page->key);

        if (place != CROWD_NOWHERE && !crowd->crawled[place])
            learn_place(crowd, place, page->relevant);
    }
    crowd->npages = all;
}

bool crowd_load(struct crowd *crowd, struct str *rest, uint32_t (*find)(void *ctx, uint64_t key), void *ctx)
{
    struct saved saved;

    if (!array_get(rest, &saved, sizeof saved) || !evidence_load(&crowd->users, rest) ||
        !evidence_load(&crowd->signs, rest) || !is_sound(&saved, rest->len) || !load_pages(crowd, &saved, rest))
        return false;
    crowd->observed = (uint32_t)saved.observed;
    crowd->known.pages = saved.pages;
    crowd->known.relevant = saved.relevant;
    memcpy(crowd->recalled, saved.recalled, sizeof crowd->recalled);
    learn_again(crowd, find, ctx);
    return true;
}
