/* From bytes to struct page: decoding, the document, its language, its words and links. */
#include "base/vec.h"
#include "http/http.h"
#include "page/charset.h"
#include "page/content.h"
#include "page/media.h"
#include "page/outline.h"
#include "page/markup.h"
#include "page/page.h"
#include "page/render.h"

#include <stdlib.h>

enum {
    BODY_MAX = 64 * 1024 * 1024, /* what is beyond is not looked at */
    KEPT_MAX = 8 * 1024 * 1024,  /* of a buffer, for the next page */
    SCRATCH_MAX = 1024 * 1024,
    ANCHOR_MAX = 256
};

struct page_analyser {
    struct page_options options;
    struct markup markup;
    struct charset *charset;
    struct text_stemmer *stemmer;
    struct outline outline;
    struct render *render; /* NULL: nothing is kept for page_write() */
    struct arena scratch; /* for one URL at a time: what a page keeps is copied without the waste */
    struct buf decoded, utf8, html;
    bool is_document; /* the page is what a reader made of one */
};

struct page_analyser *page_analyser_new(const struct page_options *options)
{
    struct page_analyser *analyser = calloc(1, sizeof *analyser);

    SCENT_BUG_IF(!analyser);
    analyser->options = *options;
    markup_init(&analyser->markup);
    analyser->charset = charset_new();
    analyser->stemmer = text_stemmer_new();
    outline_init(&analyser->outline, options);
    if (options->form != PAGE_FORM_NONE)
        analyser->render = render_new(options->form);
    arena_init(&analyser->scratch, SCRATCH_MAX);
    if (analyser->options.max_bytes == 0 || analyser->options.max_bytes > BODY_MAX)
        analyser->options.max_bytes = BODY_MAX;
    buf_init(&analyser->decoded, analyser->options.max_bytes);
    buf_init(&analyser->utf8, 0);
    buf_init(&analyser->html, BODY_MAX);
    return analyser;
}

void page_analyser_free(struct page_analyser *analyser)
{
    if (!analyser)
        return;
    markup_release(&analyser->markup);
    charset_free(analyser->charset);
    text_stemmer_free(analyser->stemmer);
    outline_release(&analyser->outline);
    render_free(analyser->render);
    arena_release(&analyser->scratch);
    buf_release(&analyser->decoded);
    buf_release(&analyser->utf8);
    buf_release(&analyser->html);
    free(analyser);
}

static bool is_xml(struct str mime)
{
    return str_ends(mime, STR("+xml")) || str_ends(mime, STR("/xml"));
}

/* Events for the outline, and then for what is rendered. */
static void both_start(void *ctx, enum page_tag tag, const struct token_attributes *attributes)
{
    struct page_analyser *analyser = ctx;
    struct markup_sink first = outline_sink(&analyser->outline);

    first.start(first.ctx, tag, attributes);
    render_start(analyser->render, tag, attributes);
}

static void both_end(void *ctx)
{
    struct page_analyser *analyser = ctx;
    struct markup_sink first = outline_sink(&analyser->outline);

    first.end(first.ctx);
    render_end(analyser->render);
}

static void both_text(void *ctx, struct str text)
{
    struct page_analyser *analyser = ctx;
    struct markup_sink first = outline_sink(&analyser->outline);

    first.text(first.ctx, text);
    render_text(analyser->render, text);
}

/* Charset, then the document into analyser->outline. */
static scent_status read_document(struct page_analyser *analyser, const struct url *url, struct str content_type,
                                  struct str body, struct page *out)
{
    struct outline *outline = &analyser->outline;
    struct markup_sink sink = analyser->render ? (struct markup_sink){both_start, both_end, both_text, analyser}
                                               : outline_sink(outline);
    struct charset_choice choice = charset_choose(analyser->charset, content_type, body);
    struct str utf8;
    bool too_deep = false;

