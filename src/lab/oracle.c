#include "lab/oracle.h"

#include <stdlib.h>

/* First in, first out; a page enters one of them, once. */
struct line {
    uint32_t *pages;
    size_t first, end;
};

static void line_init(struct line *line, size_t room)
{
    *line = (struct line){.pages = malloc((room + 1) * sizeof *line->pages)};
    SCENT_BUG_IF(!line->pages);
}

static bool line_take(struct line *line, uint32_t *page)
{
    if (line->first == line->end)
        return false;
    *page = line->pages[line->first++];
    return true;
}

size_t oracle_crawl(const struct collection *collection, const struct trial *trial, size_t budget, uint32_t *pages)
{
    size_t npages = collection_count(collection), count = 0;
    bool *known = calloc(npages, sizeof *known);
    struct line good, other;
    uint32_t page;

    SCENT_BUG_IF(!known);
    line_init(&good, npages);
    line_init(&other, npages);
    for (size_t i = 0; i < trial->nstarts; i++) {
        known[trial->starts[i]] = true;
        good.pages[good.end++] = trial->starts[i];
    }
    while (count < budget && (line_take(&good, &page) || line_take(&other, &page))) {
        const uint32_t *targets = NULL;
        const struct page *content = collection_page(collection, page, &targets);

        pages[count++] = page;
        for (uint32_t i = 0; content && i < content->nlinks; i++) {
            struct line *line = trial->relevant[targets[i]] ? &good : &other;

            if (known[targets[i]])
                continue;
            known[targets[i]] = true;
            line->pages[line->end++] = targets[i];
        }
    }
    free(good.pages);
    free(other.pages);
    free(known);
    return count;
}
