#include "web/compose.h"

#include "web/linkage.h"

/* ---- running text ---- */

/* Running text out of the lexicon: words of a topic between words of the language, in sentences. */
struct prose {
    const struct world *world;
    const struct lexicon_tongue *tongue;
    struct dice dice;
    uint32_t left; /* words until the next comma or stop */
    bool fresh;    /* a sentence begins */
};

static void prose_begin(struct prose *prose, const struct world *world, const struct lexicon_tongue *tongue,
                        uint64_t key)
{
    *prose = (struct prose){world, tongue, {key}, 8, true};
}

static inline const struct lexicon_word *draw(struct prose *prose, uint32_t topic, uint64_t odds)
{
    const struct world *world = prose->world;
    uint64_t roll = dice_roll(&prose->dice);

    if (!dice_hit(roll, odds))
        return lexicon_background_word(world->lexicon, prose->tongue, (uint32_t)roll);
    if (world->odds.overlap && dice_chance(&prose->dice, world->odds.overlap))
        topic = (uint32_t)((topic + 1) % world->spec.topics);
    return lexicon_topic_word(world->lexicon, prose->tongue, topic, (uint32_t)roll);
}

/* Between sentences, and sometimes inside one. */
static void punctuate(struct prose *prose, struct pen *pen)
{
    uint64_t roll = dice_roll(&prose->dice);

    prose->left = 4 + (uint32_t)(roll & 15);
    prose->fresh = (roll & 32) == 0;
    if (prose->fresh)
        pen_z(pen, prose->tongue->spaced ? "." : "。");
    else if (!prose->tongue->spaced)
        pen_z(pen, "，");
    else
        pen_z(pen, roll & 64 ? "," : roll & 128 ? " –" : roll & 256 ? "’s" : ";");
}

static void capitalise(char *p)
{
    if (*p >= 'a' && *p <= 'z')
        *p = (char)(*p - 32);
}

/* `count` words, of `topic` with these odds, with a space (where the language has them) before each but the first of
 * a paragraph. */
static void prose_words(struct prose *prose, struct pen *pen, uint32_t topic, uint64_t odds, uint64_t count)
{
    bool spaced = prose->tongue->spaced;

    for (uint64_t i = 0; i < count; i++) {
        const struct lexicon_word *word = draw(prose, topic, odds);

        if (!pen_room(pen, 64))
            return;
        if (prose->left-- == 0)
            punctuate(prose, pen);
        if (spaced)
            *pen->p++ = ' ';
        pen_word(pen, word);
        if (prose->fresh) {
            capitalise(pen->p - word->len);
            prose->fresh = false;
        }
    }
}

/* The full stop. */
static void prose_end(struct prose *prose, struct pen *pen)
{
    pen_z(pen, prose->tongue->spaced ? "." : "。");
    prose->left = 8;
    prose->fresh = true;
}

/* A few words without punctuation: titles, anchors, menus. */
static void prose_label(struct prose *prose, struct pen *pen, uint32_t topic, uint64_t odds, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0 && prose->tongue->spaced)
            pen_char(pen, ' ');
        pen_word(pen, draw(prose, topic, odds));
    }
}

/* ---- pages ---- */

enum { SALT_TEXT = 0x91, SALT_LINKS, SALT_MENU, SALT_MENU_TEXT, SALT_SIZE, SALT_SESSION };
enum { NEAR = 10, LIST_WORDS = 6, PARAGRAPH_WORDS = 120 };

struct composer {
    const struct world *world;
    const struct compose_request *request;
    const struct world_page *page;
    struct pen *pen;
    struct prose prose;
    struct dice dice; /* for links; the text has its own in `prose` */
    uint64_t title_odds, anchor_odds, context_odds;
    bool absolute, sessions;
    uint64_t links_written;
};

static void put_host(const struct world *world, const struct world_host *host, struct pen *pen)
{
    PEN(pen, "http://");
    if (pen_room(pen, WORLD_NAME_MAX))
        pen->p += world_write_host(world, host, pen->p);
}

static void put_path(const struct world *world, const struct world_page *page, struct pen *pen)
{
    if (pen_room(pen, WORLD_PATH_MAX))
        pen->p += world_write_path(world, page, pen->p);
}

