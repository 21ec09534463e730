#include "training/lookup.h"

#include "http/http.h"
#include "page/page.h"
#include "url/url.h"

enum { MAX_REDIRECTS = 10 };

void lookup_init(struct lookup *lookup)
{
    buf_init(&lookup->record, 0);
}

void lookup_release(struct lookup *lookup)
{
    buf_release(&lookup->record);
}

/* The last response behind `href`; *url is where it was found. */
static scent_status find(struct lookup *lookup, const struct archive *archive, struct str href, struct arena *arena,
                         struct url *url, struct archive_response *out, struct errmsg *err)
{
    scent_status status = SCENT_E_NOTFOUND;

    if (url_parse(arena, href, NULL, url) != SCENT_OK || url_normalise(arena, url, 0, url) != SCENT_OK)
        return errmsg_fail(err, status, "it is no URL");
    status = archive_get(archive, url->href, &lookup->record, out, err);
    for (int hops = 0; status == SCENT_OK && out->status / 100 == 3; hops++) {
        struct str location = http_header(out->head, STR("location"));

        if (hops == MAX_REDIRECTS || !location.len || url_parse(arena, location, url, url) != SCENT_OK ||
            url_normalise(arena, url, 0, url) != SCENT_OK)
            return errmsg_fail(err, SCENT_E_NOTFOUND, "its redirects lead nowhere");
        status = archive_get(archive, url->href, &lookup->record, out, err);
    }
    if (status == SCENT_OK && out->status / 100 != 2)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "http %d", out->status);
    return status;
}

scent_status lookup_page(struct lookup *lookup, const struct archive *archive, struct str href, pagefile_fn *fn,
                         void *ctx, struct errmsg *err)
{
    struct archive_response response;
    struct arena arena;
    struct url url;
    scent_status status;

    arena_init(&arena, 1 << 20);
    status = find(lookup, archive, href, &arena, &url, &response, err);
    if (status == SCENT_OK)
        status = fn(ctx, &(struct pagefile_page){href, url.href, response.head, response.body}, err);
    arena_release(&arena);
    return status;
}
