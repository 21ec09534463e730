#include "engine/analysts.h"

#include "http/http.h"
#include "engine/politeness.h"
#include "engine/requisites.h"
#include "engine/sitemaps.h"
#include "page/simhash.h"
#include "page/soft404.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct analyst {
    const struct analyst_options *options;
    const struct soft404 *soft404; /* of all */
    struct page_analyser *analyser;
    struct http_packer *packer;
    struct references *references; /* NULL: the topic asks for no requisites */
    struct rng rng;
    struct buf decoded, web_buf;
    struct analyst_cpu cpu;
    pthread_t thread;
};

struct analysts {
    struct analyst_options options;
    struct soft404 *soft404;
    struct analyst *members;
    uint32_t count;
};

/* ---- the response of a web without a network ---- */

static enum fetch_outcome outcome_of_fault(enum web_fault fault)
{
    switch (fault) {
    case WEB_FINE:
        return FETCH_RESPONSE;
    case WEB_REFUSE:
        return FETCH_E_CONNECT;
    case WEB_DROP:
        return FETCH_E_CLOSED;
    case WEB_HANG:
        return FETCH_E_TIMEOUT;
    case WEB_NO_HOST:
        return FETCH_E_DNS;
    }
    return FETCH_E_INTERNAL;
}

static void fill_response(const struct topic *topic, const struct web_response *response, struct fetch_exchange *ex)
{
    struct str mime = http_head_mime(response->head), body = response->body;
    uint64_t most = ex->max_body ? ex->max_body : topic->limits.page_bytes;

    ex->outcome = response->absent ? FETCH_E_ABSENT : outcome_of_fault(response->fault);
    if (ex->outcome != FETCH_RESPONSE)
        return;
    ex->status = response->status;
    buf_add(&ex->head, response->head);
    if (ex->status / 100 == 2 && !ex->any_type && !scope_wants_type(&topic->scope, mime)) {
        ex->outcome = FETCH_UNWANTED;
        return;
    }
    if (body.len > most) {
        body.len = (size_t)most;
        ex->cut = FETCH_CUT_SIZE;
    }
    buf_add(&ex->body, body);
    snprintf(ex->protocol, sizeof ex->protocol, "http/1.1");
}

static void get_from_web(struct analyst *analyst, struct job *job)
{
    struct visit *visit = &job->visit;
    const struct analyst_options *options = analyst->options;
    struct fetch_exchange *ex = visit->exchange;
    struct web_response response;
    struct errmsg err = {0};

    ex->started_wall = clock_wall(options->clock);
    buf_printf(&ex->request, "GET %.*s HTTP/1.1\r\nHost: %.*s\r\n\r\n",
               (int)(visit->url.query_end - visit->url.path_start), visit->url.href.p + visit->url.path_start,
               STR_ARG(url_host(&visit->url)));
    if (web_get(options->web, visit->url.href, &analyst->web_buf, &response, &err) != SCENT_OK) {
        ex->outcome = FETCH_E_INTERNAL;
        snprintf(ex->error, sizeof ex->error, "%.100s", err.text);
        return;
    }
    fill_response(options->topic, &response, ex);
}

/* ---- what the response is ---- */

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static void set_failure(struct job *job, enum visit_result result, const char *fmt, ...) SCENT_PRINTF(3, 4);
static void set_failure(struct job *job, enum visit_result result, const char *fmt, ...)
{
    va_list args;

    job->visit.result = result;
    va_start(args, fmt);
    vsnprintf(job->visit.error, sizeof job->visit.error, fmt, args);
    va_end(args);
}

static void resolve_redirect(struct analyst *analyst, struct job *job)
{
    struct visit *visit = &job->visit;
    struct str location = http_header(buf_str(&visit->exchange->head), STR("location"));
    unsigned flags = topic_url_flags(analyst->options->topic);
    struct url parsed;

    if (location.len && url_parse(&job->arena, location, &visit->url, &parsed) == SCENT_OK &&
        url_normalise(&job->arena, &parsed, flags, &visit->target) == SCENT_OK)
        visit->result = VISIT_REDIRECT;
    else
        set_failure(job, VISIT_STATUS, "http %d without a usable location", visit->status);
}

