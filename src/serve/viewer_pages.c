/* Pages of our own. Whatever comes from the archive or from an address is text in them: put_text() alone writes it. */
#include "serve/address.h"
#include "serve/viewer_parts.h"

#include "base/buf.h"

#include <inttypes.h>
#include <stdio.h>

enum { PER_PAGE = 50, HOSTS_PER_PAGE = 100, PARAMETER_MAX = 512 };

/* ---- small things ---- */

static void put_text(struct buf *out, struct str text)
{
    escape_markup(out, text);
}

/* As part of a query: only what stands for itself stays. */
static void put_encoded(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];

        if (ascii_is_alpha((char)c) || ascii_is_digit((char)c) || (c < 0x80 && c && strchr("-._~", c)))
            buf_addc(out, (char)c);
        else
            buf_printf(out, "%%%02X", c);
    }
}

/* 1,234,567 */
static void put_count(struct buf *out, size_t count)
{
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%zu", count);

    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            buf_addc(out, ',');
        buf_addc(out, digits[i]);
    }
}

static void put_number_of(struct buf *out, size_t count, const char *thing)
{
    put_count(out, count);
    buf_printf(out, " %s%s", thing, count == 1 ? "" : "s");
}

static void put_bytes(struct buf *out, size_t bytes)
{
    if (bytes < 1000)
        put_number_of(out, bytes, "byte");
    else if (bytes < 1000000)
        buf_printf(out, "%.0f kB", (double)bytes / 1e3);
    else
        buf_printf(out, "%.1f MB", (double)bytes / 1e6);
}

/* "16 Nov 2026, 09:00", from 17 digits. */
static void put_date(struct buf *out, uint64_t date, bool with_time)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    unsigned year = (unsigned)(date / 10000000000000u), month = (unsigned)(date / 100000000000u % 100);
    unsigned day = (unsigned)(date / 1000000000u % 100), hour = (unsigned)(date / 10000000u % 100);
    unsigned minute = (unsigned)(date / 100000u % 100);

    if (month < 1 || month > 12) {
        buf_addz(out, "an unknown date");
        return;
    }
    buf_printf(out, "<time datetime=\"%04u-%02u-%02uT%02u:%02uZ\">%u&nbsp;%s&nbsp;%u", year, month, day, hour, minute,
               day, months[month - 1], year);
    if (with_time)
        buf_printf(out, ", %02u:%02u&nbsp;UTC", hour, minute);
    buf_addz(out, "</time>");
}

void viewer_add_address(struct buf *out, uint64_t date, struct str url)
{
    while (date >= 100000000000000u) /* to the second */
        date /= 10;
    buf_printf(out, "/page/%" PRIu64 "/%.*s", date, STR_ARG(url));
}

static void put_address(struct buf *out, uint64_t date, struct str url)
{
    struct buf address;

    buf_init(&address, 0);
    viewer_add_address(&address, date, url);
    put_text(out, buf_str(&address));
    buf_release(&address);
}

/* ---- the frame of a page ---- */

static void begin(struct buf *out, struct str title, const char *class)
{
    buf_addz(out, "<!DOCTYPE html>\n<html lang=\"en\" class=\"");
    buf_addz(out, class);
    buf_addz(out, "\">\n<meta charset=\"utf-8\">\n<title>");
    put_text(out, title);
    buf_addz(out, "</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  "<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/-/style.css\">\n<body>\n");
}

/* ---- queries ---- */

struct list_query {
    char words[PARAMETER_MAX], host[PARAMETER_MAX];
    struct catalogue_query query;
    uint64_t page; /* from 1 on */
};

static uint64_t take_number(struct str query, const char *name, uint64_t fallback)
{
    char text[24];
    uint64_t number;

    return str_parse_u64(address_parameter(query, name, text, sizeof text), &number) ? number : fallback;
}

static const char *const order_names[CATALOGUE_ORDERS] = {"score", "date", "url"};

