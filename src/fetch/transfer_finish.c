/* How a transfer ended, said in our words.
 *
 * The rule: once a head is complete the exchange is a response, and whatever befell the body is a cut of it. */
#include "fetch/transfer.h"

#include <stdio.h>

static enum fetch_outcome outcome_of(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return FETCH_E_DNS;
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
        return FETCH_E_CONNECT;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return FETCH_E_TLS;
    case CURLE_OPERATION_TIMEDOUT:
        return FETCH_E_TIMEOUT;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return FETCH_E_PROTOCOL;
    case CURLE_OK: /* the end of the connection ended the head */
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
        return FETCH_E_CLOSED;
    default:
        return FETCH_E_INTERNAL;
    }
}

/* The proxy answered CONNECT with a refusal: libcurl counts that as a failure to receive. */
static bool proxy_refused(const struct transfer *transfer)
{
    long code = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &code);
    return code >= 300;
}

/* "Out of memory" is what libcurl says to a header line of more than 100 KB. */
static bool line_too_long(const struct transfer *transfer, CURLcode code)
{
    return code == CURLE_OUT_OF_MEMORY && transfer->exchange->request.len > 0;
}

/* Before a head was complete. */
static enum fetch_outcome early_outcome(const struct transfer *transfer, CURLcode code)
{
    if (transfer->stop == STOP_HEAD)
        return FETCH_E_PROTOCOL;
    if (transfer->stop == STOP_NOMEM)
        return FETCH_E_INTERNAL;
    if (transfer->forbidden)
        return FETCH_E_FORBIDDEN;
    if (transfer->starved)
        return FETCH_E_INTERNAL;
    if (line_too_long(transfer, code))
        return FETCH_E_PROTOCOL;
    return proxy_refused(transfer) ? FETCH_E_CONNECT : outcome_of(code);
}

bool transfer_was_unreachable(const struct transfer *transfer, CURLcode code)
{
    curl_off_t connected = 0;

    if (transfer->exchange->request.len || transfer->forbidden || transfer->starved)
        return false;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONNECT_TIME_T, &connected);
    return code == CURLE_COULDNT_CONNECT || (code == CURLE_OPERATION_TIMEDOUT && connected == 0);
}

static enum fetch_cut cut_of(const struct transfer *transfer, CURLcode code)
{
    if (transfer->stop == STOP_SIZE || transfer->stop == STOP_NOMEM)
        return FETCH_CUT_SIZE;
    if (code == CURLE_OPERATION_TIMEDOUT)
        return FETCH_CUT_TIME;
    return code == CURLE_OK ? FETCH_WHOLE : FETCH_CUT_CLOSED;
}

static const char *error_text(const struct transfer *transfer, CURLcode code)
{
    switch (transfer->stop) {
    case STOP_UNWANTED:
        return "unwanted content type";
    case STOP_SIZE:
        return "body too large";
    case STOP_HEAD:
        return "header too large";
    case STOP_FRAMING:
        return "endless framing";
    case STOP_NOMEM:
        return "out of memory";
    case STOP_NONE:
        break;
    }
    if (transfer->forbidden)
        return transfer->refusal;
    if (transfer->starved && !transfer->reply.done)
        return "out of descriptors";
    if (line_too_long(transfer, code))
        return "header too large";
    if (code == CURLE_OK)
        return transfer->reply.done ? "" : "the connection ended in the header";
    return transfer->error[0] ? transfer->error : curl_easy_strerror(code);
}

static const char *protocol_name(long version)
{
    switch (version) {
    case CURL_HTTP_VERSION_1_0:
        return "http/1.0";
    case CURL_HTTP_VERSION_1_1:
        return "http/1.1";
    case CURL_HTTP_VERSION_2_0:
        return "h2";
    case CURL_HTTP_VERSION_3:
        return "h3";
    default:
        return "";
    }
}

static void describe(const struct transfer *transfer)
{
    struct fetch_exchange *exchange = transfer->exchange;
    const char *ip = NULL;
    long version = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_PRIMARY_IP, &ip);
    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_VERSION, &version);
    snprintf(exchange->ip, sizeof exchange->ip, "%s", ip ? ip : "");
    snprintf(exchange->protocol, sizeof exchange->protocol, "%s", protocol_name(version));
}

static void set_error(struct fetch_exchange *exchange, const char *text)
{
    snprintf(exchange->error, sizeof exchange->error, "%.*s", (int)sizeof exchange->error - 1, text);
}

void transfer_fail(struct fetch_exchange *exchange, enum fetch_outcome outcome, const char *why)
{
    exchange->outcome = outcome;
    exchange->cut = FETCH_WHOLE;
    exchange->status = 0;
    exchange->chunked = false;
    buf_clear(&exchange->head);
    buf_clear(&exchange->body);
    set_error(exchange, why);
}

/* The body is somebody else's now. */
static void give_back(struct transfer *transfer)
{
    struct holding *holding = transfer->common->holding;

    holding->bytes -= transfer->held;
    transfer->held = 0;
    if (transfer->paused)
        holding->paused--;
    transfer->paused = false;
    if (holding->favoured == transfer)
        holding->favoured = NULL;
    if (transfer->common->flood->flooded == transfer)
        transfer->common->flood->flooded = NULL;
}

struct fetch_exchange *transfer_finish(struct transfer *transfer, CURLcode code)
{
    struct fetch_exchange *exchange = transfer->exchange;
    const char *error = error_text(transfer, code);

    describe(transfer);
    if (!transfer->reply.done) {
        transfer_fail(exchange, early_outcome(transfer, code), error);
    } else {
        exchange->outcome = transfer->stop == STOP_UNWANTED ? FETCH_UNWANTED : FETCH_RESPONSE;
        exchange->cut = transfer->stop == STOP_UNWANTED ? FETCH_WHOLE : cut_of(transfer, code);
        exchange->status = transfer->reply.status;
        exchange->chunked = transfer->reply.chunked;
        set_error(exchange, error);
    }
    give_back(transfer);
    transfer->exchange = NULL;
    return exchange;
}
