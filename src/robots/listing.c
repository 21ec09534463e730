/* Sitemaps, indexes, RSS and Atom are all lists of entries that hold fields. An element counts by its name and by the
 * place it has: fields are children of an entry. Namespaces are often wrong or missing; they only tell an extension's
 * elements (image:loc) from our own. */
#include "base/buf.h"
#include "base/date.h"
#include "robots/decimal.h"
#include "robots/sitemap_parts.h"
#include "url/url.h"
#include "xml/xml.h"

#include <stdio.h>
#include <stdlib.h>

enum field { FIELD_NONE, FIELD_URL, FIELD_GUID, FIELD_DATE, FIELD_OTHER_DATE, FIELD_PRIORITY };

enum { FIELD_MAX = SCENT_URL_MAX + 1024, LINKS_MAX = 16 * 1024 };

struct listing {
    struct sitemap_sink *sink;
    struct xml *xml;
    char root_ns[256], root_prefix[64];
    unsigned depth, entry_depth; /* entry_depth 0: outside of entries */
    enum field field;
    bool guid_is_link;
    struct buf text;  /* of the field */
    struct buf loose; /* text that stands in the entry itself */
    struct buf links; /* of the entry, a NUL byte after each: no XML has one */
    struct buf guid;
    int64_t modified;
    double priority;
};

static enum sitemap_kind kind_of(struct str root)
{
    static const struct {
        const char *root;
        enum sitemap_kind kind;
    } kinds[] = {{"urlset", SITEMAP_URLS}, {"sitemapindex", SITEMAP_INDEX}, {"rss", SITEMAP_RSS},
                 {"RDF", SITEMAP_RSS},     {"feed", SITEMAP_ATOM}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_eq_nocase(root, str_of(kinds[i].root)))
            return kinds[i].kind;
    return SITEMAP_NONE;
}

static const char *entry_name(enum sitemap_kind kind)
{
    switch (kind) {
    case SITEMAP_URLS:
        return "url";
    case SITEMAP_INDEX:
        return "sitemap";
    case SITEMAP_RSS:
        return "item";
    default:
        return "entry";
    }
}

/* The namespaces that lists of a kind are written in. */
static bool is_usual_ns(enum sitemap_kind kind, struct str ns)
{
    static const struct {
        enum sitemap_kind kind;
        const char *ns;
    } usual[] = {{SITEMAP_RSS, "http://purl.org/rss/1.0/"},     {SITEMAP_RSS, "http://my.netscape.com/rdf/simple/0.9/"},
                 {SITEMAP_ATOM, "http://www.w3.org/2005/Atom"}, {SITEMAP_ATOM, "http://purl.org/atom/ns#"}};

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (usual[i].kind == kind && str_eq(ns, str_of(usual[i].ns)))
            return true;
    return (kind == SITEMAP_URLS || kind == SITEMAP_INDEX) &&
           (str_starts(ns, STR("http://www.sitemaps.org/schemas/sitemap/")) ||
            str_starts(ns, STR("https://www.sitemaps.org/schemas/sitemap/")) ||
            str_starts(ns, STR("http://www.google.com/schemas/sitemap/")));
}

/* Not an extension's: without a namespace, in the root's, or in a usual one. */
static bool is_own(const struct listing *listing, const struct xml_element *element)
{
    if (!element->ns.len)
        return !element->prefix.len || str_eq(element->prefix, str_of(listing->root_prefix));
    return str_eq(element->ns, str_of(listing->root_ns)) || is_usual_ns(listing->sink->report->kind, element->ns);
}

static enum field feed_field(struct str name)
{
    if (str_eq(name, STR("updated")))
        return FIELD_DATE;
    if (str_eq(name, STR("pubDate")) || str_eq(name, STR("published")) || str_eq(name, STR("modified")) ||
        str_eq(name, STR("issued")))
        return FIELD_OTHER_DATE;
    return FIELD_NONE;
}

