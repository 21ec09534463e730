/* scope - may a URL be crawled? The cheap questions, asked before a URL is queued. Pure. */
#ifndef SCENT_TOPIC_SCOPE_H
#define SCENT_TOPIC_SCOPE_H

#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"
#include "url/url.h"

/* A pattern without "/" is matched against the host ("*.org"), one with "/" against the URL without its scheme
 * ("example.org/a/…"). `*` is any run, `?` one character; ASCII case is ignored. */
struct scope {
    const struct str *include, *exclude, *types;
    size_t ninclude, nexclude, ntypes;
    uint32_t hops_off_domain; /* UINT32_MAX: no limit */
};

/* The first of `patterns` that matches, NULL for none. */
const struct str *scope_find(const struct str *patterns, size_t count, const struct url *url);

/* Excluded beats included; without include patterns every URL is included. */
enum scope_verdict { SCOPE_IN, SCOPE_NOT_INCLUDED, SCOPE_EXCLUDED };
enum scope_verdict scope_check(const struct scope *scope, const struct url *url);
const char *scope_verdict_text(enum scope_verdict verdict);
/* text/html and application/xhtml+xml by default; patterns are globs. An absent type passes; parameters are ignored. */
bool scope_wants_type(const struct scope *scope, struct str mime);

#endif