    out->charset = choice.name;
    body = str_sub(body, choice.bom, body.len);
    SCENT_TRY(charset_decode(analyser->charset, choice.name, body, &analyser->utf8, &utf8));
    if (analyser->render)
        render_begin(analyser->render, outline, url);
    if (str_eq(out->mime, STR("text/plain"))) {
        outline_plain_text(outline, utf8);
        if (analyser->render)
            render_plain_text(analyser->render, utf8);
    } else
        markup_parse(&analyser->markup, utf8, is_xml(out->mime), &sink, &too_deep);
    outline_finish(outline);
    if (too_deep)
        outline->truncated |= PAGE_CUT_DEPTH;
    return outline->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* The lang attribute, then votes, then n-grams. */
static scent_status decide_language(struct outline *outline, struct arena *arena, struct page *out)
{
    struct str lang = str_of(outline->lang);

    if (!lang.len)
        lang = glossary_language(&outline->glossary);
    if (!lang.len)
        lang = text_guess_by_ngrams(buf_str(&outline->text));
    out->lang = arena_str(arena, lang);
    return out->lang.p ? SCENT_OK : SCENT_E_NOMEM;
}

/* Before the words are counted as terms. */
static void choose_content(struct outline *outline, bool whole_page, struct page *out)
{
    out->ncontent = (uint32_t)outline->nwords;
    if (whole_page)
        return;
    content_choose(outline->blocks, outline->nblocks);
    for (size_t i = 0; i < outline->nblocks; i++) {
        const struct page_block *block = &outline->blocks[i];

        for (uint32_t k = block->first_word; block->is_boilerplate && k < block->end_word; k++) {
            outline->words[k].flags = PAGE_WORD_BOILERPLATE;
            outline->glossary.words[outline->words[k].stem].boilerplate++;
            out->ncontent--;
        }
    }
}

static scent_status copy_words(struct outline *outline, struct arena *arena, struct page *out)
{
    const struct glossary_word *known = outline->glossary.words;

    out->nwords = (uint32_t)outline->nwords;
    out->words = arena_array(arena, out->nwords, sizeof *out->words);
    if (!out->words)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < out->nwords; i++) {
        struct page_word word = outline->words[i];

        word.flags |= known[word.stem].flags;
        word.stem = known[word.stem].stem;
        out->words[i] = word;
    }
    return SCENT_OK;
}

static scent_status copy_rest(struct outline *outline, struct arena *arena, struct page *out)
{
    out->nnodes = (uint32_t)outline->nnodes;
    out->nodes = arena_array(arena, out->nnodes, sizeof *out->nodes);
    out->text = arena_str(arena, buf_str(&outline->text));
    out->title = arena_str(arena, buf_str(&outline->title));
    out->nblocks = (uint32_t)outline->nblocks;
    out->blocks = arena_array(arena, out->nblocks, sizeof *out->blocks);
    if (!out->nodes || !out->text.p || !out->title.p || !out->blocks)
        return SCENT_E_NOMEM;
    if (out->nblocks)
        memcpy(out->blocks, outline->blocks, out->nblocks * sizeof *out->blocks);
    if (out->nnodes)
        memcpy(out->nodes, outline->nodes, out->nnodes * sizeof *out->nodes);
    out->nleaves = outline->nleaves;
    out->robots |= outline->robots;
    if (outline->unavailable_after && (!out->unavailable_after || outline->unavailable_after < out->unavailable_after))
        out->unavailable_after = outline->unavailable_after;
    out->truncated |= outline->truncated;
    return SCENT_OK;
}

static struct str mime_of(struct arena *arena, struct str headers)
{
    struct str essence = http_head_mime(headers);
    char *p = arena_alloc(arena, essence.len + 1);

    if (!p)
        return STR_NONE;
    for (size_t i = 0; i < essence.len; i++)
        p[i] = ascii_lower(essence.p[i]);
    p[essence.len] = 0;
    return (struct str){p, essence.len};
}

