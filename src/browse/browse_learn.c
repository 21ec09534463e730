/* From sessions to the pages that a model is trained with. */
#include "base/hash.h"
#include "browse/browse.h"
#include "learn/lsi.h"

#include <stdlib.h>

struct lesson {
    struct arena arena;
    struct browse_page *pages;
    struct browse_name *names;
    size_t npages;
};

/* Several URLs lead to one page: by the address at which the source has it. Pages are few, sessions are small. */
static size_t place_of(const struct lesson *lesson, const struct page *page)
{
    size_t i = 0;

    while (i < lesson->npages && !str_eq(lesson->pages[i].page->url.href, page->url.href))
        i++;
    return i;
}

static void take_page(struct lesson *lesson, const struct browsing *browsing, uint32_t number, const struct page *page,
                      size_t *nnames)
{
    size_t at = place_of(lesson, page);

    if (at == lesson->npages)
        lesson->pages[lesson->npages++] = (struct browse_page){.page = page};
    lesson->pages[at].useful |= browsing_is_useful(browsing, number);
    lesson->names[(*nnames)++] = (struct browse_name){browsing_url(browsing, number), (uint32_t)at};
}

static void note_unread(const struct browsing *browsing, uint32_t number, struct browse_met *met)
{
    if (!met->unread++)
        met->first_unread = browsing_url(browsing, number);
    met->useful_unread += browsing_is_useful(browsing, number);
}

static scent_status gather(struct lesson *lesson, const struct browsing *browsing, const struct browse_source *source,
                           struct browse_met *met, size_t *nnames)
{
    uint32_t all = browsing_size(browsing).pages;

    lesson->pages = arena_array(&lesson->arena, all + (size_t)1, sizeof *lesson->pages);
    lesson->names = arena_array(&lesson->arena, all + (size_t)1, sizeof *lesson->names);
    if (!lesson->pages || !lesson->names)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < all; i++) {
        const struct page *page = source->find(source->ctx, browsing_url(browsing, i));

        if (page)
            take_page(lesson, browsing, i, page, nnames);
        else
            note_unread(browsing, i, met);
    }
    for (size_t i = 0; i < lesson->npages; i++)
        met->useful += lesson->pages[i].useful;
    met->pages = (uint32_t)lesson->npages;
    return SCENT_OK;
}

static scent_status check_met(const struct browsing_size *size, const struct browse_met *met, struct errmsg *err)
{
    if (size->pages == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "the sessions are empty: no page was visited");
    if (size->useful == 0)
        return errmsg_fail(
            err, SCENT_E_INVALID,
            "the sessions have no useful page, and the model learns what leads to useful "
            "pages; press Useful on some while recording, or give their URLs with 'scent browse import'");
    if (met->pages == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "none of the %u pages of the sessions could be read, %.*s for one",
                           size->pages, STR_ARG(met->first_unread));
    if (met->useful == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "none of the %u useful pages could be read, and the model learns what leads to "
                           "them",
                           size->useful);
    return SCENT_OK;
}

scent_status browse_learn(const struct browsing *browsing, const struct browse_source *source,
                          const struct browse_options *options, struct browse **out, struct browse_met *met,
                          struct errmsg *err)
{
    struct browsing_size size = browsing_size(browsing);
    struct lesson lesson = {0};
    size_t nnames = 0;
    scent_status status;

    *out = NULL;
    *met = (struct browse_met){0};
    if (size.pages > LSI_PAGES_MAX)
        return errmsg_fail(err, SCENT_E_LIMIT,
                           "the sessions hold %u pages, more than the %d that a model is made of; take a "
                           "shorter time, or fewer hosts",
                           size.pages, LSI_PAGES_MAX);
    arena_init(&lesson.arena, SIZE_MAX);
    status = gather(&lesson, browsing, source, met, &nnames);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "out of memory");
    else
        status = check_met(&size, met, err);
    if (status == SCENT_OK) {
        struct browse_input input = {lesson.pages, lesson.npages, lesson.names, nnames};

        status = browse_train(&input, options, out, err);
    }
    arena_release(&lesson.arena);
    return status;
}
