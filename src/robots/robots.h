/* robots - robots.txt as RFC 9309 has it: which paths may this crawler visit on this host?
 *
 * Parsing turns a file (of any bytes, the first 500 KiB count) into the rules for one product token: the groups that
 * name it, merged, else the groups for "*". The rules are a flat value that can be kept, stored and loaded; matching is
 * a linear pass over them, longest match wins, allow wins a tie. Sites write "%7E" for "~" and mean what the RFC says,
 * or what Google's matcher makes of it: where the two disagree about a target it is forbidden (path_pattern.c).
 * All functions are pure; any thread. */
#ifndef SCENT_ROBOTS_ROBOTS_H
#define SCENT_ROBOTS_ROBOTS_H

#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"

enum { ROBOTS_MAX_BYTES = 500 * 1024 };

/* The product token of a user agent: "scent" of "scent/0.1 (+https://…)". A part of it; may be empty. */
struct str robots_agent(struct str user_agent);

struct robots;
/* `agent` is the product token, "scent" for "scent/0.1 (+https://…)"; ASCII case is ignored. Never fails but for
 * memory. */
SCENT_NODISCARD scent_status robots_parse(struct str text, struct str agent, struct robots **out);
/* No rules at all: what RFC 9309 2.3.1.3 makes of 4xx. */
struct robots *robots_allow_all(void);
void robots_free(struct robots *robots);

/* `target` is path and query as they are requested ("/a/b?c"). /robots.txt itself is always allowed. *rule (may be
 * NULL): the pattern that decided, a range inside `robots`; empty for none. Allocates only where the target has escapes
 * or special characters; where memory for that is lacking, no. */
bool robots_allows(const struct robots *robots, struct str target, struct str *rule);
/* Crawl-delay in microseconds; negative: none given. Capped at a day; nonsense is none. */
int64_t robots_crawl_delay(const struct robots *robots);
/* Sitemap lines (of the whole file, whatever their group): the i-th URL, empty after the last; at most 1,000. */
struct str robots_sitemap(const struct robots *robots, size_t i);

/* A compact form for the store, and back. A damaged one is SCENT_E_FORMAT. */
SCENT_NODISCARD scent_status robots_save(const struct robots *robots, struct buf *out);
SCENT_NODISCARD scent_status robots_load(struct str blob, struct robots **out);
size_t robots_bytes(const struct robots *robots); /* what it occupies in memory */

#define ROBOTS_MILLIONTHS_MAX (INT64_C(1000000000) * 1000000) /* larger numbers count as this */
/* "0.5" as 500,000 millionths: digits with at most one point among, before or after them; -1 for anything else. Locales
 * play no part. */
int64_t robots_millionths(struct str s);

/* ---- patterns ---- */

/* The paths of robots.txt: one spelling for them, and whether a target matches one.
 *
 * RFC 9309 2.2.2 compares paths in one spelling of their percent-encoding, in which "%7E" is "~". Google's matcher,
 * which many sites write for, keeps an escape of what needs none apart from the plain character. So there are two
 * readings; they differ in nothing else, and they agree on almost every rule. Pure. */

enum path_pattern_reading {
    PATH_AS_WRITTEN, /* "%7E" is not "~"; a byte beyond ASCII in a target is not its escape */
    PATH_RFC         /* both are */
};

/* Append the one spelling of a rule's pattern ("*" and a "$" at its end are special), and of a target (they are not).
 * The spelling of a spelling is itself. A failed append shows in out->failed. */
void path_pattern_spell(struct str pattern, enum path_pattern_reading reading, struct buf *out);
void path_pattern_spell_target(struct str target, enum path_pattern_reading reading, struct buf *out);
bool path_pattern_is_spelled(struct str target); /* both readings of the target are the target itself */

/* Both in one spelling. Linear in both, however many "*" there are. */
bool path_pattern_matches(struct str pattern, struct str target);

#endif
