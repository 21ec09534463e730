/* perf_page_analyse DIR [ROUNDS] - how fast the HTML files below a folder are analysed, on one core. */
#include "base/clock.h"
#include "base/file.h"
#include "page/page.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILES_MAX = 40000, FILE_MAX = 16 * 1024 * 1024 };

static char *paths[FILES_MAX];
static size_t npaths;

static int on_file(const char *path, const struct stat *st, int type)
{
    (void)st;
    if (type == FTW_F && npaths < FILES_MAX && (str_ends(str_of(path), STR(".html")) || str_ends(str_of(path), STR(".htm"))))
        paths[npaths++] = strdup(path);
    return 0;
}

static void read_all(struct buf *bodies)
{
    struct errmsg err;

    for (size_t i = 0; i < npaths; i++) {
        buf_init(&bodies[i], FILE_MAX);
        if (file_read(paths[i], &bodies[i], &err) != SCENT_OK)
            fprintf(stderr, "%s\n", err.text);
    }
}

int main(int argc, char **argv)
{
    struct page_options options = {.key = 1, .url_flags = URL_STRIP_TRACKING};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct buf *bodies = calloc(FILES_MAX, sizeof *bodies);
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    double bytes = 0, words = 0, links = 0, nodes = 0, ns;
    struct arena urls, arena;
    int64_t start;

    if (argc < 2 || !bodies || ftw(argv[1], on_file, 16) != 0 || !npaths) {
        fprintf(stderr, "usage: %s DIR [ROUNDS]; DIR holds .html files\n", argv[0]);
        return 2;
    }
    read_all(bodies);
    arena_init(&urls, SIZE_MAX);
    arena_init(&arena, SIZE_MAX);
    start = clock_thread_cpu_ns();
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < npaths; i++) {
            struct page page;
            struct url url;
            struct str href = arena_printf(&urls, "http://docs.test%s", paths[i]);

            if (url_parse(&urls, href, NULL, &url) != SCENT_OK ||
                page_analyse(analyser, &(struct page_input){&url, STR("Content-Type: text/html\r\n"), buf_str(&bodies[i])},
                             &arena, &page) != SCENT_OK)
                return 1;
            bytes += (double)bodies[i].len;
            words += page.nwords;
            links += page.nlinks;
            nodes += page.nnodes;
            arena_reset(&arena);
            arena_reset(&urls);
        }
    }
    ns = (double)(clock_thread_cpu_ns() - start);
    double pages = (double)npaths * rounds;
    printf("%zu files, a page: %.1f KB, %.0f words, %.0f nodes, %.0f links; %.0f us; %.0f MB/s\n", npaths,
           bytes / pages / 1e3, words / pages, nodes / pages, links / pages, ns / pages / 1e3, bytes * 1e3 / ns);
    return 0;
}