static void read_query(struct str text, const struct catalogue *catalogue, struct list_query *out)
{
    struct catalogue_counts counts = catalogue_counts(catalogue);
    uint64_t collection = take_number(text, "collection", 0);
    char order[8];
    struct str name = address_parameter(text, "order", order, sizeof order);

    out->query = (struct catalogue_query){
        .words = address_parameter(text, "q", out->words, sizeof out->words),
        .host = address_parameter(text, "host", out->host, sizeof out->host),
        .collection = collection && collection <= counts.collections ? (size_t)collection - 1 : SIZE_MAX,
        .relevant = take_number(text, "relevant", 0) == 1,
        .order = counts.judged ? CATALOGUE_BY_SCORE : CATALOGUE_BY_URL,
    };
    for (enum catalogue_order i = 0; i < CATALOGUE_ORDERS; i++)
        if (str_eq(name, str_of(order_names[i])))
            out->query.order = i;
    out->page = take_number(text, "page", 1);
    out->page = out->page && out->page < SIZE_MAX / 1000 ? out->page : 1;
    out->query.first = (size_t)(out->page - 1) * PER_PAGE;
}

/* "/?q=…&page=2", for an attribute. */
static void put_list_address(struct buf *out, const struct list_query *list, uint64_t page)
{
    const struct catalogue_query *query = &list->query;

    buf_printf(out, "/?order=%s", order_names[query->order]);
    if (query->words.len) {
        buf_addz(out, "&amp;q=");
        put_encoded(out, query->words);
    }
    if (query->host.len) {
        buf_addz(out, "&amp;host=");
        put_encoded(out, query->host);
    }
    if (query->collection != SIZE_MAX)
        buf_printf(out, "&amp;collection=%zu", query->collection + 1);
    if (query->relevant)
        buf_addz(out, "&amp;relevant=1");
    if (page > 1)
        buf_printf(out, "&amp;page=%" PRIu64, page);
}

/* ---- the list ---- */

static void put_head(struct buf *out, const struct catalogue *catalogue, bool hosts)
{
    struct catalogue_counts counts = catalogue_counts(catalogue);

    buf_addz(out, "<header class=\"top\"><h1><a href=\"/\">");
    put_text(out, str_of(catalogue_collection(catalogue, 0).name));
    buf_addz(out, "</a></h1>\n<p class=\"soft\">");
    put_number_of(out, counts.pages, "page");
    buf_addz(out, " of ");
    put_number_of(out, counts.hosts, "host");
    if (counts.judged) {
        buf_addz(out, ", ");
        put_count(out, counts.relevant);
        buf_addz(out, " relevant");
    }
    if (counts.pages) {
        buf_addz(out, ", archived ");
        put_date(out, counts.oldest, false);
        if (counts.newest / 1000000000 != counts.oldest / 1000000000) {
            buf_addz(out, " to ");
            put_date(out, counts.newest, false);
        }
    }
    buf_printf(out, "</p>\n<nav><a href=\"/\"%s>Pages</a> <a href=\"/hosts\"%s>Hosts</a></nav></header>\n",
               hosts ? "" : " aria-current=\"page\"", hosts ? " aria-current=\"page\"" : "");
}

static void put_option(struct buf *out, const char *value, const char *text, bool selected)
{
    buf_printf(out, "<option value=\"%s\"%s>%s</option>", value, selected ? " selected" : "", text);
}

static void put_collections(struct buf *out, const struct catalogue *catalogue, const struct list_query *list)
{
    struct catalogue_counts counts = catalogue_counts(catalogue);
    char number[24];

    if (counts.collections < 2)
        return;
    buf_addz(out, "<select name=\"collection\" aria-label=\"Collection\"><option value=\"\">All collections</option>");
    for (size_t i = 0; i < counts.collections; i++) {
        struct catalogue_collection collection = catalogue_collection(catalogue, i);

        if (!collection.pages)
            continue;
        snprintf(number, sizeof number, "%zu", i + 1);
        buf_printf(out, "<option value=\"%s\"%s>", number, list->query.collection == i ? " selected" : "");
        put_text(out, str_of(collection.name));
        buf_addz(out, " (");
        put_count(out, collection.pages);
        buf_addz(out, ")</option>");
    }
    buf_addz(out, "</select>\n");
}

