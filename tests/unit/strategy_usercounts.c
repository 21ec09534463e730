/* The formulas of the collaborative crawler on examples that were computed by hand. */
#include "strategy/usercounts.h"
#include "strategy_fixture.h"
#include "trace_fixture.h"

/* Pages are numbered in the order of their URLs. "a 1" is an access of user a to page 1, a minute after the one
 * before. */
static struct trace *trace_of(const char *accesses)
{
    struct str rest = str_of(accesses), one;
    struct trace *trace;
    struct buf log;
    unsigned time = 0;

    buf_init(&log, 0);
    while (str_split(&rest, ',', &one)) {
        one = str_trim(one);
        buf_printf(&log, "%u %c http://t.test/%.*s\n", 100000 + 60 * time++, one.p[0], (int)one.len - 2, one.p + 2);
    }
    trace = trace_of_bytes(buf_str(&log), keeping_users());
    buf_release(&log);
    return trace;
}

static struct usercounts usercounts_with(struct trace *trace, struct usercounts_options options, double t)
{
    struct usercounts counts;

    options.users = options.users ? options.users : 20;
    options.smoothing = 1;
    options.clip = options.support = 3;
    options.exact = true;
    options.t = t;
    usercounts_init(&counts, trace, &options);
    return counts;
}

static void learn(struct usercounts *counts, uint32_t place, bool relevant)
{
    usercounts_learn(counts, place, relevant, NULL, 0);
}

static struct usercounts_view view_of(struct usercounts *counts, uint32_t place)
{
    struct usercounts_view view;

    usercounts_view(counts, place, &view);
    return view;
}

static void says_nothing(struct usercounts *counts, uint32_t place)
{
    struct usercounts_view view = view_of(counts, place);

    assert_true(view.users == 0 && view.signatures == 0 && view.locality == 0);
}

static void nothing_is_said_while_all_pages_are_alike(void **state)
{
    struct trace *trace = trace_of("a 0, a 1, a 2, b 0, b 2, b 3");

    (void)state;
    for (int relevant = 0; relevant < 2; relevant++) {
        struct usercounts counts = usercounts_with(trace, (struct usercounts_options){.locality = 5}, 0);

        says_nothing(&counts, 2);
        learn(&counts, 0, relevant);
        says_nothing(&counts, 2);
        learn(&counts, USERCOUNTS_NONE, relevant);
        says_nothing(&counts, 2);
        assert_true(ratios_significance(&counts.known, 1, relevant) == 0);
        usercounts_release(&counts);
    }
    trace_free(trace);
}

/* a: pages 0 (relevant), 1 and the candidate 2; b: 0 and the candidate; c: the candidate alone; d nothing of it. N = 4,
 * n(U) = 1, P = 1/4. */
static struct usercounts four_pages(struct trace *trace, struct usercounts_options options, double t)
{
    struct usercounts counts = usercounts_with(trace, options, t);

    learn(&counts, 0, true);
    learn(&counts, 1, false);
    learn(&counts, USERCOUNTS_NONE, false);
    learn(&counts, 3, false);
    return counts;
}

static const char people[] = "a 0, a 1, a 2, b 0, b 2, c 2, d 3, d 3";

static void users_count_by_how_much_they_differ(void **state)
{
    struct trace *trace = trace_of(people);
    struct usercounts counts = four_pages(trace, (struct usercounts_options){0}, .8);
    struct usercounts_view view = view_of(&counts, 2);

    (void)state;
    /* (Aggarwal, 10) with n(R_i): a |1/2 - 1/4| / sqrt(3/16 / 2), b |1 - 1/4| / sqrt(3/16) */
    assert_close(ratios_significance(&counts.known, 2, 1), .816496581);
    assert_close(ratios_significance(&counts.known, 1, 1), 1.732050808);
    assert_true(ratios_significance(&counts.known, 0, 0) == 0);
    /* a (1 + 1/4)/(2 + 1)/(1/4) = 5/3, b (1 + 1/4)/(1 + 1)/(1/4) = 5/2; c looked at no crawled page */
    assert_close(view.users, log(5. / 3) + log(5. / 2));
    assert_int_equal(view.significant, 2);
    assert_int_equal(view.visitors, 3);
    usercounts_release(&counts);

    counts = four_pages(trace, (struct usercounts_options){0}, 1.5);
    assert_close(view_of(&counts, 2).users, log(5. / 2)); /* b alone is significant */
    usercounts_release(&counts);
    counts = four_pages(trace, (struct usercounts_options){.users = 1}, .8);
    assert_close(view_of(&counts, 2).users, log(5. / 2)); /* and the most significant one */
    assert_int_equal(view_of(&counts, 2).significant, 1);
    usercounts_release(&counts);
    counts = four_pages(trace, (struct usercounts_options){0}, 2);
    assert_true(view_of(&counts, 2).users == 0);
    usercounts_release(&counts);
    trace_free(trace);
}

