/* A reference, a line break, a base. Whatever parses must reparse to itself; normalising must be idempotent and
 * give something that parses to itself too. */
#include "url/url.h"
#include "url/url_trap.h"

/* The offsets and the port lie side by side, without padding. */
enum { OFFSETS = offsetof(struct url, port) + sizeof(uint16_t) - offsetof(struct url, scheme_end) };

static void check_reparse(struct arena *arena, const struct url *url)
{
    struct url again;
    scent_status status = url_parse(arena, url->href, NULL, &again);

    SCENT_BUG_IF(status != SCENT_OK);
    SCENT_BUG_IF(!str_eq(again.href, url->href) || url->href.p[url->href.len] != 0);
    SCENT_BUG_IF(memcmp(&again.scheme_end, &url->scheme_end, OFFSETS) != 0);
}

static void check_normal(struct arena *arena, const struct url *url, unsigned flags)
{
    struct url normal, again;

    SCENT_BUG_IF(url_normalise(arena, url, flags, &normal) != SCENT_OK);
    SCENT_BUG_IF(url_has_credentials(&normal) || url_fragment(&normal).len);
    check_reparse(arena, &normal);
    SCENT_BUG_IF(url_normalise(arena, &normal, flags, &again) != SCENT_OK);
    SCENT_BUG_IF(again.href.p != normal.href.p);
}

static void check_host(const struct url *url)
{
    struct str host = url_host(url), domain = url_registered_domain(host);

    SCENT_BUG_IF(!host.len || domain.p < host.p || domain.p + domain.len > host.p + host.len);
    (void)url_host_is_loopback(host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str input = {(const char *)data, len}, base_text = STR_NONE;
    struct url base, url;
    struct arena arena;
    struct str surt;
    size_t line = len ? str_find(input, '\n') : 0;

    arena_init(&arena, 1 << 20);
    if (line < len) {
        base_text = str_sub(input, line + 1, len);
        input = str_sub(input, 0, line);
    }
    bool has_base = base_text.len && url_parse(&arena, base_text, NULL, &base) == SCENT_OK;

    if (url_parse(&arena, input, has_base ? &base : NULL, &url) == SCENT_OK) {
        check_reparse(&arena, &url);
        check_normal(&arena, &url, 0);
        check_normal(&arena, &url, URL_STRIP_TRACKING);
        check_normal(&arena, &url, URL_STRIP_TRACKING | URL_STRIP_SESSION);
        (void)url_trap(&url, 2026);
        SCENT_BUG_IF(url_pattern(&url, 1) == 0);
        check_host(&url);
        SCENT_BUG_IF(url_surt(&arena, &url, &surt) != SCENT_OK);
    }
    arena_release(&arena);
    return 0;
}
