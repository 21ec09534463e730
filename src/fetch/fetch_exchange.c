#include "fetch/fetch.h"

#include <stdlib.h>

static const char *const outcome_words[] = {
    [FETCH_RESPONSE] = "response",
    [FETCH_UNWANTED] = "unwanted",
    [FETCH_E_DNS] = "dns",
    [FETCH_E_CONNECT] = "connect",
    [FETCH_E_TLS] = "tls",
    [FETCH_E_TIMEOUT] = "timeout",
    [FETCH_E_PROTOCOL] = "protocol",
    [FETCH_E_CLOSED] = "closed",
    [FETCH_E_FORBIDDEN] = "forbidden",
    [FETCH_E_ABSENT] = "not in the archive",
    [FETCH_E_INTERNAL] = "internal",
};

const char *fetch_outcome_text(enum fetch_outcome outcome)
{
    return outcome_words[outcome];
}

static const char *const failure_words[] = {
    [FETCH_NAME_OK] = "",
    [FETCH_NAME_UNKNOWN] = "no such name",
    [FETCH_NAME_EMPTY] = "the name has no address",
    [FETCH_NAME_FAILED] = "the name servers failed",
    [FETCH_NAME_SILENT] = "the name servers did not answer",
    [FETCH_NAME_STOPPED] = "stopped",
};

const char *fetch_name_failure_text(enum fetch_name_failure failure)
{
    return failure_words[failure];
}

struct fetch_exchange *fetch_exchange_new(void *owner, const char *url)
{
    struct fetch_exchange *exchange = calloc(1, sizeof *exchange);

    SCENT_BUG_IF(!exchange);
    exchange->owner = owner;
    exchange->url = url;
    buf_init(&exchange->request, 0);
    buf_init(&exchange->head, 0);
    buf_init(&exchange->body, 0);
    return exchange;
}

void fetch_exchange_free(struct fetch_exchange *exchange)
{
    if (!exchange)
        return;
    buf_release(&exchange->request);
    buf_release(&exchange->head);
    buf_release(&exchange->body);
    free(exchange);
}