static void printed_significance_divides_by_all_pages(void **state)
{
    struct trace *trace = trace_of(people);
    struct usercounts counts = four_pages(trace, (struct usercounts_options){.printed_n = true}, 2);

    (void)state;
    /* (Aggarwal, 10): |1/2 - 1/4| / sqrt(3/16 / 4) and |1 - 1/4| / the same */
    assert_close(ratios_significance(&counts.known, 2, 1), 1.154700538);
    assert_close(ratios_significance(&counts.known, 1, 1), 3.464101615);
    assert_close(view_of(&counts, 2).users, log(5. / 2));
    usercounts_release(&counts);
    trace_free(trace);
}

/* A user who looked at one page can tell where that page alone was crawled, and speaks against others of no one. */
static void a_user_counts_a_page_once_and_a_ratio_is_clipped(void **state)
{
    struct trace *trace = trace_of("a 0, a 0, a 0, a 1, b 2");
    struct usercounts counts = usercounts_with(trace, (struct usercounts_options){0}, 0);

    (void)state;
    learn(&counts, 0, true);
    learn(&counts, 0, true); /* examined again under another URL: a page more, but not of a user */
    for (int i = 0; i < 98; i++)
        learn(&counts, USERCOUNTS_NONE, false);
    assert_int_equal(counts.users.counts[counts.by_user[0].feature - 1].pages, 1);
    /* P = 2/100: (1 + .02)/2/.02 = 25.5, and its log 3.24 is clipped to 3 */
    assert_close(view_of(&counts, 1).users, 3);
    learn(&counts, 2, false);
    assert_int_equal(counts.users.count, 2);
    usercounts_release(&counts);
    trace_free(trace);
}

/* ---- temporal locality ---- */

static void pages_around_relevant_accesses_are_near(void **state)
{
    struct trace *trace = trace_of("a 0, a 1, a 2, a 3, a 4, a 5, b 3, b 6");
    struct usercounts counts = usercounts_with(trace, (struct usercounts_options){.locality = 1}, 2);

    (void)state;
    learn(&counts, 3, true); /* TL = {2, 4, 6} */
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(view_of(&counts, i).inside, i == 2 || i == 4 || i == 6);
    learn(&counts, 4, true);  /* inside; TL = {2, 3, 4, 5, 6}, so that 3 is inside too */
    learn(&counts, 2, false); /* inside */
    learn(&counts, 0, false); /* outside */
    learn(&counts, USERCOUNTS_NONE, false); /* nobody knows when people would look at it */
    assert_true(counts.inside[0] == 3 && counts.inside[1] == 2 && counts.outside[0] == 1 && counts.outside[1] == 0);
    /* P = 2/5. (12): (2 + 2/5)/(3 + 1)/(2/5) = 3/2; (13): (0 + 2/5)/(1 + 1)/(2/5) = 1/2 */
    assert_close(view_of(&counts, 5).locality, log(1.5));
    assert_close(view_of(&counts, 1).locality, log(.5));
    assert_int_equal(view_of(&counts, 5).neighbours, 3);
    assert_int_equal(view_of(&counts, 5).relevant, 2);
    usercounts_release(&counts);
    trace_free(trace);
}

static void a_page_is_not_near_itself(void **state)
{
    struct trace *trace = trace_of("a 0, a 0, a 1, a 0, b 2, b 2");
    struct usercounts counts = usercounts_with(trace, (struct usercounts_options){.locality = 5}, 2);

    (void)state;
    learn(&counts, 0, true);
    learn(&counts, 2, true);
    assert_false(view_of(&counts, 0).inside);
    assert_false(view_of(&counts, 2).inside);
    assert_true(view_of(&counts, 1).inside);
    learn(&counts, 1, true); /* now 0 is near, to page 1 */
    assert_true(view_of(&counts, 0).inside);
    assert_true(counts.inside[0] == 2 && counts.inside[1] == 2 && counts.outside[0] == 1 && counts.outside[1] == 1);
    usercounts_release(&counts);
    trace_free(trace);
}