static void fail_decoding(struct job *job)
{
    set_failure(job, VISIT_STATUS, "cannot decode the content encoding %.*s",
                STR_ARG(http_header(buf_str(&job->visit.exchange->head), STR("content-encoding"))));
}

/* For what is not a page; what is damaged or too large is cut, and that is data. False: nothing came out. */
static bool decode_body(struct analyst *analyst, struct job *job, struct str *out, enum http_end *end)
{
    if (http_decode_body(buf_str(&job->visit.exchange->head), buf_str(&job->visit.exchange->body), &analyst->decoded,
                         out, end) == SCENT_OK)
        return true;
    fail_decoding(job);
    return false;
}

/* An error page that says 200. A seed is what the user wants, whatever it says. */
static bool is_soft_404(const struct analyst *analyst, struct job *job)
{
    struct soft404_verdict verdict;
    char reasons[64];

    if (job->visit.at.candidate.flags & CANDIDATE_SEED)
        return false;
    verdict = soft404_judge(analyst->soft404, &job->visit.page);
    if (verdict.score < SOFT404_THRESHOLD)
        return false;
    soft404_list(verdict.reasons, reasons, sizeof reasons);
    set_failure(job, VISIT_STATUS, "soft 404: %s", reasons);
    return true;
}

/* Half a PDF is damaged; who is told no more would look for the fault elsewhere. */
static bool is_cut_pdf(const struct analyst *analyst, const struct visit *visit)
{
    return analyst->options->pdf.read && visit->exchange->cut == FETCH_CUT_SIZE &&
           str_eq(visit->page.mime, STR("application/pdf"));
}

static void analyse_page(struct analyst *analyst, struct job *job, int64_t *cpu)
{
    struct visit *visit = &job->visit;
    struct page_input input = {&visit->url, buf_str(&visit->exchange->head), buf_str(&visit->exchange->body)};
    struct judge_input question = {
        .page = &visit->page, .depth = visit->at.candidate.depth, .arena = &job->arena};

    if (page_analyse(analyst->analyser, &input, &job->arena, &visit->page) != SCENT_OK) {
        set_failure(job, VISIT_STATUS, "the page is too large to analyse");
        return;
    }
    if (visit->page.truncated & PAGE_UNDECODED) {
        fail_decoding(job);
        return;
    }
    visit->bytes = visit->page.bytes;
    if (visit->page.not_text) {
        set_failure(job, VISIT_NOT_TEXT, "%s%s", visit->page.not_text,
                    is_cut_pdf(analyst, visit) ? ": it was cut at limits.page_bytes, raise that to have it read" : "");
        return;
    }
    if (is_soft_404(analyst, job))
        return;
    visit->simhash = page_simhash(&visit->page); /* of the page alone: the same bytes have it at any time */
    /* a seed is an example; its words stay the same */
    repeats_apply(visit->at.candidate.flags & CANDIDATE_SEED ? NULL : visit->repeats, &visit->page);
    if (analyst->options->topic->content == TOPIC_CONTENT_MAIN)
        visit->blocks = repeats_record(&visit->page, STR_NONE, &job->arena);
    if (analyst->options->topic->query)
        visit->counted = query_counted_write(analyst->options->topic->query,
                                             judge_counted_key(analyst->options->topic), &visit->page, &job->arena);
    visit->canonical = page_canonical_target(&visit->page);
    clock_charge_cpu(&analyst->cpu.analyse, cpu);
    question.bytes = visit->bytes;
    question.counted = visit->counted;
    question.seed = visit->at.candidate.flags & CANDIDATE_SEED;
    judge_page(visit->judge, &question, &visit->judgement);
    clock_charge_cpu(&analyst->cpu.judge, cpu);
    visit->result = VISIT_PAGE;
}