static void put_search(struct buf *out, const struct catalogue *catalogue, const struct list_query *list)
{
    struct catalogue_counts counts = catalogue_counts(catalogue);
    const struct catalogue_query *query = &list->query;

    buf_addz(out, "<form role=\"search\" action=\"/\"><input type=\"search\" name=\"q\" "
                  "aria-label=\"Words of a title or an address\" "
                  "placeholder=\"Words of a title or an address\" maxlength=\"200\" autofocus value=\"");
    put_text(out, query->words);
    buf_addz(out, "\">\n");
    put_collections(out, catalogue, list);
    buf_addz(out, "<select name=\"order\" aria-label=\"Order\">");
    if (counts.judged)
        put_option(out, "score", "Best first", query->order == CATALOGUE_BY_SCORE);
    put_option(out, "date", "Newest first", query->order == CATALOGUE_BY_DATE);
    put_option(out, "url", "By address", query->order == CATALOGUE_BY_URL);
    buf_addz(out, "</select>\n");
    if (counts.judged)
        buf_printf(out, "<label><input type=\"checkbox\" name=\"relevant\" value=\"1\"%s> Relevant only</label>\n",
                   query->relevant ? " checked" : "");
    if (query->host.len) {
        buf_addz(out, "<input type=\"hidden\" name=\"host\" value=\"");
        put_text(out, query->host);
        buf_addz(out, "\">\n");
    }
    buf_addz(out, "<button>Search</button></form>\n");
}

static void put_item(struct buf *out, const struct catalogue *catalogue, const struct catalogue_page *page)
{
    bool has_title = page->title.len > 0;

    buf_addz(out, "<li><a class=\"title\" href=\"");
    put_address(out, page->date, page->url);
    buf_addz(out, "\">");
    put_text(out, has_title ? page->title : page->url);
    buf_addz(out, "</a>");
    if (has_title) {
        buf_addz(out, "<div class=\"url\">");
        put_text(out, page->url);
        buf_addz(out, "</div>");
    }
    buf_addz(out, "<div class=\"soft\">");
    if (page->judged)
        buf_printf(out, "<span class=\"%s\">%s %.2f</span> ", page->relevant ? "good" : "poor",
                   page->relevant ? "relevant" : "not relevant", page->score);
    put_date(out, page->date, false);
    buf_addz(out, " <a href=\"/?host=");
    put_encoded(out, page->host);
    buf_addz(out, "\">");
    put_text(out, page->host);
    buf_addz(out, "</a>");
    if (catalogue_counts(catalogue).collections > 1) {
        buf_addc(out, ' ');
        put_text(out, str_of(catalogue_collection(catalogue, page->collection).name));
    }
    buf_addz(out, "</div></li>\n");
}

/* "Page 2 of 17", with links to its neighbours; `put` writes the address of a page of the list. */
static void put_pager(struct buf *out, uint64_t page, size_t total, size_t each,
                      void (*put)(struct buf *out, const struct list_query *list, uint64_t page),
                      const struct list_query *list)
{
    uint64_t pages = (total + each - 1) / each;

    if (pages < 2 && page == 1)
        return;
    buf_addz(out, "<nav class=\"pager\" aria-label=\"Pages of the list\">");
    if (page > 1) {
        buf_addz(out, "<a rel=\"prev\" href=\"");
        put(out, list, page - 1);
        buf_addz(out, "\">Previous</a> ");
    }
    buf_addz(out, "<span>Page ");
    put_count(out, (size_t)page);
    buf_addz(out, " of ");
    put_count(out, (size_t)pages);
    buf_addz(out, "</span>");
    if (page < pages) {
        buf_addz(out, " <a rel=\"next\" href=\"");
        put(out, list, page + 1);
        buf_addz(out, "\">Next</a>");
    }
    buf_addz(out, "</nav>\n");
}

