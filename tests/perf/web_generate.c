/* What the generated web costs the machine that it shares with the crawler: CPU a page, by specification.
 * Usage: perf_web_generate [PAGES [YAML]] */
#include "base/clock.h"
#include "web/generate.h"

#include "conf/conf.h"

#include <stdio.h>
#include <stdlib.h>

static size_t count_links(struct str body)
{
    size_t n = 0;

    for (const char *p = body.p; (p = memmem(p, (size_t)(body.p + body.len - p), "<a href", 7)) != NULL; p++)
        n++;
    return n;
}

static struct generate *open_web(const char *yaml)
{
    struct generate *generate;
    struct webspec spec;
    struct conf *conf;
    struct errmsg err;

    if (conf_parse(str_of(yaml), "specification", &conf, &err) != SCENT_OK ||
        webspec_read(conf, &spec, &err) != SCENT_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(2);
    }
    conf_free(conf);
    SCENT_BUG_IF(generate_new(&spec, &generate) != SCENT_OK);
    return generate;
}

static void measure(const char *name, const char *yaml, uint64_t pages)
{
    struct generate *generate = open_web(yaml);
    struct web_response response;
    struct arena arena;
    struct buf buf;
    uint64_t bytes = 0, links = 0, answered = 0;
    int64_t generating = 0, naming = 0;

    arena_init(&arena, 1 << 20);
    buf_init(&buf, 0);
    for (uint64_t i = 0; i < pages; i++) {
        uint64_t host = i * 7919 % generate_hosts(generate), page = i % generate_pages(generate, host);
        int64_t t0 = clock_thread_cpu_ns(), t1;
        struct str href = generate_url(generate, host, page, &arena);

        t1 = clock_thread_cpu_ns();
        SCENT_BUG_IF(generate_get(generate, href, &buf, &response) != SCENT_OK);
        generating += clock_thread_cpu_ns() - t1;
        naming += t1 - t0;
        answered += response.fault == WEB_FINE;
        bytes += response.body.len;
        links += count_links(response.body);
        arena_reset(&arena);
    }
    printf("%-34s %6.1f us a page, %6.2f us a URL; %5.1f KB and %5.1f links a page, %llu of %llu answered\n", name,
           (double)generating / 1e3 / (double)pages, (double)naming / 1e3 / (double)pages,
           (double)bytes / 1e3 / (double)answered, (double)links / (double)answered, (unsigned long long)answered,
           (unsigned long long)pages);
    buf_release(&buf);
    arena_release(&arena);
    generate_free(generate);
}

int main(int argc, char **argv)
{
    uint64_t pages = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;

    if (argc > 2) {
        measure("as given", argv[2], pages);
        return 0;
    }
    measure("default", "", pages);
    measure("default without gzip", "{gzip: 0}", pages);
    measure("documentation-like", "{gzip: 0, words: 2250, links: 78, hubs: 0}", pages);
    measure("10^6 hosts, 10^9 URLs", "{gzip: 0, hosts: 1000000, pages_per_host: 1000}", pages);
    return 0;
}