static void keep_robots(struct analyst *analyst, struct job *job)
{
    struct visit *visit = &job->visit;
    enum http_end end;
    struct str text;

    /* Half a file must not count as all of it: rules would be lost. What lies behind the cap may be (RFC 9309, 2.5). */
    if (visit->exchange->cut == FETCH_CUT_TIME || visit->exchange->cut == FETCH_CUT_CLOSED) {
        set_failure(job, VISIT_STATUS, "robots.txt was cut off");
        return;
    }
    analyst->decoded.cap = ROBOTS_MAX_BYTES;
    if (!decode_body(analyst, job, &text, &end))
        ; /* it has said why */
    else if (end != HTTP_WHOLE && end != HTTP_CUT_CAP)
        set_failure(job, VISIT_STATUS, "the content encoding of robots.txt is damaged");
    else {
        if (text.len > ROBOTS_MAX_BYTES)
            text.len = ROBOTS_MAX_BYTES;
        visit->robots = arena_str(&job->arena, text);
        visit->result = VISIT_ROBOTS;
    }
    analyst->decoded.cap = analyst->options->topic->limits.page_bytes;
}

static void keep_sitemap(struct analyst *analyst, struct job *job)
{
    enum http_end end;
    struct str body;

    if (decode_body(analyst, job, &body, &end))
        job->visit.result =
            sitemaps_read(job, body, topic_url_flags(analyst->options->topic)) ? VISIT_SITEMAP : VISIT_STATUS;
}

/* Whatever it is; half of it is of no use. */
static void keep_requisite(struct analyst *analyst, struct job *job)
{
    uint64_t most = analyst->options->topic->requisites.bytes;

    if (job->visit.exchange->cut == FETCH_CUT_SIZE)
        set_failure(job, VISIT_UNWANTED, "larger than requisites.bytes (%" PRIu64 ")", most);
    else
        job->visit.result = VISIT_REQUISITE;
}

/* 429 and 503 speak for the host, not for the page. */
static void note_host_trouble(struct analyst *analyst, struct job *job)
{
    struct visit *visit = &job->visit;
    struct str head = buf_str(&visit->exchange->head);
    struct str after = http_header(head, STR("retry-after")), date = http_header(head, STR("date"));

    if (visit->status == 429 || visit->status == 503)
        visit->trouble = "too many requests, or overloaded";
    if (visit->status == 429 || visit->status == 503 || visit->status / 100 == 3)
        visit->retry_after = http_retry_after(after, date, clock_wall(analyst->options->clock));
}

static void classify_response(struct analyst *analyst, struct job *job, int64_t *cpu)
{
    struct visit *visit = &job->visit;

    visit->bytes = visit->exchange->body.len;
    visit->may_retry = visit->status == 429 || visit->status >= 500;
    note_host_trouble(analyst, job);
    if (visit->status / 100 == 2 && visit->at.candidate.flags & CANDIDATE_ROBOTS)
        keep_robots(analyst, job);
    else if (visit->status / 100 == 2 && visit->at.candidate.flags & CANDIDATE_SITEMAP)
        keep_sitemap(analyst, job);
    else if (visit->status / 100 == 2 && candidate_is_requisite(&visit->at.candidate))
        keep_requisite(analyst, job);
    else if (visit->status / 100 == 2)
        analyse_page(analyst, job, cpu);
    else if (visit->status == 304 && visit->again &&
             (visit->again->known.etag.len || visit->again->known.last_modified.len))
        visit->result = VISIT_UNCHANGED;
    else if (is_redirect(visit->status))
        resolve_redirect(analyst, job);
    else
        set_failure(job, VISIT_STATUS, "http %d", visit->status);
}