static enum field field_of(const struct listing *listing, const struct xml_element *element)
{
    enum sitemap_kind kind = listing->sink->report->kind;
    struct str name = element->name;

    if (kind == SITEMAP_RSS && str_eq(name, STR("date")) &&
        (str_eq(element->prefix, STR("dc")) || str_starts(element->ns, STR("http://purl.org/dc/"))))
        return FIELD_OTHER_DATE;
    if (!is_own(listing, element))
        return FIELD_NONE;
    if (kind == SITEMAP_RSS && str_eq(name, STR("link")))
        return FIELD_URL;
    if (kind == SITEMAP_RSS && str_eq(name, STR("guid")))
        return FIELD_GUID;
    if (kind == SITEMAP_RSS || kind == SITEMAP_ATOM)
        return feed_field(name);
    if (str_eq_nocase(name, STR("loc")))
        return FIELD_URL;
    if (str_eq_nocase(name, STR("lastmod")))
        return FIELD_DATE;
    return str_eq_nocase(name, STR("priority")) ? FIELD_PRIORITY : FIELD_NONE;
}

static void add_link(struct listing *listing, struct str url)
{
    url = str_trim(url);
    if (!url.len)
        return;
    if (!buf_reserve(&listing->links, url.len + 1)) {
        listing->sink->report->refused++;
        return;
    }
    buf_add(&listing->links, url);
    buf_addc(&listing->links, 0);
}

static void begin_entry(struct listing *listing, unsigned depth)
{
    listing->entry_depth = depth;
    listing->field = FIELD_NONE;
    listing->modified = 0;
    listing->priority = -1;
    buf_clear(&listing->loose);
    buf_clear(&listing->links);
    buf_clear(&listing->guid);
}

static void emit(struct listing *listing, struct str url)
{
    sitemap_emit(listing->sink, &(struct sitemap_entry){str_trim(url), listing->modified, listing->priority});
}

static bool looks_like_url(struct str s)
{
    return str_starts_nocase(s, STR("http://")) || str_starts_nocase(s, STR("https://"));
}

/* Without a link: the guid of an RSS item may be one, and some write the URL straight into <sitemap>. */
static void end_entry(struct listing *listing)
{
    struct str links = buf_str(&listing->links), link;

    listing->entry_depth = 0;
    if (!links.len && listing->guid.len)
        emit(listing, buf_str(&listing->guid));
    else if (!links.len && !listing->links.failed)
        emit(listing, looks_like_url(buf_str(&listing->loose)) ? buf_str(&listing->loose) : STR_NONE);
    while (links.len && str_split(&links, 0, &link))
        emit(listing, link);
}

static bool begin_root(struct listing *listing, const struct xml_element *root)
{
    enum sitemap_kind kind = kind_of(root->name);

    if (kind == SITEMAP_NONE) {
        sitemap_because(listing->sink, "its root element is <%.*s>: no sitemap and no feed",
                        (int)(root->name.len < 40 ? root->name.len : 40), root->name.p);
        return false;
    }
    listing->sink->report->kind = kind;
    snprintf(listing->root_ns, sizeof listing->root_ns, "%.*s", STR_ARG(root->ns));
    snprintf(listing->root_prefix, sizeof listing->root_prefix, "%.*s", STR_ARG(root->prefix));
    return true;
}

static void begin_field(struct listing *listing, const struct xml_element *element)
{
    struct str rel = xml_attr(element, "rel");

    listing->field = field_of(listing, element);
    buf_clear(&listing->text);
    if (listing->field == FIELD_GUID)
        listing->guid_is_link = !str_eq_nocase(str_trim(xml_attr(element, "isPermaLink")), STR("false"));
    if (listing->sink->report->kind == SITEMAP_ATOM && is_own(listing, element) && str_eq(element->name, STR("link")) &&
        (!rel.len || str_eq_nocase(str_trim(rel), STR("alternate"))))
        add_link(listing, xml_attr(element, "href"));
}

