/* The languages of a generated web are told apart by those who read it. */
#include "web_sample.h"

#include "text/text.h"

/* The text of a page without its tags. */
static void strip_tags(struct str html, struct buf *out)
{
    bool inside = false;

    for (size_t i = 0; i < html.len; i++) {
        if (html.p[i] == '<')
            inside = true;
        else if (html.p[i] == '>')
            inside = false, buf_addc(out, ' ');
        else if (!inside)
            buf_addc(out, html.p[i]);
    }
}

static size_t count_right(const char *code, size_t pages)
{
    char yaml[512];
    struct web *web;
    struct arena arena;
    struct buf buf, text;
    size_t right = 0;

    snprintf(yaml, sizeof yaml, SAMPLE_CALM "hosts: 40\nlanguages: {%s: 1}\n", code);
    web = sample_open(yaml);
    arena_init(&arena, 1 << 20);
    buf_init(&buf, 0);
    buf_init(&text, 0);
    for (size_t i = 0; i < pages; i++) {
        struct web_response r = sample_get(web, web_page_url(web, i, 0, &arena), &buf);

        assert_true(sample_contains(r.body, arena_printf(&arena, "<html lang=\"%s\">", code).p));
        buf_clear(&text);
        strip_tags(sample_between(r.body, "<main>", "</main>"), &text);
        right += str_eq(text_guess_language(buf_str(&text)), str_of(code));
    }
    buf_release(&buf);
    buf_release(&text);
    arena_release(&arena);
    web_free(web);
    return right;
}

static void languages_are_recognised(void **state)
{
    static const char *const codes[] = {"en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh"};

    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        size_t right = count_right(codes[i], 20);

        if (right < 19)
            print_error("%s: %zu of 20 pages recognised\n", codes[i], right);
        assert_true(right >= 19);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(languages_are_recognised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
