#include "xml/xml.h"
#include "xml/screen.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <stdlib.h>

struct xml {
    const struct xml_events *events;
    void *ctx;
    xmlParserCtxtPtr parser;
    struct screen screen;
    unsigned depth;
    bool has_root, stopped, nomem;
    char fault[256];
    struct xml_attr attrs[XML_MAX_ATTRS];
};

static struct str str_of_xml(const xmlChar *z)
{
    return str_of((const char *)z);
}

static void stop(struct xml *xml)
{
    xml->stopped = true;
    xml->screen.stopped = true;
    xmlStopParser(xml->parser);
}

/* Keeps the first line of the first fault. It may quote the document: what cannot be printed becomes "?". */
static void set_fault(struct xml *xml, int line, const char *what)
{
    if (xml->fault[0])
        return;
    snprintf(xml->fault, sizeof xml->fault, "line %d: %s", line, what);
    xml->fault[strcspn(xml->fault, "\n")] = 0;
    for (char *p = xml->fault; *p; p++)
        *p = *p < 0x20 || *p > 0x7E ? '?' : *p;
}

static void end_with_fault(struct xml *xml, const char *what)
{
    if (xml->stopped)
        return;
    set_fault(xml, xml->parser->input ? xml->parser->input->line : 0, what);
    stop(xml);
}

/* atts: name, prefix, namespace, begin and end of the value, for each. */
static void read_attrs(struct xml *xml, int count, const xmlChar **atts)
{
    for (int i = 0; i < count; i++, atts += 5)
        xml->attrs[i] = (struct xml_attr){
            .name = str_of_xml(atts[0]),
            .prefix = str_of_xml(atts[1]),
            .ns = str_of_xml(atts[2]),
            .value = {(const char *)atts[3], (size_t)(atts[4] - atts[3])},
        };
}

static void on_start(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int nspaces,
                     const xmlChar **spaces, int natts, int ndefaulted, const xmlChar **atts)
{
    struct xml *xml = data;

    (void)nspaces, (void)spaces, (void)ndefaulted;
    if (xml->stopped)
        return;
    if (natts > XML_MAX_ATTRS) {
        end_with_fault(xml, "an element has more than 256 attributes");
        return;
    }
    if (++xml->depth > XML_MAX_DEPTH) {
        end_with_fault(xml, "elements are nested deeper than 256");
        return;
    }
    xml->has_root = true;
    read_attrs(xml, natts, atts);
    struct xml_element element = {
        .name = str_of_xml(name),
        .prefix = str_of_xml(prefix),
        .ns = str_of_xml(uri),
        .attrs = xml->attrs,
        .nattrs = (size_t)natts,
        .depth = xml->depth,
    };
    if (xml->events->start && !xml->events->start(xml->ctx, &element))
        stop(xml);
}

static void on_end(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct xml *xml = data;

    (void)prefix, (void)uri;
    if (xml->stopped || xml->depth == 0)
        return;
    if (xml->events->end && !xml->events->end(xml->ctx, str_of_xml(name), xml->depth))
        stop(xml);
    xml->depth--;
}

static void on_text(void *data, const xmlChar *text, int len)
{
    struct xml *xml = data;
    struct str piece = {(const char *)text, (size_t)len};

    if (!xml->stopped && xml->events->text && !xml->events->text(xml->ctx, piece))
        stop(xml);
}

/* libxml2 names all that is wrong at the end "extra content". */
static const char *explain(const struct xml *xml, const xmlError *error)
{
    bool at_end = error->code == XML_ERR_DOCUMENT_END || error->code == XML_ERR_DOCUMENT_EMPTY;

    if (at_end && !xml->has_root)
        return "there is no element";
    if (at_end && xml->depth > 0)
        return "the document ends inside an element";
    return error->message ? error->message : "not well formed";
}

