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
    struct buf utf8;
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
    if (analyser->utf8.room > KEPT_MAX)
        buf_release(&analyser->utf8);
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

scent_status page_analyse(struct page_analyser *analyser, const struct page_input *input, struct arena *arena,
                          struct page *out)
{
    struct outline *outline = &analyser->outline;
    struct str body = input->body.p ? input->body : STR("");
    struct str content_type = http_header(input->headers, STR("content-type"));
    scent_status status;

    *out = (struct page){.robots = (uint8_t)page_header_robots(input->headers, outline->agent)};
    out->mime = mime_of(arena, input->headers);
    if (!out->mime.p)
        return SCENT_E_NOMEM;
    if (body.len > BODY_MAX) {
        body.len = BODY_MAX;
        out->truncated |= PAGE_CUT_MEMORY;
    }
    outline_clear(outline);
    if ((status = read_document(analyser, content_type, body, out)) != SCENT_OK ||
        (status = decide_language(outline, arena, out)) != SCENT_OK)
        return status;
    glossary_stem(&outline->glossary, analyser->stemmer, out->lang);
    if ((status = copy_words(outline, arena, out)) != SCENT_OK ||
        (status = glossary_bag(&outline->glossary, arena, out)) != SCENT_OK ||
        (status = copy_rest(outline, arena, out)) != SCENT_OK)
        return status;
    return resolve_links(&analyser->resolve, outline, input->url, arena, out);
}
