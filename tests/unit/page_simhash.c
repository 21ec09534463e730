#include "base/rng.h"
#include "page/simhash.h"
#include "page_fixture.h"

enum { WORDS = 400 };

static uint64_t simhash_of(const char *html)
{
    struct page_fixture fixture = {0};
    uint64_t simhash = page_simhash(fixture_html(&fixture, html));

    fixture_release(&fixture);
    return simhash;
}

/* Pronounceable words that no language has, so that none is a stop word. */
static void add_word(struct buf *out, uint64_t number)
{
    static const char consonants[] = "bdfgklmnprstvz", vowels[] = "aeiou";

    for (int i = 0; i < 4; i++, number /= 70) {
        buf_addc(out, consonants[number % 14]);
        buf_addc(out, vowels[number / 14 % 5]);
    }
    buf_addc(out, ' ');
}

/* A text drawn from `seed`, its words [from, from + changed) drawn from another. */
static uint64_t text_simhash(uint64_t seed, uint32_t words, uint32_t from, uint32_t changed)
{
    struct rng rng, other;
    struct buf html;
    uint64_t simhash;

    buf_init(&html, 0);
    rng_seed(&rng, seed);
    rng_seed(&other, seed + 1000);
    for (uint32_t i = 0; i < words; i++) {
        uint64_t word = rng_below(&rng, 5000), another = rng_below(&other, 5000);

        add_word(&html, i >= from && i < from + changed ? another : word);
    }
    simhash = simhash_of(buf_z(&html));
    buf_release(&html);
    return simhash;
}

static unsigned mean_distance(uint32_t changed)
{
    unsigned sum = 0;

    for (uint64_t seed = 1; seed <= 20; seed++)
        sum += simhash_distance(text_simhash(seed, WORDS, 0, 0), text_simhash(seed, WORDS, 100, changed));
    return sum / 20;
}

static void distance_grows_with_change(void **state)
{
    (void)state;
    assert_int_equal(mean_distance(0), 0);
    assert_in_range(mean_distance(2), 1, 4);
    assert_in_range(mean_distance(40), 5, 14);
    assert_in_range(mean_distance(WORDS - 100), 20, 32);
}

static void unrelated_texts_are_far(void **state)
{
    unsigned sum = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        unsigned distance = simhash_distance(text_simhash(seed, WORDS, 0, 0), text_simhash(seed + 50, WORDS, 0, 0));

        assert_true(distance > 12);
        sum += distance;
    }
    assert_in_range(sum / 50, 30, 34);
}

/* The counts are those of a plain loop: one word more than a block, a block, one less, and many. */
static void agrees_with_a_plain_count(void **state)
{
    (void)state;
    for (uint32_t nwords = SIMHASH_MIN_WORDS; nwords < 1600; nwords += nwords < 100 ? 1 : nwords % 512 < 500 ? 37 : 1) {
        static struct page_word words[1600];
        struct page page = {.words = words, .nwords = nwords};
        int64_t margin[64] = {0};
        uint64_t want = 0;
        struct rng rng;

        rng_seed(&rng, nwords);
        for (uint32_t i = 0; i < nwords; i++)
            words[i].stem = (rng_next(&rng) & rng_next(&rng)) | (uint64_t)1 << 63;
        for (uint32_t i = 0; i < nwords; i++) {
            uint64_t run = i < 2 ? 0 : words[i - 2].stem ^ (words[i - 1].stem << 21 | words[i - 1].stem >> 43) ^
                                           (words[i].stem << 42 | words[i].stem >> 22);

            run *= 0x9E3779B97F4A7C15u;
            run ^= run >> 32;
            for (int bit = 0; bit < 64; bit++) {
                margin[bit] += words[i].stem >> bit & 1 ? 1 : -1;
                if (i >= 2)
                    margin[bit] += run >> bit & 1 ? 2 : -2;
            }
        }
        for (int bit = 0; bit < 64; bit++)
            want |= (uint64_t)(margin[bit] > 0) << bit;
        assert_true(page_simhash(&page) == want);
    }
}

#define LIST                                                                                                          \
    "<p>alpha beta gamma delta epsilon zeta eta theta iota kappa lambda sigma omega rho tau phi chi psi mercury venus " \
    "mars jupiter saturn uranus neptune pluto oxygen hydrogen carbon nitrogen sulphur iron copper silver gold lead "  \
    "oak maple birch willow poplar cedar spruce larch alder hazel rowan elder</p>"
#define STORY                                                                                                         \
    "<p>The goalkeeper stopped thirty shots while the visiting team struggled against the strong defence of the "     \
    "northern league champions, whose captain scored twice before the second interval and once again shortly after "  \
    "an injured forward returned from hospital with bandaged fingers.</p>" LIST

static void the_frame_does_not_count(void **state)
{
    uint64_t plain = simhash_of("<body>" STORY);

    (void)state;
    assert_true(plain != SIMHASH_NONE);
    assert_true(simhash_of("<body><nav>Home News Sports Weather Contact</nav>" STORY "<footer>Imprint 2026</footer>") == plain);
    assert_true(simhash_of("<body><header>Daily Planet</header>" STORY "<aside><nav>Most read today</nav> More</aside>") ==
                plain);
    assert_true(simhash_of("<body><div>Home News Sports Weather Contact</div>" STORY) != plain);
    /* A headline is no frame. */
    assert_true(simhash_of("<body><article><header>Goalkeeper wins</header>" STORY "</article>") != plain);
    /* A page that is all frame is taken as it is. */
    assert_true(simhash_of("<body><header>" STORY "</header>") == plain);
}

/* The words 1 to 100, in steps. */
static uint64_t stepped_simhash(uint64_t step)
{
    struct buf html;
    uint64_t simhash;

    buf_init(&html, 0);
    for (uint64_t i = 1; i <= 100; i++)
        add_word(&html, i * step % 101);
    simhash = simhash_of(buf_z(&html));
    buf_release(&html);
    return simhash;
}

static void order_counts(void **state)
{
    (void)state;
    assert_true(simhash_distance(stepped_simhash(1), stepped_simhash(37)) > SIMHASH_NEAR);
}

static void little_text_has_none(void **state)
{
    (void)state;
    assert_true(simhash_of("") == SIMHASH_NONE);
    assert_true(simhash_of("<p>Nothing much to read here") == SIMHASH_NONE);
    assert_true(text_simhash(1, SIMHASH_MIN_WORDS - 1, 0, 0) == SIMHASH_NONE);
    assert_true(text_simhash(1, SIMHASH_MIN_WORDS, 0, 0) != SIMHASH_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_grows_with_change), cmocka_unit_test(unrelated_texts_are_far),
        cmocka_unit_test(agrees_with_a_plain_count),  cmocka_unit_test(the_frame_does_not_count),
        cmocka_unit_test(order_counts),               cmocka_unit_test(little_text_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
