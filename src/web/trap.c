#include "web/trap.h"

#include "web/prose.h"

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
