#include "codec/codec.h"
#include "fetch/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_USER_AGENT   "scent/" SCENT_VERSION
#define DEFAULT_ACCEPT_TYPES "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

static void fill_defaults(struct fetch_options *options)
{
    options->user_agent = options->user_agent ? options->user_agent : DEFAULT_USER_AGENT;
    options->accept_types = options->accept_types ? options->accept_types : DEFAULT_ACCEPT_TYPES;
    options->max_head = options->max_head ? options->max_head : 64 * 1024;
    options->max_body = options->max_body ? options->max_body : 2 * 1024 * 1024;
    options->connect_timeout_us = options->connect_timeout_us ? options->connect_timeout_us : 10 * 1000000;
    options->total_timeout_us = options->total_timeout_us ? options->total_timeout_us : 60 * 1000000;
    options->min_bytes_per_s = options->min_bytes_per_s ? options->min_bytes_per_s : 100;
    options->dns_timeout_us = options->dns_timeout_us ? options->dns_timeout_us : 2 * 1000000;
    options->max_transfers = options->max_transfers ? options->max_transfers : 1024;
    options->clock = options->clock ? options->clock : &clock_system;
}

static char *copy(const char *text)
{
    char *own = text ? strdup(text) : NULL;

    SCENT_BUG_IF(text && !own);
    return own;
}

static scent_status add_header(struct transfer_common *common, const char *name, const char *value, struct errmsg *err)
{
    struct curl_slist *headers = NULL;
    char *line;

    if (strpbrk(value, "\r\n"))
        return errmsg_fail(err, SCENT_E_INVALID, "the value of %s holds a line break", name);
    if (asprintf(&line, "%s:%s%s", name, *value ? " " : "", value) < 0)
        return SCENT_E_NOMEM;
    headers = curl_slist_append(common->headers, line);
    free(line);
    if (!headers)
        return SCENT_E_NOMEM;
    common->headers = headers;
    return SCENT_OK;
}

static scent_status add_headers(struct transfer_common *common, struct errmsg *err)
{
    const char *const headers[][2] = {
        {"User-Agent", common->options.user_agent},
        {"Accept", common->options.accept_types},
        {"Accept-Encoding", CODEC_ACCEPT_ENCODING},
        {"Proxy-Connection", ""}, /* without a value libcurl leaves it out: nobody is told of the proxy */
    };
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < sizeof headers / sizeof *headers && status == SCENT_OK; i++)
        status = add_header(common, headers[i][0], headers[i][1], err);
    return status;
}

scent_status transfer_common_init(struct transfer_common *common, const struct fetch_options *options,
                                  struct poller *poller, struct errmsg *err)
{
    scent_status status;

    *common = (struct transfer_common){.options = *options, .poller = poller, .max_sockets = SIZE_MAX};
    fill_defaults(&common->options);
    common->options.proxy = copy(options->proxy);
    common->options.ca_file = copy(options->ca_file);
    common->options.dns_server = copy(options->dns_server);
    status = add_headers(common, err);
    if (status == SCENT_OK && options->ca_file && access(options->ca_file, R_OK) != 0)
        status = errmsg_fail(err, SCENT_E_INVALID, "%s: cannot read the CA file", options->ca_file);
    /* They are in the header lines now; the caller's strings are not kept. */
    common->options.user_agent = common->options.accept_types = NULL;
    if (status != SCENT_OK)
        transfer_common_release(common);
    return status;
}

void transfer_common_release(struct transfer_common *common)
{
    free((char *)common->options.proxy);
    free((char *)common->options.ca_file);
    free((char *)common->options.dns_server);
    curl_slist_free_all(common->headers);
    *common = (struct transfer_common){0};
}
