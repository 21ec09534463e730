#include "page/charset.h"
#include "http/http.h"
#include "page/head.h"
#include "page/markup.h"
#include "page/outline.h"
#include "page/page.h"
#include "page/resolve.h"

#include <stdlib.h>

enum {
    BODY_MAX = 64 * 1024 * 1024, /* what is beyond is not looked at */
    KEPT_MAX = 8 * 1024 * 1024
};

struct page_analyser {
    struct page_options options;
    struct markup markup;
    struct charset *charset;
    struct text_stemmer *stemmer;
    struct outline outline;
    struct resolve resolve;
    struct buf decoded, utf8;
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
    resolve_init(&analyser->resolve, options);
    if (analyser->options.max_bytes == 0 || analyser->options.max_bytes > BODY_MAX)
        analyser->options.max_bytes = BODY_MAX;
    buf_init(&analyser->decoded, analyser->options.max_bytes);
    buf_init(&analyser->utf8, 0);
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
    resolve_release(&analyser->resolve);
    buf_release(&analyser->decoded);
    buf_release(&analyser->utf8);
    free(analyser);
}

static bool is_xml(struct str mime)
{
    return str_ends(mime, STR("+xml")) || str_ends(mime, STR("/xml"));
}

/* Charset, then the document into analyser->outline. */
static scent_status read_document(struct page_analyser *analyser, struct str content_type, struct str body,
                                  struct page *out)
{
    struct outline *outline = &analyser->outline;
    struct markup_sink sink = outline_sink(outline);
    struct charset_choice choice = charset_choose(analyser->charset, content_type, body);
    struct str utf8;
    bool too_deep = false;
    scent_status status;

    out->charset = choice.name;
    status = charset_decode(analyser->charset, choice.name, str_sub(body, choice.bom, body.len), &analyser->utf8, &utf8);
    if (status != SCENT_OK)
        return status;
    if (str_eq(out->mime, STR("text/plain")))
        outline_plain_text(outline, utf8);
    else
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

static scent_status copy_words(struct outline *outline, struct arena *arena, struct page *out)
{
    const struct glossary_word *known = outline->glossary.words;

    out->nwords = (uint32_t)outline->nwords;
    out->words = arena_array(arena, out->nwords, sizeof *out->words);
    if (!out->words)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < out->nwords; i++) {
        struct page_word word = outline->words[i];

        word.flags = known[word.stem].flags;
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
    if (!out->nodes || !out->text.p || !out->title.p)
        return SCENT_E_NOMEM;
    if (out->nnodes)
        memcpy(out->nodes, outline->nodes, out->nnodes * sizeof *out->nodes);
    out->nleaves = outline->nleaves;
    out->robots |= outline->robots;
    out->truncated |= outline->truncated;
    return SCENT_OK;
}

unsigned page_header_robots(struct str headers, struct str agent)
{
    struct str line;
    unsigned flags = 0;

    while (str_split(&headers, '\n', &line))
        if (str_starts_nocase(line, STR("x-robots-tag:")))
            flags |= head_robots(str_sub(line, sizeof "x-robots-tag:" - 1, line.len), agent);
    return flags;
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

static scent_status analyse(struct page_analyser *analyser, const struct page_input *input, struct arena *arena,
                            struct page *out)
{
    struct outline *outline = &analyser->outline;
    struct str content_type = http_header(input->headers, STR("content-type")), body;

    *out = (struct page){.robots = (uint8_t)page_header_robots(input->headers, outline->agent)};
    out->mime = mime_of(arena, input->headers);
    if (!out->mime.p)
        return SCENT_E_NOMEM;
    SCENT_TRY(decode_body(analyser, input, out, &body));
    outline_clear(outline);
    SCENT_TRY(read_document(analyser, content_type, body, out));
    SCENT_TRY(decide_language(outline, arena, out));
    glossary_stem(&outline->glossary, analyser->stemmer, out->lang);
    SCENT_TRY(copy_words(outline, arena, out));
    SCENT_TRY(glossary_bag(&outline->glossary, arena, out));
    SCENT_TRY(copy_rest(outline, arena, out));
    return resolve_links(&analyser->resolve, outline, input->url, arena, out);
}

scent_status page_analyse(struct page_analyser *analyser, const struct page_input *input, struct arena *arena,
                          struct page *out)
{
    scent_status status = analyse(analyser, input, arena, out);

    if (analyser->decoded.room > KEPT_MAX)
        buf_release(&analyser->decoded);
    if (analyser->utf8.room > KEPT_MAX)
        buf_release(&analyser->utf8);
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
