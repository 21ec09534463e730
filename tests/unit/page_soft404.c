#include "page/soft404.h"
#include "page_fixture.h"

static struct soft404 *soft404;

static int start(void **state)
{
    (void)state;
    soft404 = soft404_new();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    soft404_free(soft404);
    return 0;
}

static struct soft404_verdict judge_at(const char *href, const char *html)
{
    struct page_fixture fixture = {0};
    struct page page = *fixture_html(&fixture, html);
    struct soft404_verdict verdict;

    assert_int_equal(url_parse(&fixture.arena, str_of(href), NULL, &page.url), SCENT_OK);
    verdict = soft404_judge(soft404, &page);
    fixture_release(&fixture);
    assert_true(verdict.score >= 0 && verdict.score <= 1);
    return verdict;
}

#define MENU "<ul><li>Home<li>Products<li>About us<li>Contact<li>Press<li>Careers<li>Imprint<li>Terms<li>Privacy</ul>"
#define PROSE                                                                                                         \
    "<p>Rivers carry sand and clay from the hills to the sea, and where they slow down they drop what they carry. "   \
    "So the plains grew over thousands of years, a hand's breadth in a lifetime, and so the harbours of antiquity "   \
    "came to lie far inland, among fields and orchards. The people who live there dig wells and find shells.</p>"
#define LONG PROSE PROSE PROSE PROSE PROSE PROSE PROSE PROSE PROSE PROSE PROSE PROSE PROSE PROSE

static void error_pages(void **state)
{
    static const char *const cases[][2] = {
        {"http://h/x", "<title>Page not found</title><h1>Page not found</h1><p>Sorry."},
        {"http://h/x", "<title>404 Not Found | Example</title>" MENU "<p>Nothing here."},
        {"http://h/x", "<title>Example</title>" MENU "<h1>We can’t find that page</h1><p>Try the search."},
        {"http://h/x", "<title>Example shop</title><h2>Error 404</h2>" MENU},
        {"http://h/x", "<title>404</title><h1>404</h1><p>Back to the start"},
        {"http://h/404.html", "<title>Example</title>" MENU "<p>The page you are looking for might have been removed."},
        {"http://h/x", "<title>Example</title><meta name=robots content=noindex><p>Oops! The page you requested is gone."},
        {"http://h/x", "<title>Página no encontrada</title>" MENU},
        {"http://h/x", "<title>Example - PÁGINA NÃO ENCONTRADA</title>" MENU},
        {"http://h/x", "<title>Страница не найдена</title>" MENU},
        {"http://h/x", "<title>Firma</title><h1>Diese Seite wurde nicht gefunden</h1>" MENU},
        {"http://h/x", "<title>Page introuvable - Exemple</title>" MENU},
        {"http://h/x", "<title>Cette page n'existe pas</title>" MENU},
        {"http://h/x", "<title>您访问的页面不存在</title>" MENU},
        {"http://h/x", "<title>Example</title><h1>找不到頁面</h1>"},
        {"http://h/x", "<title>お探しのページが見つかりません</title>" MENU},
        {"http://h/x", "<title>الصفحة غير موجودة</title>" MENU},
        {"http://h/x", "<title>पृष्ठ नहीं मिला</title>" MENU},
        {"http://h/x", "<title>페이지를 찾을 수 없습니다</title>" MENU},
        {"http://h/x", "<title>Pagina non trovata</title>" MENU},
        {"http://h/x", "<title>Sayfa bulunamadı</title>" MENU},
        /* with a menu as long as an article */
        {"http://h/x", "<title>Page not found</title>" PROSE PROSE PROSE PROSE PROSE "<h1>Page not found</h1>"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double score = judge_at(cases[i][0], cases[i][1]).score;

        if (score < SOFT404_THRESHOLD)
            fail_msg("%.2f for %s", score, cases[i][1]);
    }
}

static void real_pages(void **state)
{
    static const char *const cases[][2] = {
        {"http://h/x", ""},
        {"http://h/x", "<p>Hello"},
        {"http://h/x", "<meta name=robots content=noindex><title>Example</title>"},
        {"http://h/404.html", "<meta name=robots content=noindex><title>Example</title><p>For rent."},
        {"http://h/flats/404", "<title>Flat 404</title><p>For rent." PROSE},
        {"http://h/cars/404", "<title>Peugeot 404</title><h1>Peugeot 404</h1>" PROSE},
        {"http://h/x", "<title>Peugeot 404</title><h1>Peugeot 404</h1><p>The Peugeot 404 is a large family car that was "
                       "made from 1960 to 1975 in France and, under licence, in many other countries of the world."},
        {"http://h/wiki/HTTP_404", "<title>HTTP 404 - Wikipedia</title><h1>HTTP 404</h1><p>The error message page not "
                                   "found is a standard response code." LONG},
        {"http://h/x", "<title>Why your visitors see page not found and seven ways to help them</title>" LONG},
        {"http://h/x", "<title>Custom error pages</title><h1>Error pages</h1>" PROSE},
        {"http://h/x", "<title>Lost and found</title><h1>Not found in the lake</h1>" PROSE},
        {"http://h/x", "<title>Rivers</title>" PROSE "<p>The page you are looking for in old atlases is torn out."},
        {"http://h/x", "<title>Oops</title><p>A film of 1999." PROSE},
        {"http://h/x", "<title>Das verschollene Bild wurde nicht gefunden</title>" PROSE},
        {"http://h/error-handling", "<title>Error handling</title><h1>Error handling</h1>" PROSE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double score = judge_at(cases[i][0], cases[i][1]).score;

        if (score >= SOFT404_THRESHOLD)
            fail_msg("%.2f for %s", score, cases[i][1]);
    }
}

static void reasons_are_told(void **state)
{
    struct soft404_verdict verdict = judge_at("http://h/Not-Found.aspx", "<title>Error 404</title><h1>Page not found</h1>"
                                                                         "<meta name=robots content=noindex>");
    char list[64], small[10];

    (void)state;
    assert_int_equal(verdict.reasons, SOFT404_REASONS - 1);
    soft404_list(verdict.reasons, list, sizeof list);
    assert_string_equal(list, "title, heading, text, url, noindex, short");
    soft404_list(SOFT404_URL, list, sizeof list);
    assert_string_equal(list, "url");
    soft404_list(0, list, sizeof list);
    assert_string_equal(list, "");
    soft404_list(verdict.reasons, small, sizeof small);
    assert_string_equal(small, "title, he");
}

static void names_of_error_pages(void **state)
{
    static const char *const yes[] = {"http://h/404", "http://h/a/404.html", "http://h/page-not-found/", "http://h/error_404.php"};
    static const char *const no[] = {"http://h/4040", "http://h/a404", "http://h/", "http://h/errors", "http://404.test/",
                                     "http://h/?404", "http://h/page-not-found-and-other-stories-of-the-web"};

    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(judge_at(yes[i], "").reasons & SOFT404_URL);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(judge_at(no[i], "").reasons & SOFT404_URL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_pages),          cmocka_unit_test(real_pages),
        cmocka_unit_test(reasons_are_told),     cmocka_unit_test(names_of_error_pages),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