/* What was found, in words: so that a filter that is on can be seen, and taken off. */
static void put_result(struct buf *out, const struct catalogue *catalogue, const struct list_query *list, size_t total)
{
    const struct catalogue_query *query = &list->query;

    if (!query->words.len && !query->host.len && !query->relevant && query->collection == SIZE_MAX)
        return;
    buf_addz(out, "<p class=\"result\" role=\"status\">");
    put_number_of(out, total, "page");
    if (query->words.len) {
        buf_addz(out, " with <strong>");
        put_text(out, query->words);
        buf_addz(out, "</strong>");
    }
    if (query->host.len) {
        buf_addz(out, " of <strong>");
        put_text(out, query->host);
        buf_addz(out, "</strong>");
    }
    if (query->collection != SIZE_MAX) {
        buf_addz(out, " in <strong>");
        put_text(out, str_of(catalogue_collection(catalogue, query->collection).name));
        buf_addz(out, "</strong>");
    }
    buf_addz(out, " <a href=\"/\">Show all</a></p>\n");
}

void viewer_add_list(struct buf *out, const struct catalogue *catalogue, struct str text)
{
    struct list_query list;
    size_t numbers[PER_PAGE], total, count;

    read_query(text, catalogue, &list);
    count = catalogue_find(catalogue, &list.query, numbers, PER_PAGE, &total);
    begin(out, str_of(catalogue_collection(catalogue, 0).name), "list");
    put_head(out, catalogue, false);
    buf_addz(out, "<main>\n");
    put_search(out, catalogue, &list);
    put_result(out, catalogue, &list, total);
    if (count) {
        buf_printf(out, "<ol class=\"pages\" start=\"%zu\">\n", list.query.first + 1);
        for (size_t i = 0; i < count; i++) {
            struct catalogue_page page = catalogue_page(catalogue, numbers[i]);

            put_item(out, catalogue, &page);
        }
        buf_addz(out, "</ol>\n");
    } else if (!catalogue_counts(catalogue).pages) {
        buf_addz(out, "<p class=\"empty\">This collection has no pages yet.</p>\n");
    } else {
        buf_addz(out, total ? "<p class=\"empty\">The list ends before this page of it.</p>\n"
                            : "<p class=\"empty\">No page was found. Fewer words, or a part of a word, find "
                              "more.</p>\n");
    }
    put_pager(out, list.page, total, PER_PAGE, put_list_address, &list);
    buf_addz(out, "</main>\n");
}

static void put_hosts_address(struct buf *out, const struct list_query *list, uint64_t page)
{
    buf_printf(out, "/hosts?page=%" PRIu64, page);
    if (list->query.words.len) {
        buf_addz(out, "&amp;q=");
        put_encoded(out, list->query.words);
    }
}

void viewer_add_hosts(struct buf *out, const struct catalogue *catalogue, struct str text)
{
    struct list_query list;
    struct catalogue_host hosts[HOSTS_PER_PAGE];
    size_t total, count;
    bool judged = catalogue_counts(catalogue).judged > 0;

    read_query(text, catalogue, &list);
    count = catalogue_find_hosts(catalogue, list.query.words, (size_t)(list.page - 1) * HOSTS_PER_PAGE, hosts,
                                 HOSTS_PER_PAGE, &total);
    begin(out, STR("Hosts"), "list");
    put_head(out, catalogue, true);
    buf_addz(out, "<main>\n<form role=\"search\" action=\"/hosts\"><input type=\"search\" name=\"q\" "
                  "aria-label=\"A part of a host's name\" placeholder=\"A part of a host's name\" maxlength=\"200\" "
                  "autofocus value=\"");
    put_text(out, list.query.words);
    buf_addz(out, "\">\n<button>Search</button></form>\n");
    if (count) {
        buf_printf(out, "<table><thead><tr><th scope=\"col\">Host</th><th scope=\"col\">Pages</th>%s</tr></thead>"
                        "<tbody>\n", judged ? "<th scope=\"col\">Relevant</th>" : "");
        for (size_t i = 0; i < count; i++) {
            buf_addz(out, "<tr><td><a href=\"/?host=");
            put_encoded(out, hosts[i].name);
            buf_addz(out, "\">");
            put_text(out, hosts[i].name);
            buf_addz(out, "</a></td><td>");
            put_count(out, hosts[i].pages);
            if (judged) {
                buf_addz(out, "</td><td>");
                put_count(out, hosts[i].relevant);
            }
            buf_addz(out, "</td></tr>\n");
        }
        buf_addz(out, "</tbody></table>\n");
    } else {
        buf_addz(out, "<p class=\"empty\">No host was found.</p>\n");
    }
    put_pager(out, list.page, total, HOSTS_PER_PAGE, put_hosts_address, &list);
    buf_addz(out, "</main>\n");
}

