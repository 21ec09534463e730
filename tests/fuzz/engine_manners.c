/* A life with two hosts: each byte is something that happens to one of them, the text behind it a robots.txt or a
 * Retry-After. Waits stay within their bounds, the dead stay dead, and nobody is welcome before his rules are known. */
#include "engine/manners.h"
#include "http/http.h"

#define HTTP(number) ((struct manners_origin){.host = (number)})

#define SECOND INT64_C(1000000)
#define DAY (24 * 3600 * SECOND)

enum { GIVE_UP_AFTER = 4, HOSTS = 2 };

static void ask(struct manners *manners, uint32_t host, int64_t now)
{
    int64_t expires;
    bool known = manners_robots(manners, HTTP(host), &expires) != NULL;
    enum manners_verdict verdict = manners_ask(manners, HTTP(host), STR("/a"), now);

    SCENT_BUG_IF(verdict == MANNERS_WELCOME && !known);
    SCENT_BUG_IF((verdict == MANNERS_DEAD) != (manners_failures(manners, host) >= GIVE_UP_AFTER));
}

/* "value|date" */
static int64_t retry_after(struct str text, int64_t now)
{
    struct str value;

    if (!str_split(&text, '|', &value))
        return 0;
    return http_retry_after(value, text, now);
}

static int64_t happen(struct manners *manners, uint8_t what, uint32_t host, struct str text, int64_t now)
{
    switch (what % 8) {
    case 0:
        return manners_robots_file(manners, HTTP(host), text, now);
    case 1:
        return manners_robots_none(manners, HTTP(host), now);
    case 2:
        return manners_robots_failed(manners, HTTP(host), "http 500", now);
    case 3:
        return manners_visit_done(manners, host, NULL, 0, (int64_t)(what / 8) * SECOND);
    case 4:
        return manners_visit_done(manners, host, "connect", retry_after(text, now), 0);
    case 5:
        manners_restore(manners, host, what / 8, (int64_t)what * SECOND);
        return 0;
    case 6:
        return manners_restore_robots(manners, HTTP(host), text, now + DAY) == SCENT_OK ? 0 : 1;
    default:
        ask(manners, host, now);
        return 0;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct manners_options options = {STR("scent/1"), SECOND, GIVE_UP_AFTER, 7};
    struct str text = {(const char *)data, len};
    size_t events = str_find(text, '\n');
    struct manners *manners = manners_new(&options);
    int64_t now = INT64_C(1800000000) * SECOND;

    text = events < len ? str_sub(text, events + 1, len) : STR("");
    SCENT_BUG_IF(manners_reserve(manners, HOSTS) != SCENT_OK);
    for (size_t i = 0; i < events && i < 200; i++) {
        uint32_t host = i % HOSTS;
        int64_t wait = happen(manners, data[i], host, text, now);

        SCENT_BUG_IF(wait < 0 || wait > DAY);
        SCENT_BUG_IF(manners_delay(manners, host) < SECOND || manners_delay(manners, host) > DAY);
        now += wait + SECOND;
    }
    manners_free(manners);
    return 0;
}
