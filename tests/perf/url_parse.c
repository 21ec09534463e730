/* What a link costs: parse, normalise and fingerprint a page's worth of links, as the crawl does. Prints
 * nanoseconds of CPU a link for each kind, and what a registered domain costs. Not a test: nothing fails. */
#include "base/clock.h"
#include "url/url.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 78, PAGES = 20000 };

static const char *const relative[] = {
    "../library/functions.html#print", "install.html", "/about/", "?page=2", "#top", "chapter-3/section-4.html",
    "../../index.html", "images/../gallery/view.html?id=123&size=large",
};
static const char *const absolute[] = {
    "https://www.example.org/wiki/Ice_hockey", "http://docs.example.com/3/library/functions.html#print",
    "https://cdn.example.net/path/to/a/resource/with/a/long/name.html?utm_source=feed&id=42",
    "https://en.example.org/wiki/Special:Search?search=%C3%A9t%C3%A9&go=Go",
};
static const char *const odd[] = {
    "https://b\xC3\xBC" "cher.example/stra\xC3\x9F" "e", "http://0x7f.1:8080/", "http://[2001:DB8::1]/a b",
    "HTTP://EXAMPLE.ORG:80/%7Euser/./x",
};

static uint64_t visit(struct arena *arena, const struct url *base, const char *const *links, size_t count)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < LINKS; i++) {
        struct url url, normal;

        if (url_parse(arena, str_of(links[i % count]), base, &url) == SCENT_OK &&
            url_normalise(arena, &url, URL_STRIP_TRACKING, &normal) == SCENT_OK)
            sum += url_fingerprint(normal.href, 1);
    }
    return sum;
}

static void measure(const char *name, const char *const *links, size_t count, int pages)
{
    struct arena arena, base_arena;
    struct url base;
    uint64_t sum = 0;
    int64_t start;

    arena_init(&arena, 1 << 20);
    arena_init(&base_arena, 1 << 16);
    if (url_parse(&base_arena, STR("https://docs.example.org/en/latest/guide/start.html"), NULL, &base) != SCENT_OK)
        exit(1);
    start = clock_thread_cpu_ns();
    for (int page = 0; page < pages; page++) {
        sum += visit(&arena, &base, links, count);
        arena_reset(&arena);
    }
    printf("%-9s %7.1f ns a link (%016llx)\n", name, (double)(clock_thread_cpu_ns() - start) / pages / LINKS,
           (unsigned long long)sum);
    arena_release(&arena);
    arena_release(&base_arena);
}

static void measure_domain(void)
{
    static const char *const hosts[] = {"www.example.org", "en.example.co.uk", "a.b.c.example.com", "localhost"};
    size_t sum = 0;
    int64_t start = clock_thread_cpu_ns();

    for (int i = 0; i < PAGES * 4; i++)
        sum += url_registered_domain(str_of(hosts[i % 4])).len;
    printf("domain    %7.1f ns a host (%zu)\n", (double)(clock_thread_cpu_ns() - start) / PAGES / 4, sum);
}

int main(void)
{
    measure("relative", relative, sizeof relative / sizeof *relative, PAGES);
    measure("absolute", absolute, sizeof absolute / sizeof *absolute, PAGES);
    measure("odd", odd, sizeof odd / sizeof *odd, PAGES / 20);
    measure_domain();
    return 0;
}