static void nothing_is_near_across_sessions_and_users(void **state)
{
    static const char log[] = "1000 a http://t.test/0\n2000 a http://t.test/1\n"
                              "3801 a http://t.test/2\n1500 b http://t.test/3\n";
    struct trace *trace = trace_of_text(log, keeping_users());
    struct usercounts counts = usercounts_with(trace, (struct usercounts_options){.locality = 5}, 2);

    (void)state;
    learn(&counts, 0, true);
    learn(&counts, USERCOUNTS_NONE, false);
    assert_true(view_of(&counts, 1).inside);
    assert_false(view_of(&counts, 2).inside); /* 30 minutes and a second later */
    assert_false(view_of(&counts, 3).inside);
    /* no crawled page is near yet: (0 + P)/(0 + 1)/P = 1 */
    assert_true(view_of(&counts, 1).locality == 0);
    usercounts_release(&counts);
    trace_free(trace);
}

/* Where all crawled pages are near, they are relevant as often as all crawled pages: for any N and n(U) that says
 * nothing. */
static void a_share_like_everywhere_says_nothing_at_all(void **state)
{
    struct trace *trace = trace_of("a 0, a 1");

    (void)state;
    for (double pages = 2; pages < 60; pages++)
        for (double relevant = 1; relevant < pages; relevant++) {
            struct usercounts counts = usercounts_with(trace, (struct usercounts_options){.locality = 5}, 2);

            counts.known.pages = counts.outside[0] = pages;
            counts.known.relevant = counts.outside[1] = relevant;
            assert_true(view_of(&counts, 0).locality == 0);
            usercounts_release(&counts);
        }
    trace_free(trace);
}

/* ---- signatures ---- */

static void users_are_like_the_signs_of_their_pages(void **state)
{
    enum { HOCKEY = 7, RARE = 8, COMMON = 9 };
    struct trace *trace = trace_of("a 0, a 1, a 9, b 2, b 9");
    struct usercounts counts = usercounts_with(trace, (struct usercounts_options){0}, 1);
    double hockey;

    (void)state;
    usercounts_learn(&counts, 0, true, (const uint64_t[]){HOCKEY, COMMON}, 2);
    usercounts_learn(&counts, 1, false, (const uint64_t[]){COMMON, COMMON}, 2);
    usercounts_learn(&counts, 2, true, (const uint64_t[]){HOCKEY, RARE, COMMON}, 3);
    usercounts_learn(&counts, USERCOUNTS_NONE, true, (const uint64_t[]){HOCKEY, COMMON}, 2);
    for (int i = 0; i < 6; i++)
        usercounts_learn(&counts, USERCOUNTS_NONE, false, (const uint64_t[]){COMMON}, 1);
    /* N = 10, P = .3. HOCKEY: 3 pages, all relevant: (3 + .3)/(3 + 1)/.3 = 2.75, T = .7/sqrt(.21/3) = 2.65. RARE is on
     * one page, COMMON on all of them, 3 relevant: T = 0. */
    hockey = log(2.75);
    /* a: page 0 has HOCKEY and COMMON, page 1 COMMON: (log 2.75 + 0 + 0)/3, but T = .2/sqrt(.21/2) < 1: it does not
     * count. b: page 2: log 2.75 / 3, and T = .7/sqrt(.21) = 1.53. */
    assert_close(view_of(&counts, 3).signatures, hockey / 3);
    assert_close(view_of(&counts, 3).users, log(1.3 / 2 / .3));
    counts.known.t = .5;
    counts.observed++; /* nothing is kept of what was computed with the other t */
    /* a counts now: log 2.75 / 3; COMMON still does not (T = 0) */
    assert_close(view_of(&counts, 3).signatures, hockey / 3 + hockey / 3);
    assert_int_equal(view_of(&counts, 3).informative, 2);
    usercounts_release(&counts);
    trace_free(trace);
}

/* ---- keeping ---- */

static uint32_t find(const void *ctx, uint64_t key)
{
    const struct trace *trace = ctx;

    for (uint32_t i = 0; i < trace_size(trace).pages; i++)
        if (usercounts_key(trace_url(trace, i)) == key)
            return i;
    return USERCOUNTS_NONE;
}