static void on_error(void *data, xmlErrorPtr error)
{
    struct xml *xml = data;

    if (error->code == XML_ERR_NO_MEMORY)
        xml->nomem = true;
    /* Undeclared prefixes are so common in sitemaps that they count for nothing. */
    if (xml->stopped || error->level < XML_ERR_ERROR || error->domain == XML_FROM_NAMESPACE)
        return;
    set_fault(xml, error->line, explain(xml, error));
}

/* What belongs to no parser (conversions) is reported by libxml2 to the thread, by default on stderr. */
static void ignore_error(void *data, xmlErrorPtr error)
{
    (void)data, (void)error;
}

static void on_block(void *ctx, struct str block)
{
    struct xml *xml = ctx;

    if (xml->stopped)
        return;
    xmlParseChunk(xml->parser, block.p, (int)block.len, 0);
    if (xml->stopped)
        return;
    /* In an encoding that the screen cannot read a token may hide its length from it. */
    if (xml->parser->input && xml->parser->input->end - xml->parser->input->cur > XML_MAX_TAG)
        end_with_fault(xml, "a token is too long");
    /* libxml2 keeps every name, and takes minutes and then all for lost where they are millions. */
    if (xmlDictGetUsage(xml->parser->dict) > XML_MAX_NAMES)
        end_with_fault(xml, "its different names take more than 1 MiB");
}

struct xml *xml_new(const struct xml_events *events, void *ctx)
{
    /* No handler for entities: none is ever declared, so that none can be expanded. */
    xmlSAXHandler handler = {
        .startElementNs = on_start,
        .endElementNs = on_end,
        .characters = on_text,
        .ignorableWhitespace = on_text,
        .cdataBlock = on_text,
        .serror = on_error,
        .initialized = XML_SAX2_MAGIC,
    };
    struct xml *xml = calloc(1, sizeof *xml);

    SCENT_BUG_IF(!xml);
    xml->events = events;
    xml->ctx = ctx;
    screen_init(&xml->screen, on_block, xml);
    xml->parser = xmlCreatePushParserCtxt(&handler, xml, NULL, 0, NULL);
    SCENT_BUG_IF(!xml->parser);
    /* Without NOENT "&amp;" in an attribute comes as "&#38;". */
    xmlCtxtUseOptions(xml->parser, XML_PARSE_RECOVER | XML_PARSE_NONET | XML_PARSE_NOENT);
    return xml;
}

void xml_free(struct xml *xml)
{
    if (!xml)
        return;
    /* libxml2 makes a document unasked for declarations of entities, should any get past the screen. */
    xmlFreeDoc(xml->parser->myDoc);
    xmlFreeParserCtxt(xml->parser);
    screen_release(&xml->screen);
    free(xml);
}

static scent_status feed(struct xml *xml, struct str piece, bool is_last)
{
    xmlStructuredErrorFunc old = xmlStructuredError;
    void *old_ctx = xmlStructuredErrorContext;

    xmlSetStructuredErrorFunc(NULL, ignore_error);
    if (!xml->stopped)
        screen_feed(&xml->screen, piece, is_last);
    if (xml->screen.fault)
        end_with_fault(xml, xml->screen.fault);
    if (!xml->stopped && is_last)
        xmlParseChunk(xml->parser, NULL, 0, 1);
    xmlSetStructuredErrorFunc(old_ctx, old);
    return xml->nomem || xml->screen.nomem ? SCENT_E_NOMEM : SCENT_OK;
}

scent_status xml_feed(struct xml *xml, struct str piece)
{
    return feed(xml, piece, false);
}

scent_status xml_finish(struct xml *xml)
{
    return feed(xml, STR(""), true);
}

bool xml_is_stopped(const struct xml *xml)
{
    return xml->stopped;
}

const char *xml_fault(const struct xml *xml)
{
    return xml->fault;
}

struct str xml_attr(const struct xml_element *element, const char *name)
{
    for (size_t i = 0; i < element->nattrs; i++)
        if (str_eq(element->attrs[i].name, str_of(name)))
            return element->attrs[i].value;
    return STR_NONE;
}