static bool on_start(void *ctx, const struct xml_element *element)
{
    struct listing *listing = ctx;

    listing->depth = element->depth;
    if (element->depth == 1)
        return begin_root(listing, element);
    if (listing->entry_depth && element->depth != listing->entry_depth + 1)
        return true;
    if (is_own(listing, element) && str_eq_nocase(element->name, str_of(entry_name(listing->sink->report->kind)))) {
        if (listing->entry_depth) /* the last one was not closed */
            end_entry(listing);
        begin_entry(listing, element->depth);
    } else if (listing->entry_depth) {
        begin_field(listing, element);
    }
    return !listing->sink->stopped;
}

/* White space before the value takes no room. */
static void collect(struct buf *out, struct str text)
{
    while (!out->len && text.len && ascii_is_space(text.p[0]))
        text = str_sub(text, 1, text.len);
    if (!out->failed)
        buf_add(out, text);
}

static bool on_text(void *ctx, struct str text)
{
    struct listing *listing = ctx;

    if (!listing->entry_depth)
        return true;
    if (listing->field != FIELD_NONE && listing->depth == listing->entry_depth + 1)
        collect(&listing->text, text);
    else if (listing->depth == listing->entry_depth)
        collect(&listing->loose, text);
    return true;
}

static void end_field(struct listing *listing)
{
    struct str text = str_trim(buf_str(&listing->text));
    int64_t millionths;

    if (listing->text.failed) /* too long for anything that we read; a URL counts as refused */
        text = STR_NONE;
    switch (listing->field) {
    case FIELD_URL:
        if (text.len && !listing->links.len)
            add_link(listing, text);
        break;
    case FIELD_GUID:
        if (listing->guid_is_link && looks_like_url(text) && !listing->guid.len)
            buf_add(&listing->guid, text);
        break;
    case FIELD_DATE:
        listing->modified = date_parse(text) ? date_parse(text) : listing->modified;
        break;
    case FIELD_OTHER_DATE:
        listing->modified = listing->modified ? listing->modified : date_parse(text);
        break;
    case FIELD_PRIORITY:
        millionths = decimal_millionths(text);
        listing->priority = millionths < 0 || millionths > 1000000 ? -1 : (double)millionths / 1e6;
        break;
    default:
        break;
    }
    listing->field = FIELD_NONE;
}

static bool on_end(void *ctx, struct str name, unsigned depth)
{
    struct listing *listing = ctx;

    (void)name;
    listing->depth = depth - 1;
    if (listing->entry_depth && depth == listing->entry_depth + 1)
        end_field(listing);
    else if (listing->entry_depth && depth == listing->entry_depth)
        end_entry(listing);
    return !listing->sink->stopped;
}

struct listing *listing_new(struct sitemap_sink *sink)
{
    static const struct xml_events events = {on_start, on_end, on_text};
    struct listing *listing = calloc(1, sizeof *listing);

    SCENT_BUG_IF(!listing);
    listing->sink = sink;
    listing->xml = xml_new(&events, listing);
    buf_init(&listing->text, FIELD_MAX);
    buf_init(&listing->loose, FIELD_MAX);
    buf_init(&listing->guid, FIELD_MAX);
    buf_init(&listing->links, LINKS_MAX);
    return listing;
}

void listing_free(struct listing *listing)
{
    if (!listing)
        return;
    xml_free(listing->xml);
    buf_release(&listing->text);
    buf_release(&listing->loose);
    buf_release(&listing->guid);
    buf_release(&listing->links);
    free(listing);
}

scent_status listing_feed(struct listing *listing, struct str piece)
{
    return xml_feed(listing->xml, piece);
}

scent_status listing_finish(struct listing *listing)
{
    scent_status status = xml_finish(listing->xml);
    const char *fault = xml_fault(listing->xml);

    if (fault[0] && !listing->sink->stopped) {
        listing->sink->report->cut = true;
        sitemap_because(listing->sink, "%.100s", fault);
    }
    return status;
}

bool listing_is_done(const struct listing *listing)
{
    return xml_is_stopped(listing->xml);
}
