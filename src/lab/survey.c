#include "lab/survey.h"

#include "base/vec.h"
#include "http/http.h"
#include "lab/collection.h"
#include "page/page.h"
#include "topic/scope.h"
#include "url/url.h"

#include <stdlib.h>

enum { REDIRECTS_MAX = 10, HOME_PAGES = 1000, PAGE_ARENA = 256 << 20 };

_Static_assert(SURVEY_URL_FLAGS == (URL_STRIP_TRACKING | URL_STRIP_SESSION), "as a crawl's, by default");

struct surveyor {
    const struct web *web;
    struct survey *survey;
    struct page_analyser *analyser; /* NULL: links are not followed */
    const struct survey_limits *limits;
    struct arena arena; /* for one page */
    struct buf body;
};

/* A page of a collection: fine, 2xx, HTML. */
static bool is_page(const struct web_response *response)
{
    static const struct scope any = {0};

    return response->fault == WEB_FINE && response->status / 100 == 2 &&
           scope_wants_type(&any, http_head_mime(response->head));
}

static bool is_redirect(const struct web_response *response)
{
    return response->fault == WEB_FINE && response->status / 100 == 3 &&
           http_header(response->head, STR("location")).len;
}

/* ---- names ---- */

static scent_status add_name(struct survey *survey, struct str href, uint32_t *name)
{
    bool is_new;
    scent_status status = seen_add(&survey->seen, url_fingerprint(href, COLLECTION_KEY), name, &is_new);

    if (status != SCENT_OK || !is_new)
        return status;
    if (!vec_reserve(&survey->names, &survey->room, survey->count + 1, sizeof *survey->names))
        return SCENT_E_NOMEM;
    href = arena_str(&survey->arena, href);
    survey->names[survey->count++] = (struct survey_name){href, SURVEY_NONE, SURVEY_NONE, 0};
    return href.p ? SCENT_OK : SCENT_E_NOMEM;
}

/* What is no URL has no name. */
static scent_status add_text(struct surveyor *surveyor, struct str text, const struct url *base, uint32_t *name)
{
    struct url url;

    *name = SURVEY_NONE;
    if (url_parse(&surveyor->arena, text, base, &url) != SCENT_OK ||
        url_normalise(&surveyor->arena, &url, SURVEY_URL_FLAGS, &url) != SCENT_OK)
        return SCENT_OK;
    return add_name(surveyor->survey, url.href, name);
}

/* ---- what lies behind a name ---- */

static scent_status follow_links(struct surveyor *surveyor, const struct url *url, const struct web_response *response)
{
    struct page_input input = {.url = url, .headers = response->head, .body = response->body};
    struct page page;
    scent_status status = page_analyse(surveyor->analyser, &input, &surveyor->arena, &page);
    uint32_t name;

    for (uint32_t i = 0; status == SCENT_OK && i < page.nlinks; i++)
        if (!web_is_trap(surveyor->web, page.links[i].url.href))
            status = add_name(surveyor->survey, page.links[i].url.href, &name);
    return status;
}

static bool is_excluded(const struct survey_limits *limits, struct str href)
{
    for (size_t i = 0; i < limits->nexclude; i++)
        if (str_glob(limits->exclude[i], href))
            return true;
    return false;
}

static scent_status note_answer(struct surveyor *surveyor, uint32_t i, const struct url *url,
                                const struct web_response *response)
{
    struct survey *survey = surveyor->survey;
    uint32_t moved;
    scent_status status;

    if (is_redirect(response)) {
        status = add_text(surveyor, http_header(response->head, STR("location")), url, &moved);
        survey->names[i].moved = moved;
        if (status == SCENT_OK && moved != SURVEY_NONE && survey->names[moved].hops == 0 && moved > i)
            survey->names[moved].hops = (uint8_t)(survey->names[i].hops + 1);
        return status;
    }
    if (!is_page(response) || is_excluded(surveyor->limits, survey->names[i].href))
        return SCENT_OK;
    survey->names[i].page = survey->npages++;
    return surveyor->analyser ? follow_links(surveyor, url, response) : SCENT_OK;
}