/* Absolute. */
static void compose_href(const struct world *world, const struct world_page *page, struct pen *pen)
{
    put_host(world, &page->host, pen);
    put_path(world, page, pen);
}

/* ---- links ---- */

static void put_session(struct composer *c)
{
    static const char hex[] = "0123456789abcdef";
    uint64_t id = hash_mix(hash_mix(c->request->session, c->page->key ^ SALT_SESSION), c->links_written);

    PEN(c->pen, "?sid=");
    for (int shift = 60; shift >= 0; shift -= 4)
        pen_char(c->pen, hex[id >> shift & 15]);
}

static void put_open_tag(struct composer *c, const struct world_page *target, bool may_track)
{
    bool inside = target->host.index == c->page->host.index;

    PEN(c->pen, "<a href=\"");
    if (!inside || c->absolute)
        put_host(c->world, &target->host, c->pen);
    put_path(c->world, target, c->pen);
    if (inside && c->sessions)
        put_session(c);
    else if (may_track && dice_chance(&c->dice, c->world->odds.tracking))
        PEN(c->pen, "?utm_source=web&amp;utm_medium=link");
    c->links_written++;
    if (may_track && dice_chance(&c->dice, c->world->odds.nofollow))
        PEN(c->pen, "\" rel=\"nofollow");
    PEN(c->pen, "\">");
}

static void put_link(struct composer *c, const struct world_page *target)
{
    uint64_t roll = dice_roll(&c->dice);
    bool silent = dice_hit(roll, c->world->odds.anchor_noise);

    put_open_tag(c, target, true);
    prose_label(&c->prose, c->pen, target->topic, silent ? 0 : c->anchor_odds, 1 + (roll & 3));
    PEN(c->pen, "</a>");
}

/* A link with `words` words around it; those near to it speak of the target, with the odds of `context`. */
static void put_passage(struct composer *c, const struct world_page *target, uint64_t words)
{
    bool telling = dice_chance(&c->dice, c->world->odds.context);
    uint32_t topic = telling ? target->topic : c->page->topic;
    uint64_t before = words / 2, after = words - before;
    uint64_t near_before = before < NEAR ? before : NEAR, near_after = after < NEAR ? after : NEAR;

    prose_words(&c->prose, c->pen, c->page->topic, c->world->odds.topic_words, before - near_before);
    prose_words(&c->prose, c->pen, topic, c->context_odds, near_before);
    pen_char(c->pen, ' ');
    put_link(c, target);
    prose_words(&c->prose, c->pen, topic, c->context_odds, near_after);
    prose_words(&c->prose, c->pen, c->page->topic, c->world->odds.topic_words, after - near_after);
}

static void draw_target(struct composer *c, struct linkage_aim shared, struct world_page *out)
{
    struct linkage_aim aim = linkage_aim(c->world, c->page, &c->dice);

    if (linkage_lead(c->world, c->page, &c->dice, out))
        return;
    if (dice_chance(&c->dice, c->world->odds.cohesion)) {
        shared.outside = shared.topic == c->page->topic ? aim.outside : shared.outside;
        aim = shared; /* off topic, a list stays inside or outside: the host may not have that topic */
    }
    linkage_draw(c->world, c->page, aim, &c->dice, out);
}

/* ---- blocks ---- */

static void put_plain_paragraphs(struct composer *c, uint64_t words)
{
    while (words > 0) {
        uint64_t now = words < PARAGRAPH_WORDS ? words : PARAGRAPH_WORDS;

        PEN(c->pen, "<p>");
        prose_words(&c->prose, c->pen, c->page->topic, c->world->odds.topic_words, now);
        prose_end(&c->prose, c->pen);
        PEN(c->pen, "</p>\n");
        words -= now;
    }
}

static void put_list(struct composer *c, struct linkage_aim aim, uint64_t links, uint64_t words_each)
{
    PEN(c->pen, "<ul>\n");
    for (uint64_t i = 0; i < links; i++) {
        struct world_page target;

        draw_target(c, aim, &target);
        PEN(c->pen, "<li>");
        put_passage(c, &target, words_each);
        PEN(c->pen, "</li>\n");
    }
    PEN(c->pen, "</ul>\n");
}

