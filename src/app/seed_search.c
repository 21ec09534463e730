#include "app/seed_search.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/queue.h"
#include "fetch/fetch.h"
#include "http/http.h"
#include "json/json.h"
#include "url/url.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

enum {
    ANSWER_MAX = 4 << 20,
    RESULTS_MAX = 200, /* of one query */
    PAUSE_US = 1000 * 1000,
    COMMAND_US = 60 * 1000 * 1000
};

struct results {
    struct seed_pool *pool;
    size_t count;
};

static scent_status take_result(struct results *results, struct str url, struct str title, struct str text,
                                struct errmsg *err)
{
    if (results->count >= RESULTS_MAX)
        return SCENT_OK;
    return seed_pool_add(results->pool,
                         &(struct seed_offer){.url = url, .title = title, .text = text, .source = SEED_FOUND,
                                              .weight = 4 / (1 + .25 * (double)results->count++)}, err);
}

/* {"results": [{"url": …, "title": …, "content": …}]}, as SearXNG answers; or one such result. */
static scent_status take_object(struct results *results, const struct json *root, struct errmsg *err)
{
    const struct json *list = json_get(root, "results");
    size_t count = list ? json_count(list) : 1;

    for (size_t i = 0; i < count; i++) {
        const struct json *one = list ? json_at(list, i) : root;

        if (json_is_str(json_get(one, "url")))
            SCENT_TRY(take_result(results, json_as_str(json_get(one, "url")), json_as_str(json_get(one, "title")),
                                  json_as_str(json_get(one, "content")), err));
    }
    return SCENT_OK;
}

/* The output of a command: a JSON object, JSON objects a line, or lines of URL, title and text with tabs between. */
static scent_status take_output(struct results *results, struct str output, struct errmsg *err)
{
    struct json *root = NULL;
    struct errmsg why;
    struct str line;
    scent_status status;

    if (json_parse(output, &root, &why) == SCENT_OK) {
        status = take_object(results, root, err);
        json_free(root);
        return status;
    }
    while (str_split(&output, '\n', &line)) {
        struct str url, title = STR_NONE;

        line = str_trim(line);
        if (line.len && line.p[0] == '{' && json_parse(line, &root, &why) == SCENT_OK) {
            status = take_object(results, root, err);
            json_free(root);
            SCENT_TRY(status);
        } else if (url_is_absolute(line) && str_split(&line, '\t', &url)) {
            (void)str_split(&line, '\t', &title);
            SCENT_TRY(take_result(results, url, title, line, err));
        }
    }
    return SCENT_OK;
}

static scent_status ask_command(const struct seed_search *search, struct str query, struct seed_pool *pool,
                                struct errmsg *err)
{
    const char *command = search->command;
    const char *const words[] = {command, query.p, NULL};
    struct results results = {.pool = pool};
    scent_status status = SCENT_OK;
    int ends[2], how = 0;
    struct buf output;
    bool whole;
    pid_t child;

    if (query.p[0] == '-') /* a name out of a list must not become an option */
        return errmsg_fail(err, SCENT_E_INVALID, "'%s' begins with '-' and is not given to %s", query.p, command);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errmsg_fail(err, SCENT_E_IO, "%s cannot be started: %s", command, strerror(errno));
    if (!child_start(&(struct child_options){.words = words, .input = -1, .output = ends[1]}, &child)) {
        status = errmsg_fail(err, SCENT_E_INVALID, "%s cannot be started: %s", command, strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return status;
    }
    close(ends[1]);
    buf_init(&output, ANSWER_MAX);
    whole = child_read_all(ends[0], COMMAND_US, &output);
    close(ends[0]);
    if (!child_end(child, whole ? COMMAND_US : 0, &how) || !whole)
        status = errmsg_fail(err, SCENT_E_LIMIT, "%s '%s' took more than %d s, or wrote more than %d MiB", command,
                             query.p, COMMAND_US / 1000000, ANSWER_MAX >> 20);
    else if (how)
        status = errmsg_fail(err, SCENT_E_INVALID, "%s '%s' failed: %s", command, query.p, child_end_text(how).text);
    else
        status = take_output(&results, buf_str(&output), err);
    buf_release(&output);
    return status;
}

static void keep_exchange(void *ctx, struct fetch_exchange *exchange)
{
    (void)queue_push(ctx, exchange);
}

static void write_search_url(const struct seed_search *search, struct str query, uint64_t page, struct buf *out)
{
    struct str base = str_of(search->engine);

    while (base.len && base.p[base.len - 1] == '/')
        base.len--;
    buf_printf(out, "%.*s%s?q=", STR_ARG(base), str_ends(base, STR("/search")) ? "" : "/search");
    for (size_t i = 0; i < query.len; i++)
        if (ascii_is_alpha(query.p[i]) || ascii_is_digit(query.p[i]))
            buf_addc(out, query.p[i]);
        else
            buf_printf(out, "%%%02X", (unsigned char)query.p[i]);
    buf_printf(out, "&format=json&pageno=%" PRIu64, page);
}

static scent_status read_answer(struct results *results, const char *base, const struct fetch_exchange *exchange,
                                struct errmsg *err)
{
    struct json *root = NULL;
    struct errmsg why = {{0}};
    struct str body;
    struct buf decoded;
    enum http_end end;
    scent_status status;