void viewer_add_wait(struct buf *out, size_t done, size_t total)
{
    begin(out, STR("Reading the collection"), "list");
    buf_addz(out, "<meta http-equiv=\"refresh\" content=\"1\">\n<main><h1>Reading the collection</h1>\n"
                  "<p>The titles of its pages are being read: ");
    put_count(out, done < total ? done : total);
    buf_addz(out, " of ");
    put_number_of(out, total, "record");
    buf_printf(out, ". This page shows the list as soon as it is there.</p>\n"
                    "<progress max=\"%zu\" value=\"%zu\"></progress></main>\n", total ? total : 1, done);
}

/* ---- one page ---- */

/* Score, choice, and the page that led here. */
static void put_reasons(struct buf *out, const struct catalogue *catalogue, const struct catalogue_page *page)
{
    if (!page->judged) {
        buf_addz(out, "<p>It is a page of an archive that no crawl of scent's wrote: nothing is known of why it was "
                      "fetched.</p>");
        return;
    }
    buf_printf(out, "<p>The judge of the crawl called it <strong>%s</strong>, with a score of %.3f.</p><p>",
               page->relevant ? "relevant" : "not relevant", page->score);
    if (page->is_seed) {
        buf_addz(out, "It is a seed: the crawl began with it.");
    } else {
        buf_printf(out, "The strategy chose it with priority %.3f, %u link%s from a seed", page->priority, page->depth,
                   page->depth == 1 ? "" : "s");
        if (page->parent.len) {
            buf_addz(out, "; it was found on <a href=\"");
            put_address(out, page->date, page->parent);
            buf_addz(out, "\">");
            put_text(out, page->parent);
            buf_addz(out, "</a>");
        }
        buf_addz(out, ".");
    }
    buf_addz(out, "</p><p class=\"soft\">More: <code>scent why ");
    put_text(out, str_of(catalogue_collection(catalogue, page->collection).dir));
    buf_addz(out, " '");
    put_text(out, page->url);
    buf_addz(out, "'</code></p>");
}

static void put_details(struct buf *out, const struct catalogue *catalogue, const struct viewer_document *document,
                        const struct catalogue_page *page)
{
    buf_addz(out, document->found ? "<details><summary>Why is it here?</summary><div class=\"why\">"
                                  : "<details><summary>The live page</summary><div class=\"why\">");
    buf_addz(out, "<p class=\"soft\">Original address: ");
    put_text(out, document->url);
    buf_addz(out, " (<a rel=\"noreferrer noopener\" target=\"_blank\" href=\"");
    put_text(out, document->url);
    buf_addz(out, "\">open the live page</a>)</p>");
    if (!document->found) {
        buf_addz(out, "</div></details>");
        return;
    }
    if (page)
        put_reasons(out, catalogue, page);
    else
        buf_addz(out, "<p>It is a file that belongs to pages, a redirect or an error: it is not in the list of "
                      "pages.</p>");
    buf_addz(out, "<p class=\"soft\">");
    if (document->status != 200)
        buf_printf(out, "HTTP status %d, ", document->status);
    put_text(out, document->mime.len ? document->mime : STR("unknown type"));
    buf_addz(out, ", ");
    put_bytes(out, document->bytes);
    buf_printf(out, ". <a href=\"/file/%s/0/", document->token);
    put_text(out, document->url);
    buf_addz(out, "\">Download</a></p><p class=\"soft\">Scripts of archived pages do not run "
                  "here.</p></div></details>");
}