/* What a page says holds for it whatever its status; a page that was not read has only its headers. */
static void note_directives(struct analyst *analyst, struct job *job)
{
    const struct topic_politeness *polite = &analyst->options->topic->politeness;

    struct visit *visit = &job->visit;
    int64_t until = visit->page.unavailable_after;

    if (polite->ignore_page_robots)
        return;
    visit->directives = (uint8_t)(visit->page.robots | page_header_robots(buf_str(&visit->exchange->head),
                                                                          robots_agent(polite->user_agent), &until));
    if (until && until <= visit->wall)
        visit->directives |= PAGE_NOINDEX;
}

static void look_for_requisites(struct analyst *analyst, struct job *job)
{
    const struct topic *topic = analyst->options->topic;

    if ((job->visit.result == VISIT_REQUISITE || requisites_are_wanted(topic, &job->visit)) &&
        !requisites_look(topic, analyst->references, job))
        set_failure(job, VISIT_FAILED, "out of memory for requisites");
}

static void build_records(struct analyst *analyst, struct job *job)
{
    struct visit *visit = &job->visit;
    struct warc_exchange exchange = job_warc_exchange(job);
    char lines[128];
    scent_status status;

    exchange.body = buf_str(&visit->exchange->body);
    visit->packed_with = writer_form(analyst->options->writer).dictionary;
    http_packer_use(analyst->packer, visit->packed_with);
    if (visit->directives & PAGE_NOARCHIVE) {
        snprintf(lines, sizeof lines,
                 "not-archived: the page asks robots for it\r\nrobots: noarchive\r\nstatus: %d\r\n", visit->status);
        status = warc_build_metadata(&exchange, str_of(lines), &analyst->rng, analyst->packer, &visit->records,
                                     visit->digest);
    } else {
        status = warc_build_exchange(&exchange, &analyst->rng, analyst->packer, &visit->records, &visit->response,
                                     visit->digest);
    }
    if (status != SCENT_OK)
        set_failure(job, VISIT_FAILED, "out of memory for the WARC record");
}

static void note_failure(struct job *job)
{
    struct visit *visit = &job->visit;
    const struct fetch_exchange *ex = visit->exchange;

    visit->may_retry = ex->outcome != FETCH_E_FORBIDDEN && ex->outcome != FETCH_E_TLS && ex->outcome != FETCH_E_ABSENT;
    visit->closed_by_us = ex->outcome == FETCH_E_CLOSED;
    visit->unread = ex->unread;
    if (ex->outcome == FETCH_E_DNS || ex->outcome == FETCH_E_CONNECT)
        visit->trouble = fetch_outcome_text(ex->outcome);
    set_failure(job, VISIT_FAILED, "%s%s%s", fetch_outcome_text(ex->outcome), ex->error[0] ? ": " : "", ex->error);
}

/* In lower case, so that people can group by it. */
static struct str mime_of(struct job *job)
{
    struct str mime = http_head_mime(buf_str(&job->visit.exchange->head));
    char *copy = arena_alloc(&job->arena, mime.len + 1);

    if (!copy)
        return STR_NONE;
    for (size_t i = 0; i < mime.len; i++)
        copy[i] = ascii_lower(mime.p[i]);
    copy[mime.len] = 0;
    return (struct str){copy, mime.len};
}

/* Whether a page is a copy of another one the engine will know; its revisit record needs all but the body. */
static void keep_heads(struct job *job)
{
    struct visit *visit = &job->visit;

    if (visit->result == VISIT_PAGE || visit->result == VISIT_UNCHANGED || visit->result == VISIT_REQUISITE) {
        visit->body_bytes = visit->exchange->body.len;
        buf_release(&visit->exchange->body);
        return;
    }
    fetch_exchange_free(visit->exchange);
    visit->exchange = NULL;
}