static void put_paragraph(struct composer *c, struct linkage_aim aim, uint64_t links, uint64_t words_each)
{
    PEN(c->pen, "<p>");
    for (uint64_t i = 0; i < links; i++) {
        struct world_page target;

        draw_target(c, aim, &target);
        put_passage(c, &target, words_each);
    }
    prose_end(&c->prose, c->pen);
    PEN(c->pen, "</p>\n");
}

static void put_heading(struct composer *c, uint32_t topic)
{
    PEN(c->pen, "<h2>");
    prose_label(&c->prose, c->pen, topic, c->title_odds, 2 + dice_below(&c->dice, 3));
    PEN(c->pen, "</h2>\n");
}

/* Links go to lists of 4 to 10 and paragraphs of 2 to 5; lists are terse, what they save goes to the paragraphs. */
static void put_blocks(struct composer *c, uint64_t links, uint64_t words)
{
    while (links > 0) {
        uint64_t roll = dice_roll(&c->dice);
        struct linkage_aim aim = linkage_aim(c->world, c->page, &c->dice);
        bool list = c->page->kind == PAGE_HUB || roll % 5 < 2;
        uint64_t count = list ? 4 + dice_scale(roll, 7) : 2 + dice_scale(roll, 4), each = words / links;

        count = count < links ? count : links;
        each = list && each > LIST_WORDS ? LIST_WORDS : each;
        if (roll & 64)
            put_heading(c, aim.topic);
        if (list)
            put_list(c, aim, count, each);
        else
            put_paragraph(c, aim, count, each);
        links -= count;
        words -= count * each;
    }
    put_plain_paragraphs(c, words);
}

/* ---- what all pages of a host have in common ---- */

static void put_trap_door(struct composer *c)
{
    enum world_host_kind kind = world_host_kind(c->world, &c->page->host);
    struct str path = kind == HOST_CALENDAR ? STR("/calendar/2026/11.html") : STR("/archive/");

    if (kind != HOST_CALENDAR && kind != HOST_DEEP)
        return;
    PEN(c->pen, "<li><a href=\"");
    if (c->absolute)
        put_host(c->world, &c->page->host, c->pen);
    pen_str(c->pen, path);
    PEN(c->pen, "\">");
    pen_str(c->pen, kind == HOST_CALENDAR ? STR("Calendar") : STR("Archive"));
    PEN(c->pen, "</a></li>\n");
}

static void put_menu(struct composer *c)
{
    const struct world *world = c->world;
    const struct world_host *host = &c->page->host;
    uint64_t links = (uint64_t)(world->spec.links * world->spec.boilerplate + 0.5);
    struct dice dice = dice_of(host->key, SALT_MENU);
    struct prose prose;

    prose_begin(&prose, world, c->prose.tongue, hash_mix(host->key, SALT_MENU_TEXT));
    PEN(c->pen, "<nav><ul>\n");
    for (uint64_t i = 0; i < links; i++) {
        struct world_page target;

        world_page(world, host, i == 0 ? 0 : dice_popular(&dice, host->pages), &target);
        PEN(c->pen, "<li>");
        put_open_tag(c, &target, false);
        prose_label(&prose, c->pen, target.topic, c->anchor_odds, 1 + (i & 1));
        PEN(c->pen, "</a></li>\n");
    }
    put_trap_door(c);
    PEN(c->pen, "</ul></nav>\n");
}

static void put_footer(struct composer *c)
{
    const struct world *world = c->world;
    struct prose prose;

    prose_begin(&prose, world, c->prose.tongue, hash_mix(c->page->host.key, SALT_MENU_TEXT + 0x100));
    PEN(c->pen, "<footer><p>");
    prose_words(&prose, c->pen, c->page->host.topic, world->odds.topic_words / 2,
                (uint64_t)(world->spec.words * world->spec.boilerplate));
    prose_end(&prose, c->pen);
    PEN(c->pen, "</p>\n<p>© ");
    pen_number(c->pen, 2000 + c->page->host.key % 26);
    if (c->request->variant) {
        PEN(c->pen, " · ");
        pen_number(c->pen, c->request->variant % 1000000);
    }
    PEN(c->pen, "</p></footer>\n");
}

