/* perf_page_stems LANG - how many of the HTML files named on standard input have each stem in their content.
 *
 * The files are one host, so blocks that repeat on it are no content. Pages of other languages and of fewer than 20
 * words of content are left out. Prints "documents N", then a line for each stem: the stem, in how many pages it stands,
 * how often in all. Stems with a digit and of one byte are left out. For scripts/background. */
#include "base/map.h"
#include "base/vec.h"
#include "page/repeats.h"
#include "perf/page_file.h"
#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORDS_MIN = 20 };

struct stem {
    uint64_t hash, df, tf;
    char *text; /* NULL: it is left out */
};

struct count {
    struct stem *stems;
    size_t nstems, room;
    struct map by_hash;
    struct text_stemmer *stemmer;
    struct str lang;
    size_t documents;
};

static bool is_worth_counting(struct str stem)
{
    for (size_t i = 0; i < stem.len; i++)
        if (stem.p[i] >= '0' && stem.p[i] <= '9')
            return false;
    return stem.len > 1;
}

static struct stem *find(struct count *count, const struct page_term *term)
{
    struct map_walk walk = map_find(&count->by_hash, term->stem);
    struct str text;
    struct stem *stem;

    while (map_next(&walk))
        if (count->stems[walk.value].hash == term->stem)
            return &count->stems[walk.value];
    if (!vec_reserve(&count->stems, &count->room, count->nstems + 1, sizeof *count->stems) ||
        map_add(&count->by_hash, term->stem, (uint32_t)count->nstems) != SCENT_OK)
        exit(1);
    stem = &count->stems[count->nstems++];
    text = text_stem(count->stemmer, count->lang, term->text);
    *stem = (struct stem){.hash = term->stem};
    if (is_worth_counting(text))
        stem->text = strndup(text.p, text.len);
    return stem;
}

static void count_page(struct count *count, const struct page *page)
{
    if (!str_eq(page->lang, count->lang) || page->ncontent < WORDS_MIN)
        return;
    count->documents++;
    for (uint32_t i = 0; i < page->nbag; i++) {
        struct stem *stem = find(count, &page->bag[i]);

        stem->df++;
        stem->tf += page->bag[i].tf;
    }
}

int main(int argc, char **argv)
{
    struct page_options options = {.key = 1};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct repeats *repeats = repeats_new();
    struct count count = {.stemmer = text_stemmer_new()};
    char **paths = NULL, line[4096];
    size_t npaths = 0, room = 0;
    struct arena arena;

    if (argc != 2)
        return 2;
    count.lang = str_of(argv[1]);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (!vec_reserve(&paths, &room, npaths + 1, sizeof *paths))
            return 1;
        paths[npaths++] = strdup(line);
    }
    arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < 2 * npaths; i++) {
        struct repeats_host *host = NULL;
        struct page page;

        if (!page_file_read(analyser, paths[i % npaths], &arena, &page)) {
            fprintf(stderr, "%s: cannot be read\n", paths[i % npaths]);
            continue;
        }
        if (i >= npaths)
            host = repeats_of(repeats, &page.url);
        repeats_apply(host, &page);
        repeats_host_unref(host);
        if (i < npaths)
            repeats_count(repeats, &page);
        else
            count_page(&count, &page);
        arena_reset(&arena);
    }
    printf("documents %zu\n", count.documents);
    for (size_t i = 0; i < count.nstems; i++)
        if (count.stems[i].text)
            printf("%s %llu %llu\n", count.stems[i].text, (unsigned long long)count.stems[i].df,
                   (unsigned long long)count.stems[i].tf);
    return 0;
}