/* ---- links: absolute, normalised, with fingerprints ---- */

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
static bool normal_url(struct page_analyser *analyser, struct str href, const struct url *base, struct url *out)
{
    struct url url;

    arena_reset(&analyser->scratch);
    return url_parse(&analyser->scratch, href, base, &url) == SCENT_OK &&
           url_normalise(&analyser->scratch, &url, analyser->options.url_flags, out) == SCENT_OK;
}

static scent_status find_base(struct page_analyser *analyser, const struct url *document, struct arena *arena,
                              struct page *out)
{
    struct str href = raw(&analyser->outline, analyser->outline.base);
    struct url base;

    if (!copy_url(arena, document, &out->url))
        return SCENT_E_NOMEM;
    out->base = out->url;
    if (!href.len)
        return SCENT_OK;
    arena_reset(&analyser->scratch);
    if (url_parse(&analyser->scratch, href, document, &base) != SCENT_OK)
        return SCENT_OK;
    return copy_url(arena, &base, &out->base) ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status find_canonical(struct page_analyser *analyser, struct arena *arena, struct page *out)
{
    struct str href = raw(&analyser->outline, analyser->outline.canonical);
    struct url url;

    if (!href.len || !normal_url(analyser, href, &out->base, &url))
        return SCENT_OK;
    return copy_url(arena, &url, &out->canonical) ? SCENT_OK : SCENT_E_NOMEM;
}

static uint64_t own_fingerprint(struct page_analyser *analyser, const struct url *document)
{
    struct url url;

    arena_reset(&analyser->scratch);
    if (url_normalise(&analyser->scratch, document, analyser->options.url_flags, &url) != SCENT_OK)
        return 0;
    return url_fingerprint(url.href, analyser->options.key);
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

static scent_status add_links(struct page_analyser *analyser, uint64_t own, struct arena *arena, struct page *out)
{
    const struct outline *outline = &analyser->outline;

    for (size_t i = 0; i < outline->nlinks; i++) {
        const struct outline_link *from = &outline->links[i];
        struct page_link *link = &out->links[out->nlinks];
        struct url url;
        uint64_t fingerprint;

        if (analyser->is_document && !str_starts_nocase(raw(outline, from->href), STR("http")))
            continue; /* the reader's own names for the pages of the document */
        if (!normal_url(analyser, raw(outline, from->href), &out->base, &url))
            continue;
        fingerprint = url_fingerprint(url.href, analyser->options.key);
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

/* Fills in out->url, base, canonical and links. Links that are not http or https, not valid, or lead to the
 * page itself are left out. */
static scent_status resolve_links(struct page_analyser *analyser, const struct url *document, struct arena *arena,
                                  struct page *out)
{
    const struct outline *outline = &analyser->outline;

    out->links = arena_array(arena, outline->nlinks, sizeof *out->links);
    if (!out->links)
        return SCENT_E_NOMEM;
    SCENT_TRY(find_base(analyser, document, arena, out));
    SCENT_TRY(find_canonical(analyser, arena, out));
    SCENT_TRY(add_links(analyser, own_fingerprint(analyser, document), arena, out));
    content_mark_links(out);
    return SCENT_OK;
}

/* ---- all of it ---- */

/* Undoes the content encoding: no copy where there is none. */
static scent_status decode_body(struct page_analyser *analyser, const struct page_input *input, struct page *out,
                                struct str *body)
{
    enum http_end end;
    scent_status status = http_decode_body(input->headers, input->body, &analyser->decoded, body, &end);

    if (status == SCENT_E_UNSUPPORTED) {
        out->truncated |= PAGE_UNDECODED;
        *body = STR_NONE;
        status = SCENT_OK;
    }
    if (!body->p)
        *body = STR("");
    out->bytes = body->len;
    if (body->len > analyser->options.max_bytes) {
        body->len = analyser->options.max_bytes;
        out->truncated |= PAGE_CUT_MEMORY;
    }
    return status;
}

/* Documents become HTML; what is not text becomes an empty page. */
static void read_media(struct page_analyser *analyser, struct str *content_type, struct str *body, struct page *out)
{
    const struct page_reader *pdf = &analyser->options.pdf;
    enum media media = media_of(out->mime, *body, *content_type);

    analyser->is_document = media == MEDIA_PDF;
    buf_clear(&analyser->html);
    if (media == MEDIA_TEXT)
        return;
    if (media == MEDIA_BINARY)
        out->not_text = "not text";
    else
        out->not_text = pdf->read ? pdf->read(pdf->ctx, *body, &analyser->html) : "PDFs cannot be read here";
    if (out->not_text)
        out->truncated |= PAGE_NOT_TEXT;
    *content_type = STR("text/html; charset=utf-8");
    *body = out->not_text ? STR("") : buf_str(&analyser->html);
}

static scent_status analyse(struct page_analyser *analyser, const struct page_input *input, struct arena *arena,
                            struct page *out)
{
    struct outline *outline = &analyser->outline;
    struct str content_type = http_header(input->headers, STR("content-type")), body;

    *out = (struct page){0};
    out->robots = (uint8_t)page_header_robots(input->headers, outline->agent, &out->unavailable_after);
    out->mime = mime_of(arena, input->headers);
    if (!out->mime.p)
        return SCENT_E_NOMEM;
    SCENT_TRY(decode_body(analyser, input, out, &body));
    read_media(analyser, &content_type, &body, out);
    outline_clear(outline);
    SCENT_TRY(read_document(analyser, input->url, content_type, body, out));
    if (!analyser->options.text_only)
        SCENT_TRY(decide_language(outline, arena, out));
    choose_content(outline, analyser->options.whole_page, out);
    if (!analyser->options.text_only)
        glossary_stem(&outline->glossary, analyser->stemmer, out->lang);
    SCENT_TRY(copy_words(outline, arena, out));
    SCENT_TRY(copy_rest(outline, arena, out));
    if (analyser->options.text_only)
        return copy_url(arena, input->url, &out->url) ? SCENT_OK : SCENT_E_NOMEM;
    SCENT_TRY(glossary_bag(&outline->glossary, arena, out));
    if (analyser->options.without_links)
        return copy_url(arena, input->url, &out->url) ? SCENT_OK : SCENT_E_NOMEM;
    return resolve_links(analyser, input->url, arena, out);
}

scent_status page_analyse(struct page_analyser *analyser, const struct page_input *input, struct arena *arena,
                          struct page *out)
{
    scent_status status = analyse(analyser, input, arena, out);

    if (analyser->decoded.room > KEPT_MAX)
        buf_release(&analyser->decoded);
    if (analyser->utf8.room > KEPT_MAX)
        buf_release(&analyser->utf8);
    if (analyser->html.room > KEPT_MAX)
        buf_release(&analyser->html);
    return status;
}

scent_status page_analyse_stored(struct page_analyser *analyser, struct str href, struct str headers, struct str body,
                                 struct arena *arena, struct page *out)
{
    struct url url;

    *out = (struct page){0};
    SCENT_TRY(url_parse(arena, href, NULL, &url));
    return page_analyse(analyser, &(struct page_input){&url, headers, body}, arena, out);
}

void page_write(const struct page_analyser *analyser, const struct page *page, struct buf *out)
{
    SCENT_BUG_IF(!analyser->render);
    render_write(analyser->render, page->blocks, page->nblocks, out);
}

struct page_term *page_find_term(const struct page *page, uint64_t stem)
{
    size_t low = vec_place(page->bag, page->nbag, sizeof *page->bag, offsetof(struct page_term, stem), stem);

    return low < page->nbag && page->bag[low].stem == stem ? &page->bag[low] : NULL;
}

scent_status page_frequencies(const struct page *page, struct arena *arena, struct text_vector *out)
{
    *out = (struct text_vector){arena_array(arena, page->nbag + (size_t)1, sizeof *out->items), page->nbag};
    if (!out->items)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < page->nbag; i++)
        out->items[i] = (struct text_weight){page->bag[i].stem, page->bag[i].tf};
    return SCENT_OK;
}
