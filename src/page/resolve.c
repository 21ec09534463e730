#include "page/resolve.h"

enum { SCRATCH_MAX = 1024 * 1024, ANCHOR_MAX = 256 };

void resolve_init(struct resolve *resolve, const struct page_options *options)
{
    resolve->key = options->key;
    resolve->url_flags = options->url_flags;
    arena_init(&resolve->scratch, SCRATCH_MAX);
}

void resolve_release(struct resolve *resolve)
{
    arena_release(&resolve->scratch);
}

static struct str raw(const struct outline *outline, struct outline_range range)
{
    return range.len ? str_sub(buf_str(&outline->raw), range.start, range.start + range.len) : STR_NONE;
}

static bool copy_url(struct arena *arena, const struct url *url, struct url *out)
{
    struct str href = arena_str(arena, url->href);

    *out = *url;
    out->href = href;
    return href.p != NULL;
}

/* Parses and normalises; *out lives in the scratch arena until the next call. False: not a link of ours. */
static bool normal_url(struct resolve *resolve, struct str href, const struct url *base, struct url *out)
{
    struct url url;

    arena_reset(&resolve->scratch);
    return url_parse(&resolve->scratch, href, base, &url) == SCENT_OK &&
           url_normalise(&resolve->scratch, &url, resolve->url_flags, out) == SCENT_OK;
}

static scent_status find_base(struct resolve *resolve, const struct outline *outline, const struct url *document,
                              struct arena *arena, struct page *out)
{
    struct str href = raw(outline, outline->base);
    struct url base;

    if (!copy_url(arena, document, &out->url))
        return SCENT_E_NOMEM;
    out->base = out->url;
    if (!href.len)
        return SCENT_OK;
    arena_reset(&resolve->scratch);
    if (url_parse(&resolve->scratch, href, document, &base) != SCENT_OK)
        return SCENT_OK;
    return copy_url(arena, &base, &out->base) ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status find_canonical(struct resolve *resolve, const struct outline *outline, struct arena *arena,
                                   struct page *out)
{
    struct str href = raw(outline, outline->canonical);
    struct url url;

    if (!href.len || !normal_url(resolve, href, &out->base, &url))
        return SCENT_OK;
    return copy_url(arena, &url, &out->canonical) ? SCENT_OK : SCENT_E_NOMEM;
}

static uint64_t own_fingerprint(struct resolve *resolve, const struct url *document)
{
    struct url url;

    arena_reset(&resolve->scratch);
    if (url_normalise(&resolve->scratch, document, resolve->url_flags, &url) != SCENT_OK)
        return 0;
    return url_fingerprint(url.href, resolve->key);
}

/* At most ANCHOR_MAX bytes of `s`, whole characters. */
static struct str cut_anchor(struct str s)
{
    s = str_trim(s);
    if (s.len <= ANCHOR_MAX)
        return s;
    for (s.len = ANCHOR_MAX; ((unsigned char)s.p[s.len] & 0xC0) == 0x80;)
        s.len--;
    return str_trim(s);
}

/* A range of out->text where that is one line already, else a copy with its white space folded. */
static bool set_anchor(const struct outline *outline, const struct outline_link *from, struct arena *arena,
                       struct page *out, struct str *anchor)
{
    struct str s = cut_anchor(str_sub(out->text, from->start, from->end));
    char *p;
    size_t n = 0;

    if (s.len && str_find(s, '\n') == s.len) {
        *anchor = s;
        return true;
    }
    s = s.len ? s : cut_anchor(raw(outline, from->alt));
    p = arena_alloc(arena, s.len + 1);
    if (!p)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = (unsigned char)s.p[i] <= ' ' ? ' ' : s.p[i];

        if (c != ' ' || (n && p[n - 1] != ' '))
            p[n++] = c;
    }
    n -= n && p[n - 1] == ' ';
    p[n] = 0;
    *anchor = (struct str){p, n};
    return true;
}

static scent_status add_links(struct resolve *resolve, const struct outline *outline, uint64_t own,
                              struct arena *arena, struct page *out)
{
    for (size_t i = 0; i < outline->nlinks; i++) {
        const struct outline_link *from = &outline->links[i];
        struct page_link *link = &out->links[out->nlinks];
        struct url url;
        uint64_t fingerprint;

        if (!normal_url(resolve, raw(outline, from->href), &out->base, &url))
            continue;
        fingerprint = url_fingerprint(url.href, resolve->key);
        if (fingerprint == own)
            continue;
        *link = (struct page_link){
            .fingerprint = fingerprint,
            .first_word = from->first_word,
            .end_word = from->end_word,
            .node = from->node,
            .rel = from->rel,
            .kind = from->kind,
        };
        if (!copy_url(arena, &url, &link->url) || !set_anchor(outline, from, arena, out, &link->anchor))
            return SCENT_E_NOMEM;
        out->nlinks++;
    }
    return SCENT_OK;
}

scent_status resolve_links(struct resolve *resolve, const struct outline *outline, const struct url *document,
                           struct arena *arena, struct page *out)
{
    scent_status status;

    out->links = arena_array(arena, outline->nlinks, sizeof *out->links);
    if (!out->links)
        return SCENT_E_NOMEM;
    if ((status = find_base(resolve, outline, document, arena, out)) != SCENT_OK ||
        (status = find_canonical(resolve, outline, arena, out)) != SCENT_OK)
        return status;
    return add_links(resolve, outline, own_fingerprint(resolve, document), arena, out);
}