/* ---- the whole ---- */

static void put_head(struct composer *c)
{
    struct prose title = c->prose; /* the title is said again in h1 */

    PEN(c->pen, "<!DOCTYPE html>\n<html lang=\"");
    pen_z(c->pen, c->prose.tongue->code);
    PEN(c->pen, "\">\n<head>\n");
    if (c->request->charset) {
        PEN(c->pen, "<meta charset=\"");
        pen_z(c->pen, c->request->charset);
        PEN(c->pen, "\">\n");
    }
    PEN(c->pen, "<title>");
    prose_label(&title, c->pen, c->page->topic, c->title_odds, 3 + c->page->key % 4);
    PEN(c->pen, "</title>\n");
    if (c->request->variant & 1) {
        PEN(c->pen, "<link rel=\"canonical\" href=\"");
        compose_href(c->world, c->page, c->pen);
        PEN(c->pen, "\">\n");
    }
    if (!c->absolute)
        PEN(c->pen, "<link rel=\"stylesheet\" href=\"/style.css\">\n");
    PEN(c->pen, "</head>\n<body>\n<header>\n");
    put_menu(c);
    PEN(c->pen, "</header>\n");
}

static void put_main(struct composer *c, uint64_t links, uint64_t words)
{
    struct world_page way;

    PEN(c->pen, "<main>\n<h1>");
    prose_label(&c->prose, c->pen, c->page->topic, c->title_odds, 3 + c->page->key % 4);
    PEN(c->pen, "</h1>\n");
    if (linkage_tunnel(c->world, c->page, &way)) {
        PEN(c->pen, "<p>");
        put_passage(c, &way, 2 * NEAR);
        prose_end(&c->prose, c->pen);
        PEN(c->pen, "</p>\n");
    }
    put_blocks(c, links, words);
    if (c->request->variant) {
        struct prose news;

        prose_begin(&news, c->world, c->prose.tongue, c->request->variant);
        PEN(c->pen, "<p>");
        prose_words(&news, c->pen, c->page->topic, c->world->odds.topic_words, 8);
        prose_end(&news, c->pen);
        PEN(c->pen, "</p>\n");
    }
    PEN(c->pen, "</main>\n");
}

/* Between a quarter and seven quarters of the mean. */
static uint64_t spread(double mean, uint64_t roll)
{
    return (uint64_t)(mean * (0.25 + 1.5 * (double)(roll >> 32) * 0x1.0p-32) + 0.5);
}

void compose_page(const struct world *world, const struct compose_request *request, struct pen *pen)
{
    const struct world_page *page = &request->page;
    struct composer c = {.world = world, .request = request, .page = page, .pen = pen};
    struct dice size = dice_of(page->key, SALT_SIZE);
    double own = 1 - world->spec.boilerplate;
    uint64_t links = spread(world->spec.links * own, dice_roll(&size));
    uint64_t words = spread(world->spec.words * own, dice_roll(&size));

    c.dice = dice_of(page->key, SALT_LINKS);
    c.title_odds = dice_odds(0.6);
    c.anchor_odds = dice_odds(0.7);
    c.context_odds = world->odds.topic_words * 2 < dice_odds(0.8) ? world->odds.topic_words * 2 : dice_odds(0.8);
    c.absolute = world_page_is_absolute(page);
    c.sessions = world_host_kind(world, &page->host) == HOST_SESSIONS;
    prose_begin(&c.prose, world, world_host_tongue(world, &page->host), hash_mix(page->key, SALT_TEXT));
    if (page->kind == PAGE_HUB) {
        links *= 4;
        words /= 4;
    } else if (dice_chance(&size, world->odds.large)) {
        words *= world->spec.large_factor;
    }
    put_head(&c);
    put_main(&c, links, words);
    put_footer(&c);
    PEN(pen, "</body>\n</html>\n");
}

/* ---- files that are not pages ---- */

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
