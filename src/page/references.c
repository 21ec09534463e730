#include "page/references.h"

#include "base/hash.h"
#include "base/map.h"
#include "http/http.h"
#include "page/charset.h"
#include "page/rewrite.h"

#include <stdlib.h>

struct references {
    struct charset *charset;
    struct buf decoded, utf8, out;
    struct arena scratch; /* of one URL */
    struct map known;     /* items by the hash of their URL */
    struct arena *arena;
    struct references_found *found;
    uint32_t room, most;
    bool failed;
};

struct references *references_new(void)
{
    struct references *references = calloc(1, sizeof *references);

    SCENT_BUG_IF(!references);
    references->charset = charset_new();
    buf_init(&references->decoded, 0);
    buf_init(&references->utf8, 0);
    buf_init(&references->out, 0);
    arena_init(&references->scratch, 8 * SCENT_URL_MAX);
    return references;
}

void references_free(struct references *references)
{
    if (!references)
        return;
    charset_free(references->charset);
    buf_release(&references->decoded);
    buf_release(&references->utf8);
    buf_release(&references->out);
    arena_release(&references->scratch);
    map_release(&references->known);
    free(references);
}

static bool is_known(const struct references *references, struct str href)
{
    struct map_walk walk = map_find(&references->known, hash_str(href, 0));

    while (map_next(&walk))
        if (str_eq(references->found->items[walk.value].url.href, href))
            return true;
    return false;
}

static bool make_room(struct references *references)
{
    struct references_found *found = references->found;
    uint32_t room = references->room ? 2 * references->room : 16;
    void *grown;

    if (found->count < references->room)
        return true;
    grown = references->room ? arena_grow(references->arena, found->items, references->room * sizeof *found->items,
                                          room * sizeof *found->items)
                             : arena_array(references->arena, room, sizeof *found->items);
    if (!grown)
        return false;
    found->items = grown;
    references->room = room;
    return true;
}

static void add(void *ctx, struct str href, enum rewrite_use use)
{
    struct references *references = ctx;
    struct references_found *found = references->found;
    struct references_item item = {.kind = use == REWRITE_STYLE   ? REFERENCES_STYLE
                                           : use == REWRITE_FRAME ? REFERENCES_FRAME
                                                                  : REFERENCES_FILE};
    struct str copy;
    struct url url;

    if (references->failed || found->count == references->most)
        return;
    arena_reset(&references->scratch);
    if (url_parse(&references->scratch, href, NULL, &url) != SCENT_OK ||
        url_normalise(&references->scratch, &url, 0, &url) != SCENT_OK || is_known(references, url.href))
        return;
    copy = arena_str(references->arena, url.href);
    references->failed = !copy.p || !make_room(references) ||
                         url_parse(references->arena, copy, NULL, &item.url) != SCENT_OK ||
                         map_add(&references->known, hash_str(item.url.href, 0), found->count) != SCENT_OK;
    if (!references->failed)
        found->items[found->count++] = item;
}

static bool is_html(struct str mime)
{
    return mime.len == 0 || str_eq_nocase(mime, STR("text/html")) || str_eq_nocase(mime, STR("application/xhtml+xml"));
}

static bool is_svg(struct str mime)
{
    return str_eq_nocase(mime, STR("image/svg+xml"));
}

scent_status references_find(struct references *references, const struct references_input *input, struct arena *arena,
                             struct references_found *out)
{
    struct str mime = http_head_mime(input->head), body, text;
    bool is_style = str_eq_nocase(mime, STR("text/css")) || (input->kind == REFERENCES_STYLE && !is_html(mime));
    bool is_frame = input->kind == REFERENCES_FRAME && (is_html(mime) || is_svg(mime));
    struct rewrite_options options = {
        .url = input->url, .found = add, .ctx = references, .xml = mime.len && !str_eq_nocase(mime, STR("text/html"))};
    struct charset_choice choice;
    enum http_end end;
    scent_status status;

    *out = (struct references_found){0};
    if (!is_style && !is_frame)
        return SCENT_OK;
    references->decoded.cap = input->max_bytes;
    if (http_decode_body(input->head, input->body, &references->decoded, &body, &end) != SCENT_OK)
        return SCENT_OK;
    body.len = body.len < input->max_bytes ? body.len : input->max_bytes;
    choice = charset_choose(references->charset, http_header(input->head, STR("content-type")), body);
    SCENT_TRY(charset_decode(references->charset, choice.name, str_sub(body, choice.bom, body.len), &references->utf8,
                             &text));
    references->arena = arena;
    references->found = out;
    references->room = 0;
    references->most = input->most;
    references->failed = false;
    map_clear(&references->known);
    buf_clear(&references->out);
    status = is_style ? rewrite_css(&options, text, &references->out)
                      : rewrite_html(&options, text, &references->out);
    return references->failed ? SCENT_E_NOMEM : status;
}
