/* The frequencies that are part of the program: whole, in order, under the stems that pages are given, and sane. */
#include "test.h"
#include "text/background.h"
#include "text/text.h"

static const char *const langs[] = {"en", "de", "fr", "es"};

static uint32_t frequency(const char *lang, const char *word)
{
    struct text_stemmer *stemmer = text_stemmer_new();
    uint64_t stem = text_stem_hash(stemmer, str_of(lang), str_of(word), text_word_hash(str_of(word)));

    text_stemmer_free(stemmer);
    return background_frequency(background_for(str_of(lang)), stem);
}

static void test_every_language_is_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof langs / sizeof *langs; i++) {
        const struct background *background = background_for(str_of(langs[i]));
        const struct background_term *terms;
        size_t count;

        assert_non_null(background);
        assert_ptr_equal(background, background_for(str_of(langs[i])));
        terms = background_terms(background, &count);
        assert_true(count >= 4000 && count <= 30000);
        assert_true(terms[0].df < background_documents(background));
        for (size_t j = 0; j < count; j++) {
            assert_true(j == 0 || terms[j].df <= terms[j - 1].df);
            assert_true(terms[j].df > 0 && terms[j].tf >= 1);
            assert_true(terms[j].text.len > 1);
            for (size_t k = 0; k < terms[j].text.len; k++)
                assert_true(terms[j].text.p[k] < '0' || terms[j].text.p[k] > '9');
            assert_int_equal(background_frequency(background, terms[j].stem), terms[j].df); /* no stem twice */
        }
    }
    assert_null(background_for(STR("xx")));
    assert_null(background_for(STR("")));
    assert_null(background_for(STR("eng")));
}

/* The stems are those of text_stem_hash(), so that words of a page are found, in every form. */
static void test_words_of_pages_are_found(void **state)
{
    (void)state;
    assert_int_equal(frequency("en", "networks"), frequency("en", "network"));
    assert_true(frequency("en", "networks") > 0);
    assert_true(frequency("de", "netzwerke") > 0);
    assert_true(frequency("fr", "fichiers") > 0);
    assert_true(frequency("es", "archivos") > 0);
    assert_int_equal(frequency("en", "qwxyzzy"), 0);
}

static void test_telling_words_are_rarer(void **state)
{
    const struct background *en = background_for(STR("en"));

    (void)state;
    assert_true(frequency("en", "example") > 4 * frequency("en", "server"));
    assert_true(frequency("en", "server") > 2 * frequency("en", "socket"));
    assert_true(frequency("en", "king") > 0 && frequency("en", "parliament") > 0); /* not documentation alone */
    /* a project's own name is common in its documentation alone */
    assert_true(frequency("en", "postgresql") < background_documents(en) / 20);
    assert_true(frequency("en", "boost") < background_documents(en) / 20);
}

static void test_idf(void **state)
{
    const struct background *en = background_for(STR("en"));
    const struct background_term *terms;
    size_t count;

    (void)state;
    terms = background_terms(en, &count);
    assert_true(background_idf(en, terms[0].stem) == text_idf(background_documents(en), terms[0].df));
    for (size_t i = 0; i < count; i++)
        assert_true(background_idf(en, terms[i].stem) < background_idf(en, text_word_hash(STR("qwxyzzy"))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_language_is_whole),
        cmocka_unit_test(test_words_of_pages_are_found),
        cmocka_unit_test(test_telling_words_are_rarer),
        cmocka_unit_test(test_idf),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
