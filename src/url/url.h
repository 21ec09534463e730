/* url - parse, resolve and serialise http and https URLs as the WHATWG URL standard says.
 *
 * A struct url is one serialised string (`href`) and offsets into it: nothing else is stored, and a
 * part is a range. Parsing costs a few hundred nanoseconds. All functions are pure; any thread.
 * Memory comes from the caller's arena. */
#ifndef SCENT_URL_URL_H
#define SCENT_URL_URL_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"

enum { SCENT_URL_MAX = 8192 }; /* a longer href is refused: SCENT_E_LIMIT */

/* scheme "://" [user [":" password] "@"] host [":" port] path ["?" query] ["#" fragment] */
struct url {
    struct str href;       /* terminated by a 0 byte after its end */
    uint16_t scheme_end;   /* href[0, scheme_end) is "http" or "https" */
    uint16_t user_end, pass_end; /* equal to scheme_end + 3 where there are no credentials */
    uint16_t host_start, host_end;
    uint16_t path_start;   /* after the port */
    uint16_t path_end, query_end; /* query_end == path_end: no query; href.len == query_end: no fragment */
    uint16_t port;         /* 0: the scheme's default, or ":0" (then path_start > host_end) */
};

struct str url_scheme(const struct url *url);
struct str url_host(const struct url *url);     /* lower case, punycode; IPv6 in brackets */
struct str url_server(const struct url *url);   /* the host, and ":port" where it is not the default */
struct str url_path(const struct url *url);     /* begins with "/" */
struct str url_query(const struct url *url);    /* without "?" */
struct str url_fragment(const struct url *url); /* without "#" */
struct str url_origin(const struct url *url);   /* scheme://host[:port]; holds the credentials until url_normalise()
                                                   has removed them */
uint16_t url_port(const struct url *url);       /* the effective port: 80 and 443 by default; 0 where ":0" is written */
bool url_has_credentials(const struct url *url);

/* Does a text begin with "http://" or "https://", in any case? */
static inline bool url_is_absolute(struct str text)
{
    return str_starts_nocase(text, STR("http://")) || str_starts_nocase(text, STR("https://"));
}

/* `base` may be NULL. SCENT_E_INVALID: the standard says failure. SCENT_E_UNSUPPORTED: a valid URL of
 * another scheme (mailto:, javascript:, data:, ftp:, …). SCENT_E_LIMIT: too long. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status url_parse(struct arena *arena, struct str input, const struct url *base, struct url *out);

/* The form under which a crawl knows a URL: no fragment, no credentials, percent-encoding in one
 * spelling (hex digits in upper case, unreserved characters decoded), an empty query dropped, with
 * URL_STRIP_TRACKING the parameters that only follow people (utm_*, gclid, fbclid, …) removed, with URL_STRIP_SESSION
 * session ids (;jsessionid=…, PHPSESSID, …).
 * Idempotent; the result parses to itself. Copies only when something changes. */
enum url_normal_flags { URL_STRIP_TRACKING = 1, URL_STRIP_SESSION = 2 };
SCENT_NODISCARD scent_status url_normalise(struct arena *arena, const struct url *url, unsigned flags, struct url *out);

/* 64 bits that stand for a normalised URL in this crawl (`key` is drawn per crawl, so that nobody can
 * prepare collisions). Never 0. */
uint64_t url_fingerprint(struct str href, uint64_t key);

/* "example.co.uk" for "www.example.co.uk" (public suffix list); the host itself for addresses, single labels
 * and public suffixes. A range of `host`. */
struct str url_registered_domain(struct str host);

/* "example.org" of "example.org:8080", "[::1]" of "[::1]:80"; a range of `server`. */
struct str url_host_without_port(struct str server);

/* 127.0.0.0/8, [::1], localhost and its aliases (localhost.localdomain, ip6-localhost, …), *.localhost. */
bool url_host_is_loopback(struct str host);

/* "org,example)/path?a=1&b=2" for CDXJ (sort-friendly URI reordering transform), as pywb spells its keys: labels
 * reversed, "www." dropped, lower case, parameters sorted, no trailing slash; addresses are not reordered, a port stays
 * behind the host, credentials and fragment are left out. */
SCENT_NODISCARD scent_status url_surt(struct arena *arena, const struct url *url, struct str *out);

#endif
