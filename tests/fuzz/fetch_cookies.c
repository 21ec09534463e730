/* The first line is a request, "host path seconds"; the rest is a cookie file. What goes into a header must be a header's,
 * and comes from the file. */
#include "fetch/cookies.h"
#include "fetch/fetch.h"

enum { HEADER_MAX = 8 * 1024 };

static void check_header(struct str header, struct str file)
{
    struct str rest = header, pair;

    SCENT_BUG_IF(header.len > HEADER_MAX);
    for (size_t i = 0; i < header.len; i++)
        SCENT_BUG_IF((unsigned char)header.p[i] < ' ' || header.p[i] == 0x7f);
    while (str_split(&rest, ';', &pair)) {
        pair = pair.p == header.p ? pair : str_sub(pair, 1, pair.len); /* "; " */
        SCENT_BUG_IF(pair.len == 0 || pair.len > file.len);
    }
}

/* Whoever may have it over http may have it over https. */
static void check_request(const struct cookies *cookies, struct cookies_request request, struct str file)
{
    struct buf plain, secure;

    buf_init(&plain, 0);
    buf_init(&secure, 0);
    cookies_for(cookies, &request, &plain);
    request.secure = true;
    cookies_for(cookies, &request, &secure);
    check_header(buf_str(&plain), file);
    check_header(buf_str(&secure), file);
    SCENT_BUG_IF(plain.len > secure.len && secure.len < HEADER_MAX / 2);
    buf_release(&plain);
    buf_release(&secure);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str file = {(const char *)data, len}, line, host, path;
    struct errmsg err = {{0}};
    struct cookies *cookies;
    uint64_t seconds = 0;

    if (!str_split(&file, '\n', &line) || !str_split(&line, ' ', &host) || !str_split(&line, ' ', &path) ||
        !str_starts(path, STR("/")))
        return 0;
    (void)str_parse_u64(line, &seconds);
    if (cookies_parse(file, "fuzz", &cookies, &err) != SCENT_OK) {
        SCENT_BUG_IF(!err.text[0]);
        return 0;
    }
    check_request(cookies, (struct cookies_request){host, path, false, (int64_t)(seconds % (1u << 31)) * 1000000}, file);
    cookies_free(cookies);
    return 0;
}
