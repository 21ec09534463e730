/* perf_page_content FOLDER... - the text of the HTML files of each folder, and which of it is content.
 *
 * A folder stands for a host. Beside FILE.html are written FILE.all, FILE.content and FILE.repeats: all blocks of the
 * page, those that are content for the page alone, and for the page among those of its host. */
#include "page/content.h"
#include "page/repeats.h"
#include "perf/page_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static bool write_blocks(const char *path, const char *kind, const struct page *page, bool all)
{
    char name[4096];
    FILE *file;

    snprintf(name, sizeof name, "%s.%s", path, kind);
    file = fopen(name, "w");
    for (uint32_t i = 0; file && i < page->nblocks; i++)
        if (all || !page->blocks[i].is_boilerplate)
            fprintf(file, "%.*s\n", (int)(page->blocks[i].end - page->blocks[i].start),
                    page->text.p + page->blocks[i].start);
    return file && fclose(file) == 0;
}

int main(int argc, char **argv)
{
    struct page_options options = {.key = 1};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    for (int folder = 1; folder < argc; folder++) {
        struct repeats *repeats = repeats_new();

        for (int pass = 0; pass < 2; pass++) {
            struct dirent **files;
            int count = scandir(argv[folder], &files, NULL, alphasort);

            for (int i = 0; i < count; i++) {
                char path[4096];
                struct page page;

                snprintf(path, sizeof path, "%s/%s", argv[folder], files[i]->d_name);
                free(files[i]);
                if (!str_ends(str_of(path), STR(".html")))
                    continue;
                if (!page_file_read(analyser, path, &arena, &page))
                    return 1;
                if (pass == 0) {
                    repeats_apply(NULL, &page);
                    repeats_count(repeats, &page);
                } else {
                    struct repeats_host *host = repeats_of(repeats, &page.url);
                    bool fine = write_blocks(path, "all", &page, true) && write_blocks(path, "content", &page, false);

                    repeats_apply(host, &page);
                    repeats_host_unref(host);
                    if (!fine || !write_blocks(path, "repeats", &page, false))
                        return 1;
                }
                arena_reset(&arena);
            }
            if (count < 0)
                return 1;
            free(files);
        }
        repeats_free(repeats);
    }
    arena_release(&arena);
    page_analyser_free(analyser);
    return 0;
}
