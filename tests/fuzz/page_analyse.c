/* Any bytes, as the body of any type: a page that keeps its promises. The first byte chooses the headers. */
#include "../page_check.h"

#include "page/page.h"
#include "page/repeats.h"
#include "page/simhash.h"
#include "page/soft404.h"

/* What is derived from a page holds for any. */
static void check_signs(const struct page *page)
{
    static struct soft404 *soft404;
    struct soft404_verdict verdict;

    if (!soft404)
        soft404 = soft404_new();
    verdict = soft404_judge(soft404, page);
    PAGE_CHECK(verdict.score >= 0 && verdict.score <= 1 && verdict.reasons < SOFT404_REASONS);
    PAGE_CHECK(page_simhash(page) == page_simhash(page));
    PAGE_CHECK((page_canonical_target(page) == PAGE_CANONICAL_NONE) == (page->canonical.href.p == NULL));
}

/* Whatever repeats, the page keeps its promises; a host is learned from what is read. */
static void check_repeats(struct page *page)
{
    struct repeats *repeats = repeats_new();
    struct repeats_host *host;

    repeats_apply(NULL, page);
    for (int i = 0; i < REPEATS_PAGES; i++)
        repeats_count(repeats, page);
    host = repeats_of(repeats, &page->url);
    repeats_apply(host, page);
    page_check(page);
    repeats_host_unref(host);
    PAGE_CHECK(!repeats_load(repeats, page->text) || page->text.len >= 4);
    repeats_free(repeats);
}

/* Another analyser, which has seen other pages, makes the same of it. */
static void check_same(const struct page_input *input, const struct page_options *options, const struct page *page)
{
    struct page_analyser *analyser = page_analyser_new(options);
    struct arena arena;
    struct page again;

    arena_init(&arena, 64 * 1024 * 1024);
    PAGE_CHECK(page_analyse(analyser, input, &arena, &again) == SCENT_OK);
    PAGE_CHECK(str_eq(again.text, page->text) && str_eq(again.title, page->title) && str_eq(again.lang, page->lang));
    PAGE_CHECK(again.nwords == page->nwords && again.nnodes == page->nnodes && again.robots == page->robots);
    PAGE_CHECK(again.nlinks == page->nlinks && page_simhash(&again) == page_simhash(page));
    for (uint32_t i = 0; i < page->nlinks; i++)
        PAGE_CHECK(str_eq(again.links[i].url.href, page->links[i].url.href));
    arena_release(&arena);
    page_analyser_free(analyser);
}

static struct str next_visible(struct str s)
{
    while (s.len && (unsigned char)s.p[0] <= ' ')
        s = str_sub(s, 1, s.len);
    return s;
}

/* The text that is written has the characters of the content, in their order. */
static void check_text(const struct page *page, struct str written)
{
    for (uint32_t i = 0; i < page->nblocks; i++) {
        const struct page_block *block = &page->blocks[i];
        struct str text = next_visible(str_sub(page->text, block->start, block->end));

        for (; !block->is_boilerplate && text.len; text = next_visible(str_sub(text, 1, text.len))) {
            written = next_visible(written);
            PAGE_CHECK(written.len && written.p[0] == text.p[0]);
            written = str_sub(written, 1, written.len);
        }
    }
    PAGE_CHECK(!next_visible(written).len);
}

static void check_written(const struct page_input *input, struct page_options options)
{
    for (options.form = PAGE_FORM_TEXT; options.form <= PAGE_FORM_MARKDOWN; options.form++) {
        static struct page_analyser *kept[PAGE_FORM_MARKDOWN + 1];
        struct page_analyser **analyser = &kept[options.form];
        struct arena arena;
        struct page page;
        struct buf out;

        if (!*analyser)
            *analyser = page_analyser_new(&options);
        arena_init(&arena, 64 * 1024 * 1024);
        buf_init(&out, 0);
        PAGE_CHECK(page_analyse(*analyser, input, &arena, &page) == SCENT_OK);
        page_write(*analyser, &page, &out);
        page_check_utf8(buf_str(&out));
        if (options.form == PAGE_FORM_TEXT)
            check_text(&page, buf_str(&out));
        buf_release(&out);
        arena_release(&arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const headers[] = {
        "Content-Type: text/html\r\n",
        "Content-Type: text/html; charset=utf-8\r\n",
        "Content-Type: application/xhtml+xml\r\nX-Robots-Tag: noindex\r\n",
        "Content-Type: text/plain\r\n",
        "Content-Type: text/html; charset=shift_jis\r\n",
        "Content-Type: text/html; charset=iso-8859-1\r\n",
        "",
    };
    static struct page_analyser *analyser; /* kept: what one page leaves behind must not harm the next */
    struct page_options options = {.key = 1, .max_words = 5000, .max_nodes = 1000, .max_links = 100};
    struct arena arena;
    struct page page;
    struct url url;

    if (!size)
        return 0;
    if (!analyser)
        analyser = page_analyser_new(&options);
    arena_init(&arena, 64 * 1024 * 1024);
    PAGE_CHECK(url_parse(&arena, STR("http://fuzz.test/a/b?c"), NULL, &url) == SCENT_OK);
    const char *chosen = headers[data[0] % (sizeof headers / sizeof *headers)];
    struct page_input input = {&url, str_of(chosen), {(const char *)data + 1, size - 1}};
    scent_status status = page_analyse(analyser, &input, &arena, &page);

    PAGE_CHECK(status == SCENT_OK);
    page_check(&page);
    check_signs(&page);
    if (data[0] & 128)
        check_same(&input, &options, &page);
    check_written(&input, options);
    check_repeats(&page);
    arena_release(&arena);
    return 0;
}
