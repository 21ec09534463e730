#include "crawldir/metrics.h"

#include <inttypes.h>

static const struct {
    const char *key, *inner; /* of the snapshot; inner: a key below it */
    const char *name, *type, *help;
} metrics[] = {
    {"running", NULL, "scent_running", "gauge", "1: the crawl is running"},
    {"pages", NULL, "scent_pages", "gauge", "pages that count"},
    {"relevant", NULL, "scent_relevant_pages", "gauge", "relevant pages"},
    {"harvest", NULL, "scent_harvest_ratio", "gauge", "share of relevant pages"},
    {"recent_harvest", NULL, "scent_recent_harvest_ratio", "gauge", "share of relevant pages among the last ones"},
    {"pages_per_s", NULL, "scent_pages_per_second", "gauge", "pages a second, over the last ten seconds"},
    {"responses", NULL, "scent_responses_total", "counter", "responses that were recorded"},
    {"links", NULL, "scent_links_total", "counter", "links of pages"},
    {"hosts", NULL, "scent_hosts", "gauge", "known hosts"},
    {"hosts_ready", NULL, "scent_hosts_ready", "gauge", "hosts that may be visited now"},
    {"hosts_waiting", NULL, "scent_hosts_waiting", "gauge", "hosts that wait for their delay"},
    {"hosts_resting", NULL, "scent_hosts_resting", "gauge", "hosts that do not answer and are tried later"},
    {"known", NULL, "scent_known_urls", "gauge", "known URLs"},
    {"queued", NULL, "scent_queued_urls", "gauge", "URLs that wait for their turn"},
    {"in_flight", NULL, "scent_in_flight", "gauge", "visits that are under way"},
    {"failed", NULL, "scent_failed_visits_total", "counter", "visits that ended in an error"},
    {"robots_refused", NULL, "scent_robots_refused_total", "counter", "URLs that a robots.txt forbids, in this run"},
    {"back_offs", NULL, "scent_back_offs_total", "counter", "hosts that were left alone for longer, in this run"},
    {"hooks_dropped", NULL, "scent_hooks_dropped_total", "counter", "pages that a hook was not told of, in this run"},
    {"waiting", NULL, "scent_pages_to_judge_again", "gauge", "pages whose verdict is of an earlier judge"},
    {"left_out", NULL, "scent_left_out_links_total", "counter", "links that met limits.urls_per_domain"},
    {"seconds", NULL, "scent_run_seconds", "gauge", "how long this run has worked"},
    {"seconds_left", NULL, "scent_left_seconds", "gauge", "until a limit ends the crawl"},
    {"delay", NULL, "scent_delay_seconds", "gauge", "delay between visits to a host"},
    {"limits", "pages", "scent_limit_pages", "gauge", "limit of pages; 0: none"},
    {"revisits", "due", "scent_due_pages", "gauge", "pages that are due to be visited again"},
    {"disk_bytes", NULL, "scent_disk_bytes", "gauge", "bytes of the database and the WARC files"},
    {"disk_free_bytes", NULL, "scent_disk_free_bytes", "gauge", "bytes that are free beside them"},
};

static void add_label(struct buf *out, const char *name, struct str value)
{
    buf_printf(out, "%s=\"", name);
    for (size_t i = 0; i < value.len; i++) {
        char c = value.p[i];

        if (c == '\n')
            buf_addz(out, "\\n");
        else if (c == '\\' || c == '"')
            buf_printf(out, "\\%c", c);
        else
            buf_addc(out, (unsigned char)c < ' ' || c == 0x7F ? '?' : c);
    }
    buf_addc(out, '"');
}

static void add_head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_sample(struct buf *out, const char *name, struct str crawl, const char *label, struct str value,
                       double number)
{
    buf_printf(out, "%s{", name);
    add_label(out, "crawl", crawl);
    if (label) {
        buf_addc(out, ',');
        add_label(out, label, value);
    }
    buf_printf(out, "} %.17g\n", number);
}

static const struct json *find(const struct json *snapshot, size_t i)
{
    const struct json *value = json_get(snapshot, metrics[i].key);

    return metrics[i].inner ? json_get(value, metrics[i].inner) : value;
}

static void add_urls(const struct metrics_crawl *crawls, size_t count, struct buf *out)
{
    static const char *const states[] = {"queued", "fetched", "redirected", "failed", "dropped", "seen", "purged"};

    add_head(out, "scent_urls", "gauge", "known URLs by state");
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof states / sizeof *states; k++)
            add_sample(out, "scent_urls", crawls[i].name, "state", str_of(states[k]),
                       json_as_double(json_get(json_get(crawls[i].snapshot, "urls"), states[k])));
}

static void add_reasons(const struct metrics_crawl *crawls, size_t count, struct buf *out)
{
    add_head(out, "scent_not_fetched", "gauge", "URLs that were not fetched, by reason");
    for (size_t i = 0; i < count; i++) {
        const struct json *errors = json_get(crawls[i].snapshot, "errors");

        for (size_t k = 0; k < json_count(errors) && k < 50; k++)
            add_sample(out, "scent_not_fetched", crawls[i].name, "reason",
                       json_as_str(json_get(json_at(errors, k), "reason")),
                       json_as_double(json_get(json_at(errors, k), "count")));
    }
}

void metrics_write(const struct metrics_crawl *crawls, size_t count, struct buf *out)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++) {
        add_head(out, metrics[i].name, metrics[i].type, metrics[i].help);
        for (size_t k = 0; k < count; k++) {
            const struct json *value = find(crawls[k].snapshot, i);

            if (json_is_num(value) || json_is_bool(value)) /* a crawl that has ended lacks some */
                add_sample(out, metrics[i].name, crawls[k].name, NULL, STR_NONE,
                           json_is_bool(value) ? json_as_bool(value) : json_as_double(value));
        }
    }
    add_urls(crawls, count, out);
    add_reasons(crawls, count, out);
}
