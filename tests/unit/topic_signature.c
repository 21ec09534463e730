/* similar(): the words that set seeds apart, weighed by the background, on a scale from any page to the seeds. */
#include "topic/centroid.h"
#include "topic/signature.h"
#include "topic_sample.h"

#include <math.h>

#define SOCKETS                                                                                                        \
    "a socket is an endpoint of a connection: the server binds a socket to an address and a port, listens, and "       \
    "accepts connections; the client connects a socket and both use it to send and receive data in many ways"

struct fixture {
    struct arena arena;
    struct centroid seeds;
    struct signature signature;
};

static struct page page_of(struct fixture *f, const char *lang, const char *text)
{
    struct page page;

    sample_page(&f->arena, "https://a.test/", lang, "", text, &page);
    return page;
}

static void set_up(struct fixture *f, const char *lang, const char *const *texts, size_t count)
{
    arena_init(&f->arena, 1 << 20);
    centroid_init(&f->seeds);
    for (size_t i = 0; i < count; i++) {
        struct page page = page_of(f, lang, texts[i]);

        assert_int_equal(centroid_add_page(&f->seeds, &page), SCENT_OK);
    }
    signature_init(&f->signature, &f->seeds);
}

static void tear_down(struct fixture *f)
{
    centroid_release(&f->seeds);
    arena_release(&f->arena);
}

static double likeness(struct fixture *f, const char *lang, const char *text)
{
    struct page page = page_of(f, lang, text);

    return signature_likeness(&f->signature, &page);
}

static void telling_words_count_and_common_ones_do_not(void **state)
{
    static const char *const seed[] = {SOCKETS};
    struct fixture f;
    double same, near, prose;
    size_t heaviest = 0;

    (void)state;
    set_up(&f, "en", seed, 1);
    same = likeness(&f, "en", SOCKETS);
    near = likeness(&f, "en", "every socket of the server has a port; sockets are closed when the program ends");
    /* seven words in common with the seed, none of which tells anything */
    prose = likeness(&f, "en", "many people use data in both ways, and the connection of address and use is known to "
                               "all who receive and send letters to each other over the years of their lives");
    assert_true(fabs(same - 1) < 1e-9);
    assert_true(near > SIGNATURE_THRESHOLD && near < 1);
    assert_true(prose < near);
    assert_true(likeness(&f, "en", "potatoes and soup for six hungry guests") == 0);
    assert_true(likeness(&f, "en", "") == 0);
    for (size_t i = 0; i < f.signature.count; i++)
        heaviest = f.signature.words[i].weight > f.signature.words[heaviest].weight ? i : heaviest;
    assert_true(text_word_hash(STR("socket")) == f.signature.words[heaviest].stem);
    tear_down(&f);
}

static double weight_of(const struct signature *signature, struct str stem)
{
    for (size_t i = 0; i < signature->count; i++)
        if (signature->words[i].stem == text_word_hash(stem))
            return signature->words[i].weight;
    return 0;
}

/* "socket" tells a quarter on www.sockets-guide.co.uk of what it tells elsewhere; "co" and "uk" are not names. */
static void the_name_of_the_site_tells_little(void **state)
{
    static const char text[] = "the socket of a server in the uk";
    static const char *const hosts[] = {"https://a.test/", "https://www.sockets-guide.co.uk/"};
    double of_server[2], of_country[2];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        struct page page;

        set_up(&f, "en", NULL, 0);
        sample_page(&f.arena, hosts[i], "en", "", text, &page);
        assert_int_equal(centroid_add_page(&f.seeds, &page), SCENT_OK);
        signature_init(&f.signature, &f.seeds);
        of_server[i] = weight_of(&f.signature, STR("socket")) / weight_of(&f.signature, STR("server"));
        of_country[i] = weight_of(&f.signature, STR("uk")) / weight_of(&f.signature, STR("server"));
        tear_down(&f);
    }
    assert_true(of_server[0] > 1 && of_country[0] > 0);
    assert_true(fabs(of_server[1] - of_server[0] / 4) < 1e-3);
    assert_true(fabs(of_country[1] - of_country[0]) < 1e-3);
}

static void numbers_and_letters_are_not_telling(void **state)
{
    static const char *const seed[] = {"v2 v2 v2 v2 x x x x 4711 4711 4711 socket"};
    struct fixture f;

    (void)state;
    set_up(&f, "en", seed, 1);
    assert_int_equal(f.signature.count, 1);
    assert_true(likeness(&f, "en", "v2 x 4711 and v2") == 0);
    assert_true(likeness(&f, "en", "socket") == 1);
    tear_down(&f);
}