/* The title of a document, and what is inside the bar. */
static struct str put_bar(struct buf *out, const struct catalogue *catalogue, const struct viewer_document *document)
{
    struct catalogue_page page = {.title = {"", 0}};
    size_t number;
    bool known = catalogue && catalogue_find_url(catalogue, document->url, &number);

    if (known)
        page = catalogue_page(catalogue, number);
    buf_addz(out, "<a class=\"home\" href=\"/\" title=\"All pages of the collection\">&#9776;<span>");
    put_text(out, catalogue ? str_of(catalogue_collection(catalogue, 0).name) : STR("Collection"));
    buf_addz(out, "</span></a>\n<div class=\"what\"><strong>");
    put_text(out, !document->found ? STR("Not in this collection") : page.title.len ? page.title : document->url);
    buf_addz(out, "</strong><span class=\"soft\">");
    if (known) {
        buf_addz(out, "archived ");
        put_date(out, page.date, true);
        buf_addz(out, " from ");
        put_text(out, page.host);
        buf_addz(out, " <span class=\"dot\">&middot;</span> ");
    }
    put_text(out, document->url);
    buf_addz(out, "</span></div>\n");
    put_details(out, catalogue, document, known ? &page : NULL);
    return page.title.len ? page.title : document->url;
}

/* The date under which a page is addressed: that of the archive where the catalogue knows it. */
static uint64_t date_of(const struct catalogue *catalogue, struct str url)
{
    size_t number;

    return catalogue && catalogue_find_url(catalogue, url, &number) ? catalogue_page(catalogue, number).date : 0;
}

void viewer_add_bar(struct buf *out, const struct catalogue *catalogue, const struct viewer_document *document)
{
    struct str title;
    struct buf bar;

    buf_init(&bar, 0);
    title = put_bar(&bar, catalogue, document);
    buf_addz(out, "<!DOCTYPE html>\n<title>");
    put_text(out, title);
    buf_addz(out, "</title>\n<body data-address=\"");
    put_address(out, date_of(catalogue, document->url), document->url);
    buf_addz(out, "\">");
    buf_add(out, buf_str(&bar));
    buf_release(&bar);
}

void viewer_add_frame(struct buf *out, const struct catalogue *catalogue, const struct viewer_document *document)
{
    struct str title;
    struct buf bar;
    uint64_t date = date_of(catalogue, document->url);

    while (date >= 100000000000000u)
        date /= 10;
    buf_init(&bar, 0);
    title = put_bar(&bar, catalogue, document);
    begin(out, title, "shown");
    buf_printf(out, "<header id=\"bar\" data-source=\"/bar/%s.%u\">", document->token, document->view);
    buf_add(out, buf_str(&bar));
    buf_printf(out, "</header>\n<iframe sandbox title=\"The archived page\" src=\"/replay/%s.%u/%" PRIu64 "/",
               document->token, document->view, date);
    put_text(out, document->url);
    buf_addz(out, "\"></iframe>\n<script src=\"/-/view.js\"></script>\n");
    buf_release(&bar);
}

void viewer_add_notice(struct buf *out, const char *title, const char *text, struct str url)
{
    buf_addz(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>");
    buf_addz(out, title);
    buf_addz(out, "</title>\n<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;"
                  "max-width:40rem;margin:15vh auto;padding:0 1rem;overflow-wrap:anywhere}h1{font-size:1.4rem}"
                  "code{opacity:.75}</style>\n<h1>");
    buf_addz(out, title);
    buf_addz(out, "</h1><p>");
    buf_addz(out, text);
    buf_addz(out, "</p><p><code>");
    put_text(out, url);
    buf_addz(out, "</code></p>\n");
}
