#include "app/browse_pages.h"

enum { PAGE_MEMORY = 256 << 20 };
#define ALL_MEMORY ((size_t)4 << 30)

void browse_pages_init(struct browse_pages *pages, const char *dir, const struct log *log)
{
    /* As sessions know URLs, and crawls do by default. */
    struct page_options options = {.url_flags = URL_STRIP_TRACKING | URL_STRIP_SESSION};
    struct errmsg err = {{0}};

    *pages = (struct browse_pages){.analyser = page_analyser_new(&options)};
    arena_init(&pages->arena, ALL_MEMORY);
    arena_init(&pages->scratch, PAGE_MEMORY);
    lookup_init(&pages->lookup);
    if (archive_open(dir, log, &pages->archive, &err) != SCENT_OK)
        pages->archive = NULL;
}

void browse_pages_release(struct browse_pages *pages)
{
    archive_free(pages->archive);
    lookup_release(&pages->lookup);
    page_analyser_free(pages->analyser);
    arena_release(&pages->arena);
    arena_release(&pages->scratch);
}

static bool copy_words(struct arena *arena, const struct page *from, struct page *to)
{
    to->bag = arena_array(arena, from->nbag + (size_t)1, sizeof *to->bag);
    for (; to->bag && to->nbag < from->nbag; to->nbag++) {
        to->bag[to->nbag] = from->bag[to->nbag];
        to->bag[to->nbag].text = arena_str(arena, from->bag[to->nbag].text);
        if (!to->bag[to->nbag].text.p)
            return false;
    }
    return to->bag != NULL;
}

static bool copy_links(struct arena *arena, const struct page *from, struct page *to)
{
    to->links = arena_array(arena, from->nlinks + (size_t)1, sizeof *to->links);
    for (; to->links && to->nlinks < from->nlinks; to->nlinks++) {
        to->links[to->nlinks] = (struct page_link){.url.href = arena_str(arena, from->links[to->nlinks].url.href)};
        if (!to->links[to->nlinks].url.href.p)
            return false;
    }
    return to->links != NULL;
}

struct found {
    struct browse_pages *pages;
    struct page *page; /* NULL: not yet */
};

static scent_status keep_page(void *ctx, const struct pagefile_page *bytes, struct errmsg *err)
{
    struct found *found = ctx;
    struct browse_pages *pages = found->pages;
    struct page_input input = {.headers = bytes->headers, .body = bytes->body};
    struct page *kept = arena_zalloc(&pages->arena, sizeof *kept);
    struct page page;
    struct url url;

    arena_reset(&pages->scratch);
    if (url_parse(&pages->scratch, bytes->url, NULL, &url) != SCENT_OK)
        return SCENT_E_NOTFOUND;
    input.url = &url;
    if (!kept || page_analyse(pages->analyser, &input, &pages->scratch, &page) != SCENT_OK ||
        !(kept->url.href = arena_str(&pages->arena, url.href)).p || !copy_words(&pages->arena, &page, kept) ||
        !copy_links(&pages->arena, &page, kept)) {
        pages->full = true;
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    }
    found->page = kept;
    return SCENT_OK;
}

static const struct page *find(void *ctx, struct str url)
{
    struct browse_pages *pages = ctx;
    struct found found = {.pages = pages};
    struct errmsg err = {{0}};

    if (!pages->archive || lookup_page(&pages->lookup, pages->archive, url, keep_page, &found, &err) != SCENT_OK)
        return NULL;
    return found.page;
}

struct browse_source browse_pages_source(struct browse_pages *pages)
{
    return (struct browse_source){find, pages};
}
