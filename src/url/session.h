/* session - the ids by which a server tells its visitors apart in URLs; for url_normalise().
 *
 * A crawl that keeps them knows every page under as many names as it got ids. A parameter counts as one by its name and
 * by a value that looks like an id: "sid=12" is a story, "session=spring" a term. */
#ifndef SCENT_URL_SESSION_H
#define SCENT_URL_SESSION_H

#include "base/str.h"

/* `param` is "name=value". */
bool session_in_param(struct str param);
/* Removes ";jsessionid=…" and ASP.NET's "/(S(…))" from a path, in place; the new length. The result has no dot
 * segments that the path had not, and begins with "/". */
size_t session_strip_path(char *path, size_t len);

#endif