/* The mean of the seeds is 1, whatever sets one of them apart from the others. */
static void the_scale_ends_at_the_mean_of_the_seeds(void **state)
{
    static const char *const seeds[] = {SOCKETS, "a datagram socket sends packets without a connection", "network sockets"};
    struct fixture f;
    double sum = 0;

    (void)state;
    set_up(&f, "en", seeds, 3);
    for (size_t i = 0; i < 3; i++) {
        struct page page = page_of(&f, "en", seeds[i]);
        double length = 0;

        for (uint32_t j = 0; j < page.nbag; j++)
            length += page.bag[j].tf;
        for (size_t j = 0; j < f.signature.count; j++) {
            const struct page_term *term = page_find_term(&page, f.signature.words[j].stem);

            sum += term ? f.signature.words[j].weight * sqrt(term->tf / length) : 0;
        }
    }
    assert_true(fabs(sum / 3 - f.signature.seeds) < 1e-9);
    assert_true(f.signature.any > 0 && f.signature.any < f.signature.seeds / 20);
    assert_int_equal(f.signature.pages, 3);
    tear_down(&f);
}

static void other_languages_have_their_own_background_or_none(void **state)
{
    static const char *const german[] = {"der Server und die Datei: eine Datei kann man auch auf dem Server speichern, die "
                                         "Quarkbällchen aber nicht"};
    static const char *const welsh[] = {"mae'r ci yn rhedeg ar draws y ffordd yn gyflym iawn"};
    struct fixture f;

    (void)state;
    set_up(&f, "de", german, 1);
    assert_true(likeness(&f, "de", "Quarkbällchen") > likeness(&f, "de", "Datei"));
    tear_down(&f);
    set_up(&f, "cy", welsh, 1);
    assert_true(likeness(&f, "cy", "ci yn rhedeg") > SIGNATURE_THRESHOLD);
    assert_true(f.signature.any == 0);
    tear_down(&f);
}

/* A page that may not be archived is kept as stems, which must say the same as the page. */
static void what_is_kept_says_the_same(void **state)
{
    static const char *const seed[] = {SOCKETS};
    struct fixture f, g;
    struct text_weight old[] = {{10, .6}, {20, .8}};
    struct page page;
    struct signature again;
    struct str kept;

    (void)state;
    set_up(&f, "en", seed, 1);
    set_up(&g, "en", NULL, 0);
    page = page_of(&f, "en", SOCKETS);
    assert_int_equal(centroid_keep_page(&page, &f.arena, &kept), SCENT_OK);
    assert_int_equal(centroid_add_kept(&g.seeds, kept), SCENT_OK);
    signature_init(&again, &g.seeds);
    assert_int_equal(signature_digest(&again), signature_digest(&f.signature));
    assert_int_not_equal(signature_digest(&again), signature_digest(&g.signature)); /* of none */
    assert_int_equal(g.seeds.count, f.seeds.count);
    /* weights alone, as they were kept before: strategies have them, similar() has not */
    assert_int_equal(centroid_add_kept(&g.seeds, (struct str){(const char *)old, sizeof old}), SCENT_OK);
    assert_int_equal(g.seeds.count, f.seeds.count + 2);
    assert_int_equal(g.seeds.pages, 1);
    /* a damaged end is not read */
    assert_int_equal(centroid_add_kept(&g.seeds, str_sub(kept, 0, kept.len - 3)), SCENT_OK);
    assert_int_equal(centroid_add_kept(&g.seeds, STR("exam")), SCENT_OK);
    tear_down(&f);
    tear_down(&g);
}

static void the_words_are_named(void **state)
{
    static const char *const seed[] = {SOCKETS};
    struct fixture f;
    struct page page;
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    set_up(&f, "en", seed, 1);
    page = page_of(&f, "en", "Sockets of a server");
    signature_explain(&f.signature, &page, 2, &out);
    assert_non_null(strstr(buf_z(&out), "any page by the background (0)"));
    assert_non_null(strstr(buf_z(&out), "the seed (1); more than 0.12 is similar\n  by sockets "));
    assert_non_null(strstr(buf_z(&out), ", server "));
    tear_down(&f);
    set_up(&f, "en", NULL, 0);
    buf_clear(&out);
    page = page_of(&f, "en", "Sockets of a server");
    signature_explain(&f.signature, &page, 2, &out);
    assert_string_equal(buf_z(&out), "  there is no page of a seed yet\n");
    tear_down(&f);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(telling_words_count_and_common_ones_do_not),
        cmocka_unit_test(the_name_of_the_site_tells_little),
        cmocka_unit_test(numbers_and_letters_are_not_telling),
        cmocka_unit_test(the_scale_ends_at_the_mean_of_the_seeds),
        cmocka_unit_test(other_languages_have_their_own_background_or_none),
        cmocka_unit_test(what_is_kept_says_the_same),
        cmocka_unit_test(the_words_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
