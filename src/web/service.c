#include "web/service.h"

#include "web/compose.h"

enum { SITEMAP_URLS = 1000, SALT_DELAY = 0xc1, SALT_PDF };

/* One grey pixel. */
static const unsigned char png[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00,
    0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81,
    0xda, 0x45, 0x08, 0x3b, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

void service_write_png(struct pen *pen)
{
    pen_str(pen, (struct str){(const char *)png, sizeof png});
}

void service_write_pdf(const struct world *world, const struct world_page *page, struct pen *pen)
{
    struct prose prose;

    prose_begin(&prose, world, world_host_tongue(world, &page->host), hash_mix(page->key, SALT_PDF));
    PEN(pen, "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n% ");
    prose_words(&prose, pen, page->topic, world->odds.topic_words, 200);
    PEN(pen, "\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n");
}

static void put_address(const struct world *world, const struct world_host *host, struct str path, struct pen *pen)
{
    PEN(pen, "http://");
    if (pen_room(pen, WORLD_NAME_MAX))
        pen->p += world_write_host(world, host, pen->p);
    pen_str(pen, path);
}

static void put_delay(const struct world *world, const struct world_host *host, struct pen *pen)
{
    uint64_t tenths = (uint64_t)(world->spec.robots_delay * 10 + 0.5);

    if (tenths == 0 || hash_mix(host->key, SALT_DELAY) & 1)
        return;
    PEN(pen, "Crawl-delay: ");
    pen_number(pen, tenths / 10);
    if (tenths % 10) {
        pen_char(pen, '.');
        pen_number(pen, tenths % 10);
    }
    pen_char(pen, '\n');
}

static bool write_robots(const struct world *world, const struct world_host *host, struct pen *pen)
{
    bool closes = world_host_has_robots(world, host), maps = world_host_has_sitemap(world, host);

    if (closes) {
        PEN(pen, "User-agent: *\nDisallow: ");
        if (pen_room(pen, WORLD_PATH_MAX))
            pen->p += world_write_closed(world, host, pen->p);
        pen_char(pen, '\n');
        put_delay(world, host, pen);
    }
    if (maps) {
        PEN(pen, "Sitemap: ");
        put_address(world, host, STR("/sitemap.xml"), pen);
        pen_char(pen, '\n');
    }
    return closes || maps;
}

static void put_urls(const struct world *world, const struct world_host *host, uint64_t from, uint64_t to,
                     struct pen *pen)
{
    PEN(pen, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for (uint64_t number = from; number < to; number++) {
        struct world_page page;

        world_page(world, host, number, &page);
        PEN(pen, "<url><loc>");
        compose_href(world, &page, pen);
        PEN(pen, "</loc></url>\n");
    }
    PEN(pen, "</urlset>\n");
}

static void put_map_index(const struct world *world, const struct world_host *host, struct pen *pen)
{
    PEN(pen, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n");
    for (uint64_t i = 0; i * SITEMAP_URLS < host->pages; i++) {
        PEN(pen, "<sitemap><loc>");
        put_address(world, host, STR("/sitemap-"), pen);
        pen_number(pen, i);
        PEN(pen, ".xml</loc></sitemap>\n");
    }
    PEN(pen, "</sitemapindex>\n");
}

/* /sitemap.xml is the list of a small host, and the list of lists of a large one: /sitemap-0.xml, … */
static bool write_sitemap(const struct world *world, const struct world_host *host, struct str path, struct pen *pen)
{
    uint64_t part;

    if (!world_host_has_sitemap(world, host))
        return false;
    if (str_eq(path, STR("/sitemap.xml"))) {
        if (host->pages <= SITEMAP_URLS)
            put_urls(world, host, 0, host->pages, pen);
        else
            put_map_index(world, host, pen);
        return true;
    }
    if (host->pages <= SITEMAP_URLS || !str_starts(path, STR("/sitemap-")) || !str_ends(path, STR(".xml")) ||
        !str_parse_u64(str_sub(path, 9, path.len - 4), &part) || part > (host->pages - 1) / SITEMAP_URLS)
        return false;
    put_urls(world, host, part * SITEMAP_URLS,
             (part + 1) * SITEMAP_URLS < host->pages ? (part + 1) * SITEMAP_URLS : host->pages, pen);
    return true;
}

const char *service_write(const struct world *world, const struct world_host *host, struct str path, struct pen *pen)
{
    if (str_eq(path, STR("/robots.txt")))
        return write_robots(world, host, pen) ? "text/plain" : NULL;
    if (str_starts(path, STR("/sitemap")))
        return write_sitemap(world, host, path, pen) ? "application/xml" : NULL;
    if (str_eq(path, STR("/style.css"))) {
        PEN(pen, "body { font: 16px sans-serif; margin: 2em auto; max-width: 50em }\nnav li { display: inline }\n");
        return "text/css";
    }
    if (str_eq(path, STR("/favicon.ico"))) {
        service_write_png(pen);
        return "image/png";
    }
    return NULL;
}

/* ---- traps ---- */

enum { DEPTH_BYTES_MAX = 4096, YEAR_MAX = 9999999, SALT_TRAP = 0xb1 };

static const struct str calendar = {"/calendar/", 10}, archive = {"/archive/", 9};

struct date {
    uint64_t year, month, day; /* day 0: the whole month */
};

/* "2026/11.html" or "2026/11/05.html" */
static bool read_date(struct str s, struct date *out)
{
    struct str year, month, day = STR("00");

    if (!str_ends(s, STR(".html")))
        return false;
    s.len -= 5;
    if (!str_split(&s, '/', &year) || !str_split(&s, '/', &month) || (s.len && !str_split(&s, '/', &day)) || s.len)
        return false;
    return month.len == 2 && day.len == 2 && year.len > 0 && year.p[0] != '0' && str_parse_u64(year, &out->year) &&
           str_parse_u64(month, &out->month) && str_parse_u64(day, &out->day) && out->year <= YEAR_MAX &&
           out->month >= 1 && out->month <= 12 && out->day <= 28;
}

static bool is_deep_path(struct str path)
{
    char before = 0;

    if (!str_starts(path, archive) || !str_ends(path, STR("/")) || path.len > DEPTH_BYTES_MAX)
        return false;
    for (size_t i = 0; i < path.len; before = path.p[i++]) {
        if (path.p[i] == '/' ? before == '/' : !(path.p[i] >= 'a' && path.p[i] <= 'z') && !ascii_is_digit(path.p[i]))
            return false;
    }
    return true;
}

bool trap_holds(const struct world *world, const struct world_host *host, struct str path)
{
    struct date date;

    switch (world_host_kind(world, host)) {
    case HOST_CALENDAR:
        return str_starts(path, calendar) && read_date(str_sub(path, calendar.len, path.len), &date);
    case HOST_DEEP:
        return is_deep_path(path);
    default:
        return false;
    }
}

static void put_two(struct pen *pen, uint64_t n)
{
    pen_char(pen, (char)('0' + n / 10));
    pen_char(pen, (char)('0' + n % 10));
}

static void put_date_link(struct pen *pen, uint64_t year, uint64_t month, uint64_t day)
{
    PEN(pen, "<li><a href=\"/calendar/");
    pen_number(pen, year);
    pen_char(pen, '/');
    put_two(pen, month);
    if (day) {
        pen_char(pen, '/');
        put_two(pen, day);
    }
    PEN(pen, ".html\">");
    put_two(pen, day ? day : month);
    PEN(pen, "</a></li>\n");
}

static void put_calendar(struct str path, struct pen *pen)
{
    struct date date = {2026, 11, 0};

    SCENT_BUG_IF(!read_date(str_sub(path, calendar.len, path.len), &date));
    if (date.year < YEAR_MAX) {
        put_date_link(pen, date.year + 1, date.month, 0);
        put_date_link(pen, date.year + date.month / 12, date.month % 12 + 1, 0);
    }
    if (date.year > 1)
        put_date_link(pen, date.month == 1 ? date.year - 1 : date.year, (date.month + 10) % 12 + 1, 0);
    for (uint64_t day = 1; day <= 28 && date.day == 0; day++)
        put_date_link(pen, date.year, date.month, day);
}

/* Relative, so that every page invents three new ones; at the greatest depth they stop. */
static void put_deeper(struct str path, struct pen *pen)
{
    if (path.len + 8 <= DEPTH_BYTES_MAX)
        PEN(pen, "<li><a href=\"news/\">News</a></li>\n<li><a href=\"old/\">Older</a></li>\n"
                 "<li><a href=\"2026/\">2026</a></li>\n");
    if (path.len > archive.len)
        PEN(pen, "<li><a href=\"../\">Back</a></li>\n");
}

void trap_write(const struct world *world, const struct world_host *host, struct str path, struct pen *pen)
{
    struct prose prose;

    prose_begin(&prose, world, world_host_tongue(world, host), hash_str(path, host->key ^ SALT_TRAP));
    PEN(pen, "<!DOCTYPE html>\n<html lang=\"");
    pen_z(pen, prose.tongue->code);
    PEN(pen, "\">\n<head><meta charset=\"utf-8\"><title>");
    prose_label(&prose, pen, host->topic, world->odds.topic_words, 3);
    PEN(pen, "</title></head>\n<body>\n<p>");
    prose_words(&prose, pen, host->topic, world->odds.topic_words, 30);
    prose_end(&prose, pen);
    PEN(pen, "</p>\n<ul>\n<li><a href=\"/\">Home</a></li>\n");
    if (world_host_kind(world, host) == HOST_CALENDAR)
        put_calendar(path, pen);
    else
        put_deeper(path, pen);
    PEN(pen, "</ul>\n</body>\n</html>\n");
}