static scent_status look_behind(struct surveyor *surveyor, uint32_t i, struct errmsg *err)
{
    struct str href = surveyor->survey->names[i].href;
    struct web_response response;
    struct url url;
    scent_status status;

    if (surveyor->survey->names[i].hops > REDIRECTS_MAX)
        return SCENT_OK; /* a chain that leads to ever new URLs */
    status = web_get(surveyor->web, href, &surveyor->body, &response, err);
    if (status != SCENT_OK)
        return status;
    arena_reset(&surveyor->arena);
    status = url_parse(&surveyor->arena, href, NULL, &url);
    if (status == SCENT_OK)
        status = note_answer(surveyor, i, &url, &response);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no memory to survey %.*s", STR_ARG(href));
}

/* ---- other names ---- */

/* "…/" is the same page as "…/index.htm", where the web has only the one. */
static scent_status add_index_names(struct survey *survey)
{
    static const struct str endings[] = {{"/index.htm", 10}, {"/index.html", 11}};
    size_t count = survey->count;
    scent_status status = SCENT_OK;

    for (uint32_t i = 0; i < count && status == SCENT_OK; i++)
        for (size_t k = 0; k < 2 && status == SCENT_OK; k++) {
            struct str href = survey->names[i].href;
            size_t before = survey->count;
            uint32_t name;

            if (survey->names[i].page == SURVEY_NONE || !str_ends(href, endings[k]))
                continue;
            status = add_name(survey, str_sub(href, 0, href.len - endings[k].len + 1), &name);
            if (status == SCENT_OK && survey->count > before)
                survey->names[name].moved = i;
        }
    return status;
}

static void follow_redirects(struct survey *survey)
{
    for (size_t i = 0; i < survey->count; i++) {
        uint32_t at = (uint32_t)i;

        for (int hops = 0; hops < REDIRECTS_MAX && at != SURVEY_NONE && survey->names[at].page == SURVEY_NONE; hops++)
            at = survey->names[at].moved;
        survey->names[i].page = at != SURVEY_NONE ? survey->names[at].page : SURVEY_NONE;
    }
}

/* ---- the survey ---- */

static scent_status add_beginnings(struct surveyor *surveyor)
{
    scent_status status = SCENT_OK;
    struct arena arena;
    struct str href;
    uint32_t name;

    arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; status == SCENT_OK && (href = web_seed(surveyor->web, i, &arena)).len; i++) {
        arena_reset(&surveyor->arena);
        status = add_text(surveyor, href, NULL, &name);
        arena_reset(&arena);
    }
    for (uint64_t host = 0; status == SCENT_OK && host < web_hosts(surveyor->web) && host < HOME_PAGES; host++) {
        arena_reset(&surveyor->arena);
        status = add_text(surveyor, web_page_url(surveyor->web, host, 0, &arena), NULL, &name);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return status;
}

static scent_status walk(struct surveyor *surveyor, struct errmsg *err)
{
    struct survey *survey = surveyor->survey;
    scent_status status = add_beginnings(surveyor);

    for (uint32_t i = 0; status == SCENT_OK && i < survey->count && survey->npages < surveyor->limits->max_pages; i++)
        status = look_behind(surveyor, i, err);
    if (status == SCENT_OK)
        status = add_index_names(survey);
    if (status == SCENT_OK)
        follow_redirects(survey);
    return status;
}

scent_status survey_web(const struct web *web, const struct survey_limits *limits, struct survey *out,
                        struct errmsg *err)
{
    const struct page_options pages = {.key = COLLECTION_KEY, .url_flags = SURVEY_URL_FLAGS};
    struct surveyor surveyor = {.web = web, .survey = out, .limits = limits};
    scent_status status;

    *out = (struct survey){0};
    arena_init(&out->arena, SIZE_MAX);
    seen_init(&out->seen);
    arena_init(&surveyor.arena, PAGE_ARENA);
    buf_init(&surveyor.body, 0);
    if (web_hosts(web))
        surveyor.analyser = page_analyser_new(&pages);
    status = walk(&surveyor, err);
    page_analyser_free(surveyor.analyser);
    buf_release(&surveyor.body);
    arena_release(&surveyor.arena);
    if (status != SCENT_OK)
        survey_release(out);
    return status;
}

void survey_release(struct survey *survey)
{
    free(survey->names);
    seen_release(&survey->seen);
    arena_release(&survey->arena);
}

bool survey_find(const struct survey *survey, uint64_t fingerprint, uint32_t *page)
{
    uint32_t name;

    if (!seen_find(&survey->seen, fingerprint, &name) || survey->names[name].page == SURVEY_NONE)
        return false;
    *page = survey->names[name].page;
    return true;
}