static void what_is_kept_fits_a_trace_that_has_grown(void **state)
{
    struct trace *trace = trace_of(people), *grown = trace_of("a 0, a 1, a 2, b 0, b 2, c 2, d 3, d 3, c 1, c 00, e 0, e 2");
    struct usercounts counts = four_pages(trace, (struct usercounts_options){.locality = 5}, .8), later, fresh;
    struct usercounts_view view, want;
    struct buf blob;
    struct bytes rest;

    (void)state;
    buf_init(&blob, 0);
    usercounts_save(&counts, &blob);
    later = usercounts_with(trace, (struct usercounts_options){.locality = 5}, .8);
    rest = bytes_of(buf_str(&blob));
    usercounts_load(&later, &rest, find, trace);
    assert_true(!rest.wrong && bytes_left(&rest) == 0);
    view = view_of(&later, 2);
    want = view_of(&counts, 2);
    assert_true(view.users == want.users && view.locality == want.locality && view.significant == want.significant);
    usercounts_release(&later);

    /* Page 1 is number 2 there. */
    later = usercounts_with(grown, (struct usercounts_options){.locality = 5}, .8);
    rest = bytes_of(buf_str(&blob));
    usercounts_load(&later, &rest, find, grown);
    assert_true(!rest.wrong && bytes_left(&rest) == 0);
    fresh = usercounts_with(grown, (struct usercounts_options){.locality = 5}, .8);
    learn(&fresh, 0, true);
    learn(&fresh, 2, false);
    learn(&fresh, USERCOUNTS_NONE, false);
    learn(&fresh, 4, false);
    view = view_of(&later, 3);
    want = view_of(&fresh, 3);
    assert_close(view.users, want.users);
    assert_close(view.locality, want.locality);
    assert_int_equal(view.significant, 3); /* a, b, and e, whom the old trace did not know; c, by page 1, does not tell */
    usercounts_release(&later);
    usercounts_release(&fresh);
    usercounts_release(&counts);
    buf_release(&blob);
    trace_free(trace);
    trace_free(grown);
}

/* Half of what was learned of a and b, in a trace of other pages. */
static void users_are_known_again_in_another_trace(void **state)
{
    struct trace *trace = trace_of(people), *other = trace_of("a 7, b 8, x 8");
    struct usercounts counts = four_pages(trace, (struct usercounts_options){.locality = 5}, .8);
    struct usercounts later = usercounts_with(other, (struct usercounts_options){.locality = 5}, .5);
    struct bytes in;
    struct buf blob;

    (void)state;
    buf_init(&blob, 0);
    usercounts_learned(&counts, &blob);
    in = bytes_of(buf_str(&blob));
    usercounts_recall(&later, &in, .5);
    assert_true(!in.wrong && bytes_left(&in) == 0);
    /* N = 2, n(U) = 1/2, P = 1/4 still. a has 1 page, 1/2 relevant, T = 1/4/sqrt(3/16) = .58; b 1/2 and 1/2, T =
     * 1.22 */
    assert_close(view_of(&later, 0).users, log(.75 / 2 / .25));
    assert_close(view_of(&later, 1).users, log(.75 / 1.5 / .25));
    assert_int_equal(view_of(&later, 1).visitors, 2); /* x is new */
    assert_true(view_of(&later, 0).signatures == 0);       /* no page of theirs was crawled */
    /* Then: page 0 was alone inside TL (no), page 1 near it, 3 of another user: near {1: not relevant}, far {0, 3}. */
    assert_true(later.inside[0] == .5 && later.inside[1] == 0 && later.outside[0] == 1 && later.outside[1] == .5);
    learn(&later, 0, true);
    assert_true(later.outside[0] == 2 && later.known.pages == 3 && later.observed == 1);
    usercounts_release(&later);
    usercounts_release(&counts);
    buf_release(&blob);
    trace_free(trace);
    trace_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_while_all_pages_are_alike),
        cmocka_unit_test(users_count_by_how_much_they_differ),
        cmocka_unit_test(printed_significance_divides_by_all_pages),
        cmocka_unit_test(a_user_counts_a_page_once_and_a_ratio_is_clipped),
        cmocka_unit_test(pages_around_relevant_accesses_are_near),
        cmocka_unit_test(a_page_is_not_near_itself),
        cmocka_unit_test(nothing_is_near_across_sessions_and_users),
        cmocka_unit_test(a_share_like_everywhere_says_nothing_at_all),
        cmocka_unit_test(users_are_like_the_signs_of_their_pages),
        cmocka_unit_test(what_is_kept_fits_a_trace_that_has_grown),
        cmocka_unit_test(users_are_known_again_in_another_trace),
    };

    return cmocka_run_group_tests_name("strategy/usercounts", tests, NULL, NULL);
}
