/* The sample sitemaps: what each holds, and that none is left out. The numbers were counted by another XML parser. */
#include "base/file.h"
#include "robots/sitemap.h"
#include "test.h"

#define SAMPLES SCENT_SHARED "/conformance/sitemaps"

struct sample {
    const char *file;
    enum sitemap_kind kind;
    size_t entries, dated; /* how many have a date */
    const char *first, *last;
};

static const struct sample samples[] = {
    {"atom.xml", SITEMAP_ATOM, 2, 2, "http://example.org/2003/12/13/atom03",
     "http://example.org/2003/12/13/atom03.html"},
    {"do-not-visit.txt", SITEMAP_TEXT, 1, 0, "http://www.example.com/do-not-visit-here",
     "http://www.example.com/do-not-visit-here"},
    {"sitemap-with-bom.txt", SITEMAP_TEXT, 2, 0, "http://www.domain.com/page1.html",
     "http://www.domain.com/page2.html"},
    {"sitemap.badns.xml", SITEMAP_URLS, 2, 0, "http://www.example.com/1", "http://www.example.com/2"},
    {"sitemap.index.xml", SITEMAP_INDEX, 15, 0, "https://example.com/sitemap.jss?portalCode=10260&lang=en",
     "https://example.com/sitemap.jss?portalCode=10570&lang=en"},
    {"sitemap.ns.xml", SITEMAP_URLS, 2, 0, "http://www.example.com/1", "http://www.example.com/2"},
    {"sitemap.txt", SITEMAP_TEXT, 2, 0, "http://www.domain.com/page1.html", "http://www.domain.com/page2.html"},
    {"sitemap.txt.gz", SITEMAP_TEXT, 5, 0, "http://www.example.com/",
     "http://www.example.com/catalog?item=83&desc=vacation_usa"},
    {"xmlSitemap.gz", SITEMAP_URLS, 5, 4, "http://www.example.com/",
     "http://www.example.com/catalog?item=83&desc=vacation_usa"},
    {"extension/hebdenbridgetimes-articles-sitemap.xml", SITEMAP_URLS, 74, 74,
     "http://www.hebdenbridgetimes.co.uk/news/local/video-tour-de-yorkshire-in-calderdale-1-7242580",
     "http://www.hebdenbridgetimes.co.uk/news/local/now-you-see-it-now-you-don-t-it-s-off-the-wall-1-7229940"},
    {"extension/pagemaps-sitemap.xml", SITEMAP_URLS, 2, 0, "http://www.example.com/foo", "http://www.example.com/bar"},
    {"extension/shinpaideshou-news-sitemap.xml", SITEMAP_URLS, 3, 0,
     "https://shinpaideshou.wordpress.com/2017/04/25/job-opening-reischauer-policy-research-fellow/",
     "https://shinpaideshou.wordpress.com/2017/04/24/job-opening-lecturer-in-japanese-studies-university-of-leeds/"},
    {"extension/sitemap-images.xml", SITEMAP_URLS, 1, 0, "http://www.example.com/images/some_image_landing_page.html",
     "http://www.example.com/images/some_image_landing_page.html"},
    {"extension/sitemap-links.xml", SITEMAP_URLS, 3, 0, "http://www.example.com/english/",
     "http://www.example.com/schweiz-deutsch/"},
    {"extension/sitemap-mobile.xml", SITEMAP_URLS, 3, 0, "http://www.example.com/mobile-friendly-1/",
     "http://www.example.com/no-mobile/"},
    {"extension/sitemap-news.xml", SITEMAP_URLS, 2, 0, "http://www.example.org/business/article55.html",
     "http://www.example.org/empty_news_name.html"},
    {"extension/sitemap-videos-tvshow.xml", SITEMAP_URLS, 1, 0, "https://example.org/my-tv-show/23/13/",
     "https://example.org/my-tv-show/23/13/"},
    {"extension/sitemap-videos.xml", SITEMAP_URLS, 3, 0, "http://www.example.com/videos/some_video_landing_page.html",
     "http://www.example.com/videos/some_video_landing_page-3.html"},
};
enum { NSAMPLES = sizeof samples / sizeof *samples };

struct seen {
    size_t entries, dated;
    struct buf first, last;
};

static bool on_entry(void *ctx, const struct sitemap_entry *entry)
{
    struct seen *seen = ctx;

    if (seen->entries++ == 0)
        buf_add(&seen->first, entry->url);
    seen->dated += entry->modified > 0;
    buf_clear(&seen->last);
    return buf_add(&seen->last, entry->url);
}

static void check(const struct sample *sample)
{
    char path[1024];
    struct buf body;
    struct seen seen = {0};
    struct sitemap_report report;
    struct errmsg err;

    snprintf(path, sizeof path, SAMPLES "/%s", sample->file);
    buf_init(&body, 1 << 20);
    buf_init(&seen.first, 0);
    buf_init(&seen.last, 0);
    assert_ok(file_read(path, &body, &err), err);
    assert_int_equal(sitemap_read(buf_str(&body), on_entry, &seen, &report), SCENT_OK);
    print_message("%-50s %zu entries %s\n", sample->file, seen.entries, report.reason);
    assert_int_equal(report.kind, sample->kind);
    assert_int_equal(report.entries, sample->entries);
    assert_int_equal(seen.entries, sample->entries);
    assert_int_equal(seen.dated, sample->dated);
    assert_int_equal(report.refused, 0);
    assert_false(report.cut);
    assert_string_equal(report.reason, "");
    assert_str(buf_str(&seen.first), sample->first);
    assert_str(buf_str(&seen.last), sample->last);
    buf_release(&body);
    buf_release(&seen.first);
    buf_release(&seen.last);
}

static size_t count_files(const char *dir)
{
    struct file_list list;
    struct errmsg err;
    size_t files = 0;
    char path[2048];

    assert_ok(file_list(dir, "", &list, &err), err);
    for (size_t i = 0; i < list.count; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, list.names[i]);
        files += file_is_dir(path) ? count_files(path) : 1;
    }
    file_list_release(&list);
    return files;
}

static void test_samples(void **state)
{
    (void)state;
    if (!file_is_dir(SAMPLES)) {
        print_message("%s is absent\n", SAMPLES);
        skip();
    }
    for (size_t i = 0; i < NSAMPLES; i++)
        check(&samples[i]);
    assert_int_equal(count_files(SAMPLES), NSAMPLES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