    if (exchange->outcome != FETCH_RESPONSE)
        return errmsg_fail(err, SCENT_E_IO, "%s gave no answer: %s%s%s", base, fetch_outcome_text(exchange->outcome),
                           exchange->error[0] ? ": " : "", exchange->error);
    if (exchange->status != 200)
        return errmsg_fail(err, SCENT_E_INVALID, "%s answered with HTTP %d%s", base, exchange->status,
                           exchange->status == 403
                               ? ": it does not give JSON; its settings must have 'json' among search.formats" : "");
    buf_init(&decoded, ANSWER_MAX);
    status = http_decode_body(buf_str(&exchange->head), buf_str(&exchange->body), &decoded, &body, &end);
    if (status != SCENT_OK || json_parse(body, &root, &why) != SCENT_OK || !json_get(root, "results"))
        status = errmsg_fail(err, SCENT_E_INVALID, "%s did not answer with results as JSON; is it a SearXNG? %.200s",
                             base, why.text);
    else
        status = take_object(results, root, err);
    json_free(root);
    buf_release(&decoded);
    return status;
}

/* One question at a time, and a pause between them: others use it, too. */
static scent_status ask_engine(const struct seed_search *search, struct fetch *fetch, struct queue *answers,
                               struct str query, bool is_first, struct seed_pool *pool, struct errmsg *err)
{
    struct results results = {.pool = pool};
    scent_status status = SCENT_OK;
    struct buf url;

    buf_init(&url, 64 << 10);
    for (uint64_t page = 1; page <= search->pages && status == SCENT_OK; page++) {
        struct fetch_exchange *exchange;
        size_t before = results.count;

        if (!is_first || page > 1)
            usleep(PAUSE_US);
        buf_clear(&url);
        write_search_url(search, query, page, &url);
        exchange = fetch_exchange_new(NULL, buf_z(&url));
        exchange->any_type = true;
        fetch_submit(fetch, exchange);
        exchange = queue_pop(answers);
        status = read_answer(&results, search->engine, exchange, err);
        fetch_exchange_free(exchange);
        if (results.count == before)
            break;
    }
    buf_release(&url);
    return status;
}

scent_status seed_search(const struct seed_search *search, const struct str *queries, size_t count,
                         struct seed_pool *pool, struct errmsg *err)
{
    struct queue *answers = queue_new(4);
    struct fetch_options options = {
        .user_agent = "scent/" SCENT_VERSION " (scent seeds)",
        .max_body = ANSWER_MAX,
        .reach = FETCH_REACH_ANY, /* the user has named this address, and no redirect is followed */
        .ca_file = search->ca_file,
        .dns_server = search->dns,
        .done = keep_exchange,
        .done_ctx = answers,
        .clock = &clock_system,
    };
    struct fetch *fetch = NULL;
    scent_status status = search->engine && count ? fetch_start(&options, &fetch, err) : SCENT_OK;

    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = fetch ? ask_engine(search, fetch, answers, queries[i], i == 0, pool, err)
                       : ask_command(search, queries[i], pool, err);
    if (fetch)
        fetch_stop(fetch);
    queue_free(answers);
    return status;
}