static void examine_answer(struct analyst *analyst, struct job *job)
{
    struct visit *visit = &job->visit;
    int64_t cpu = clock_thread_cpu_ns();
    struct fetch_exchange *ex = visit->exchange;

    if (analyst->options->web) {
        get_from_web(analyst, job);
        clock_charge_cpu(&analyst->cpu.source, &cpu);
    }
    visit->status = ex->status;
    visit->wall = ex->started_wall;
    visit->took_us = ex->took_us;
    visit->out_of_time = ex->outcome == FETCH_E_TIMEOUT || ex->cut == FETCH_CUT_TIME;
    memcpy(visit->ip, ex->ip, sizeof visit->ip);
    visit->mime = mime_of(job);
    if (ex->outcome == FETCH_RESPONSE) {
        classify_response(analyst, job, &cpu);
        note_directives(analyst, job);
        look_for_requisites(analyst, job);
        clock_charge_cpu(&analyst->cpu.analyse, &cpu);
        if (visit->result != VISIT_UNWANTED)
            build_records(analyst, job);
        clock_charge_cpu(&analyst->cpu.warc, &cpu);
    } else if (ex->outcome == FETCH_UNWANTED) {
        set_failure(job, VISIT_UNWANTED, "unwanted content type %.100s", visit->mime.p ? visit->mime.p : "");
    } else {
        note_failure(job);
    }
    keep_heads(job);
}

/* ---- the pool ---- */

static void *run_analyst(void *arg)
{
    struct analyst *analyst = arg;
    struct job *job;

    while ((job = queue_pop(analyst->options->in))) {
        examine_answer(analyst, job);
        SCENT_BUG_IF(!queue_push(analyst->options->out, job));
    }
    return NULL;
}

static void analyst_init(struct analyst *analyst, const struct analyst_options *options, uint32_t i)
{
    struct page_options page = {
        .key = options->key,
        .url_flags = topic_url_flags(options->topic),
        .agent = robots_agent(options->topic->politeness.user_agent),
        .max_bytes = options->topic->limits.page_bytes,
        .whole_page = options->topic->content == TOPIC_CONTENT_ALL,
        .pdf = options->pdf,
    };

    analyst->options = options;
    analyst->analyser = page_analyser_new(&page);
    analyst->packer = warc_packer_new(writer_form(options->writer), 1);
    analyst->references = options->topic->requisites.of ? references_new() : NULL;
    buf_init(&analyst->decoded, options->topic->limits.page_bytes);
    buf_init(&analyst->web_buf, 0);
    rng_seed(&analyst->rng, options->seed + i);
}

static void analyst_release(struct analyst *analyst)
{
    page_analyser_free(analyst->analyser);
    http_packer_free(analyst->packer);
    references_free(analyst->references);
    buf_release(&analyst->decoded);
    buf_release(&analyst->web_buf);
}

scent_status analysts_start(const struct analyst_options *options, struct analysts **out, struct errmsg *err)
{
    struct analysts *analysts = calloc(1, sizeof *analysts);

    SCENT_BUG_IF(!analysts);
    analysts->options = *options;
    analysts->soft404 = soft404_new();
    analysts->members = calloc(options->threads, sizeof *analysts->members);
    SCENT_BUG_IF(!analysts->members);
    for (uint32_t i = 0; i < options->threads; i++) {
        struct analyst *member = &analysts->members[i];

        analyst_init(member, &analysts->options, i);
        member->soft404 = analysts->soft404;
        if (pthread_create(&member->thread, NULL, run_analyst, member)) {
            analyst_release(member);
            queue_close(options->in);
            analysts_join(analysts, NULL);
            return errmsg_fail(err, SCENT_E_NOMEM, "cannot start an analysis thread");
        }
        analysts->count++;
    }
    *out = analysts;
    return SCENT_OK;
}

void analysts_join(struct analysts *analysts, struct analyst_cpu *cpu)
{
    struct analyst_cpu sum = {0};

    for (uint32_t i = 0; i < analysts->count; i++) {
        struct analyst *member = &analysts->members[i];

        pthread_join(member->thread, NULL);
        sum.analyse += member->cpu.analyse;
        sum.judge += member->cpu.judge;
        sum.warc += member->cpu.warc;
        sum.source += member->cpu.source;
        analyst_release(member);
    }
    if (cpu)
        *cpu = sum;
    soft404_free(analysts->soft404);
    free(analysts->members);
    free(analysts);
}
