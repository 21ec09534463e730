/* ways - how the network is reached: proxies, cookies and logins, read from the files that the topic names.
 *
 * They are read at the beginning of each run, and hold secrets: nothing of them goes to the store or a log. */
#ifndef SCENT_ENGINE_WAYS_H
#define SCENT_ENGINE_WAYS_H

#include "base/log.h"
#include "fetch/fetch.h"
#include "topic/topic.h"

struct ways {
    const char *proxy; /* with its credentials; NULL */
    const char *onion, *cookies;
    struct fetch_login *logins;
    size_t nlogins;
    struct arena arena;
};

/* `proxy_login`: "user:password" for the proxy, before what the file of logins says; NULL. Warns of files that other
 * users can read. On failure there is nothing to release. */
SCENT_NODISCARD scent_status ways_open(const struct topic_network *asked, const char *proxy_login,
                                       const struct log *log, struct ways *out, struct errmsg *err);
void ways_release(struct ways *ways); /* one of zeros is fine */

#endif
