#include "page/markup.h"

#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>
#include <stdlib.h>

enum {
    TAG_CACHE = 256,
    NAMES_MAX = 256 * 1024, /* bytes of distinct names in one parser; see markup_parse() */
    NAMES_KEEP = 2000       /* more names than this, and the next page gets a new parser */
};

struct markup {
    htmlParserCtxtPtr parser; /* kept from page to page; NULL: to be made */
    const struct markup_sink *sink;
    bool too_deep;
    struct {
        const xmlChar *name; /* libxml2 keeps one copy of a name: the pointer tells it */
        enum page_tag tag;
    } tags[TAG_CACHE];
};

struct str markup_attribute(const char *const *attributes, const char *name)
{
    for (size_t i = 0; attributes && attributes[i]; i += 2)
        if (strcmp(attributes[i], name) == 0)
            return str_of(attributes[i + 1]);
    return STR_NONE;
}

static enum page_tag tag_of(struct markup *markup, const xmlChar *name)
{
    size_t i = ((uintptr_t)name ^ (uintptr_t)name >> 8) % TAG_CACHE;

    if (markup->tags[i].name != name) {
        markup->tags[i].name = name;
        markup->tags[i].tag = page_tag_find(str_of((const char *)name));
    }
    return markup->tags[i].tag;
}

static void on_start(void *ctx, const xmlChar *name, const xmlChar **attributes)
{
    struct markup *markup = ctx;
    htmlParserCtxtPtr parser = markup->parser;
    enum page_tag tag = tag_of(markup, name);

    markup->sink->start(markup->sink->ctx, tag, (const char *const *)attributes);
    if (parser->nameNr <= MARKUP_DEPTH_MAX)
        return;
    /* The parser looks through its whole stack for every end tag: a million open elements and a million stray end
     * tags would take hours. So the element leaves the stack at once. */
    markup->too_deep = true;
    parser->nameNr--;
    parser->nameTab[parser->nameNr] = NULL;
    parser->name = parser->nameTab[parser->nameNr - 1];
    markup->sink->end(markup->sink->ctx, tag);
}

static void on_end(void *ctx, const xmlChar *name)
{
    struct markup *markup = ctx;

    markup->sink->end(markup->sink->ctx, tag_of(markup, name));
}

static void on_text(void *ctx, const xmlChar *text, int len)
{
    struct markup *markup = ctx;

    markup->sink->text(markup->sink->ctx, (struct str){(const char *)text, (size_t)len});
}

static void on_raw_text(void *ctx, const xmlChar *text, int len)
{
    (void)ctx;
    (void)text;
    (void)len;
}

struct markup *markup_new(void)
{
    struct markup *markup = calloc(1, sizeof *markup);

    SCENT_BUG_IF(!markup);
    xmlInitParser();
    return markup;
}

static void drop_parser(struct markup *markup)
{
    htmlFreeParserCtxt(markup->parser);
    markup->parser = NULL;
    memset(markup->tags, 0, sizeof markup->tags);
}

void markup_free(struct markup *markup)
{
    if (!markup)
        return;
    drop_parser(markup);
    free(markup);
}

/* No callback for errors: nothing is printed, and nothing is fetched, for no loader is ever asked. */
static bool make_parser(struct markup *markup)
{
    htmlParserCtxtPtr parser = htmlNewParserCtxt();

    if (!parser)
        return false;
    memset(parser->sax, 0, sizeof *parser->sax);
    parser->sax->startElement = on_start;
    parser->sax->endElement = on_end;
    parser->sax->characters = on_text;
    parser->sax->ignorableWhitespace = on_text;
    parser->sax->cdataBlock = on_raw_text;
    parser->userData = markup;
    /* Names are kept for the life of a parser, and a tag's attributes are compared with each other: bounded, so that
     * neither memory nor time can be taken by names that a page makes up. */
    xmlDictSetLimit(parser->dict, NAMES_MAX);
    markup->parser = parser;
    return true;
}

static bool feed(htmlParserCtxtPtr parser, struct str utf8)
{
    xmlParserInputBufferPtr buffer = xmlParserInputBufferCreateMem(utf8.p, (int)utf8.len, XML_CHAR_ENCODING_NONE);
    xmlParserInputPtr input = buffer ? xmlNewIOInputStream(parser, buffer, XML_CHAR_ENCODING_NONE) : NULL;

    if (!input) {
        xmlFreeParserInputBuffer(buffer);
        return false;
    }
    if (inputPush(parser, input) < 0) {
        xmlFreeInputStream(input);
        return false;
    }
    return true;
}

scent_status markup_parse(struct markup *markup, struct str utf8, const struct markup_sink *sink, bool *too_deep)
{
    htmlParserCtxtPtr parser;
    bool no_memory;

    SCENT_BUG_IF(utf8.len > INT32_MAX);
    *too_deep = false;
    if (utf8.len == 0)
        return SCENT_OK;
    if (markup->parser && xmlDictSize(markup->parser->dict) > NAMES_KEEP)
        drop_parser(markup);
    if (!markup->parser && !make_parser(markup))
        return SCENT_E_NOMEM;
    parser = markup->parser;
    htmlCtxtReset(parser);
    htmlCtxtUseOptions(parser, HTML_PARSE_NOIMPLIED | HTML_PARSE_IGNORE_ENC | HTML_PARSE_NONET | HTML_PARSE_COMPACT);
    parser->options |= XML_PARSE_HUGE;
    parser->charset = XML_CHAR_ENCODING_UTF8;
    if (!feed(parser, utf8))
        return SCENT_E_NOMEM;
    markup->sink = sink;
    markup->too_deep = false;
    htmlParseDocument(parser);
    *too_deep = markup->too_deep;
    no_memory = parser->errNo == XML_ERR_NO_MEMORY;
    htmlCtxtReset(parser); /* lets go of the input */
    return no_memory ? SCENT_E_NOMEM : SCENT_OK;
}
