/* perf_engine_signs DIR - what the signs of traps, error pages and duplicates say of real pages (WARC files, or a folder of
 * HTML files), and what they cost. Everything found in pages that people wrote is a false alarm, or worth a look. */
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "engine/duplicates.h"
#include "frontier/caps.h"
#include "page/page.h"
#include "page/simhash.h"
#include "page/soft404.h"
#include "url/url_trap.h"
#include "warc/archive.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 12, YEAR = 2026, FILE_MAX = 16 * 1024 * 1024, URL_FLAGS = URL_STRIP_TRACKING | URL_STRIP_SESSION };

struct survey {
    struct page_analyser *analyser;
    struct soft404 *soft404;
    struct duplicates *duplicates;
    struct caps caps;
    struct arena arena;
    uint64_t pages, links, words, traps, soft, exact, near, unhashed, capped, canonical[5];
    int64_t trap_ns, pattern_ns, simhash_ns, soft_ns, analyse_ns;
};

static struct survey survey; /* ftw() passes nothing on */

static void look_at_links(struct survey *s, const struct page *page)
{
    int64_t cpu = clock_thread_cpu_ns();

    for (uint32_t i = 0; i < page->nlinks; i++) {
        enum url_trap trap = url_trap(&page->links[i].url, YEAR);

        if (trap && s->traps++ < SHOWN)
            printf("  %s: %.*s\n", url_trap_text(trap), STR_ARG(page->links[i].url.href));
    }
    clock_charge_cpu(&s->trap_ns, &cpu);
    for (uint32_t i = 0; i < page->nlinks; i++)
        s->capped += !caps_take(&s->caps, url_pattern(&page->links[i].url, 1), UINT32_MAX);
    clock_charge_cpu(&s->pattern_ns, &cpu);
    s->links += page->nlinks;
}

static void look_for_error(struct survey *s, const struct page *page)
{
    int64_t cpu = clock_thread_cpu_ns();
    struct soft404_verdict verdict = soft404_judge(s->soft404, page);
    char reasons[64];

    clock_charge_cpu(&s->soft_ns, &cpu);
    if (verdict.score < SOFT404_THRESHOLD || s->soft++ >= SHOWN)
        return;
    soft404_list(verdict.reasons, reasons, sizeof reasons);
    printf("  soft 404 %.2f (%s): %.*s \"%.*s\"\n", verdict.score, reasons, STR_ARG(page->url.href), STR_ARG(page->title));
}

static void look_for_duplicate(struct survey *s, const struct page *page, uint64_t digest)
{
    int64_t cpu = clock_thread_cpu_ns();
    uint64_t simhash = page_simhash(page);
    scent_status status;
    uint32_t other;

    clock_charge_cpu(&s->simhash_ns, &cpu);
    if (duplicates_find_exact(s->duplicates, digest, &other)) {
        s->exact++;
        return;
    }
    status = duplicates_add_exact(s->duplicates, digest, (uint32_t)s->pages);
    if (simhash == SIMHASH_NONE)
        s->unhashed++;
    else if (!duplicates_find_near(s->duplicates, simhash, SIMHASH_NEAR, &other, NULL))
        status = duplicates_add_near(s->duplicates, simhash, (uint32_t)s->pages);
    else if (s->near++ < SHOWN)
        printf("  near: page %llu, %u words, and page %u: %.*s\n", (unsigned long long)s->pages, page->nwords, other,
               STR_ARG(page->url.href));
    SCENT_BUG_IF(status != SCENT_OK);
}

static void look_at(struct survey *s, struct str href, struct str headers, struct str body)
{
    int64_t cpu = clock_thread_cpu_ns();
    struct url parsed, url;
    struct page page;

    if (url_parse(&s->arena, href, NULL, &parsed) == SCENT_OK &&
        url_normalise(&s->arena, &parsed, URL_FLAGS, &url) == SCENT_OK &&
        page_analyse(s->analyser, &(struct page_input){&url, headers, body}, &s->arena, &page) == SCENT_OK) {
        clock_charge_cpu(&s->analyse_ns, &cpu);
        s->pages++;
        s->words += page.nwords;
        s->canonical[page_canonical_target(&page)]++;
        look_at_links(s, &page);
        look_for_error(s, &page);
        look_for_duplicate(s, &page, hash_str(body, 1));
    }
    arena_reset(&s->arena);
}

static int on_file(const char *path, const struct stat *st, int type)
{
    struct errmsg err;
    struct buf body;
    char href[4096];

    (void)st;
    if (type != FTW_F || !(str_ends(str_of(path), STR(".html")) || str_ends(str_of(path), STR(".htm"))))
        return 0;
    buf_init(&body, FILE_MAX);
    snprintf(href, sizeof href, "http://docs.test%s", path);
    if (file_read(path, &body, &err) == SCENT_OK)
        look_at(&survey, str_of(href), STR("Content-Type: text/html\r\n"), buf_str(&body));
    buf_release(&body);
    return 0;
}

static bool look_at_archive(const char *path)
{
    struct log log = {.level = LOG_ERROR};
    struct archive *archive;
    struct errmsg err;
    struct buf buf;

    if (archive_open(path, &log, &archive, &err) != SCENT_OK)
        return false;
    buf_init(&buf, 0);
    for (size_t i = 0; i < archive_count(archive); i++) {
        struct archive_response response;

        if (archive_get(archive, archive_url(archive, i), &buf, &response, &err) == SCENT_OK)
            look_at(&survey, response.url, response.head, response.body);
    }
    archive_free(archive);
    buf_release(&buf);
    return true;
}

static void print(const struct survey *s)
{
    double pages = (double)s->pages, links = (double)s->links;

    printf("%.0f pages, %.0f words a page, %.0f links: %llu traps, %llu soft 404s\n", pages, (double)s->words / pages, links,
           (unsigned long long)s->traps, (unsigned long long)s->soft);
    printf("%llu exact and %llu near duplicates, %llu pages with too little text\n", (unsigned long long)s->exact,
           (unsigned long long)s->near, (unsigned long long)s->unhashed);
    printf("canonical: %llu none, %llu self, %llu copy, %llu elsewhere, %llu mistake\n",
           (unsigned long long)s->canonical[0], (unsigned long long)s->canonical[1], (unsigned long long)s->canonical[2],
           (unsigned long long)s->canonical[3], (unsigned long long)s->canonical[4]);
    printf("trap %.0f ns a link, pattern and cap %.0f ns a link; simhash %.1f us a page, soft 404 %.1f us, analysis %.0f us\n",
           (double)s->trap_ns / links, (double)s->pattern_ns / links, (double)s->simhash_ns / pages / 1e3,
           (double)s->soft_ns / pages / 1e3, (double)s->analyse_ns / pages / 1e3);
}

int main(int argc, char **argv)
{
    struct page_options options = {.key = 1, .url_flags = URL_FLAGS};

    survey.analyser = page_analyser_new(&options);
    survey.soft404 = soft404_new();
    survey.duplicates = duplicates_new(0);
    caps_init(&survey.caps);
    arena_init(&survey.arena, SIZE_MAX);
    if (argc != 2 || (!look_at_archive(argv[1]) && ftw(argv[1], on_file, 16) != 0) || !survey.pages) {
        fprintf(stderr, "usage: %s DIR; DIR holds WARC or .html files\n", argv[0]);
        return 2;
    }
    print(&survey);
    page_analyser_free(survey.analyser);
    soft404_free(survey.soft404);
    duplicates_free(survey.duplicates);
    caps_release(&survey.caps);
    arena_release(&survey.arena);
    return 0;
}
