/* cmd_why - `scent why`: what a crawl knows about one URL, and why it did with it what it did.
 *
 * Reads the whole database once or twice: tables are kept in the order of the crawl, not by URL. Score and verdict are
 * made again by why_explain.c. */
#include "app/command.h"
#include "app/output.h"
#include "app/why_explain.h"
#include "app/workspace.h"
#include "base/clock.h"
#include "crawldir/kept_parts.h"
#include "frontier/frontier.h"
#include "url/url.h"

#include <stdlib.h>
#include <inttypes.h>
#include <math.h>

/* ---- the URL ---- */

struct url_search {
    struct why *why;
    struct str want;
    size_t alike; /* bytes that `nearest` has in common with it */
};

/* From the front and from the back. */
static size_t likeness(struct str a, struct str b)
{
    size_t most = a.len < b.len ? a.len : b.len, front = 0, back = 0;

    while (front < most && a.p[front] == b.p[front])
        front++;
    while (back < most - front && a.p[a.len - 1 - back] == b.p[b.len - 1 - back])
        back++;
    return front + back;
}

static scent_status keep_url(void *ctx, const struct store_url *row)
{
    struct why *why = ctx;

    why->url = *row;
    why->url.url = arena_str(&why->arena, row->url);
    why->url.error = arena_str(&why->arena, row->error);
    why->url.parts = arena_str(&why->arena, row->parts);
    return why->url.url.p && why->url.error.p && why->url.parts.p ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status search_nearest(void *ctx, const struct store_url *row)
{
    struct url_search *search = ctx;
    size_t alike = likeness(row->url, search->want);

    if (alike <= search->alike)
        return SCENT_OK;
    search->alike = alike;
    search->why->nearest = arena_str(&search->why->arena, row->url);
    return search->why->nearest.p ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status keep_parent(void *ctx, const struct store_url *row)
{
    struct why *why = ctx;

    why->found_on = arena_str(&why->arena, row->url);
    return why->found_on.p ? SCENT_OK : SCENT_E_NOMEM;
}

/* ---- its visits, and the links that lead to it ---- */

static scent_status keep_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct why *why = ctx;

    (void)url;
    why->page = *page;
    why->first_visit = why->visits++ ? why->first_visit : page->number;
    why->page.mime = arena_str(&why->arena, page->mime);
    why->page.title = arena_str(&why->arena, page->title);
    why->page.warc_file = arena_str(&why->arena, page->warc_file);
    return why->page.mime.p && why->page.title.p && why->page.warc_file.p ? SCENT_OK : SCENT_E_NOMEM;
}

struct linking {
    struct why_link *link;
    struct arena *arena;
    uint64_t number;
};

/* The page that has the link is the first of those from its number on. */
static scent_status keep_linking(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct linking *linking = ctx;
    struct why_link *link = linking->link;

    linking->number += store_page_is_first(page);
    if (link->link.page != page->number)
        return link->link.page < page->number ? SCENT_E_END : SCENT_OK;
    link->page = *page;
    link->page.warc_file = arena_str(linking->arena, page->warc_file);
    link->parent = *url;
    link->number = linking->number;
    return link->page.warc_file.p ? SCENT_E_END : SCENT_E_NOMEM;
}

static scent_status on_link(void *ctx, const struct store_link *link, struct str from, struct str to)
{
    struct why *why = ctx;
    size_t at = why->nlinks;
    struct why_link kept = {.link = *link};

    (void)to;
    why->linking++;
    if (why->visits && link->page >= why->first_visit)
        return SCENT_OK; /* it came when the page was there already */
    while (at && why->links[at - 1].link.priority < link->priority)
        at--;
    if (at == WHY_LINKS)
        return SCENT_OK;
    kept.from = arena_str(&why->arena, from);
    kept.link.anchor = arena_str(&why->arena, link->anchor);
    if (!kept.from.p || !kept.link.anchor.p)
        return SCENT_E_NOMEM;
    memmove(why->links + at + 1, why->links + at, (WHY_LINKS - at - 1) * sizeof *why->links);
    why->links[at] = kept;
    why->nlinks += why->nlinks < WHY_LINKS;
    return SCENT_OK;
}

static scent_status look_around(struct why *why, struct store *store, struct errmsg *err)
{
    scent_status status = store_each_page_of(store, why->url.id, keep_page, why, err);

    if (status == SCENT_OK)
        status = store_each_link_to(store, why->url.id, on_link, why, err);
    for (size_t i = 0; i < why->nlinks && status == SCENT_OK; i++) {
        struct linking linking = {&why->links[i], &why->arena, 0};

        /* Only of the best link it matters how many pages came before. */
        status = store_each_page(store, i ? why->links[i].link.page - 1 : 0, keep_linking, &linking, err);
        status = status == SCENT_E_END ? SCENT_OK : status;
    }
    if (status == SCENT_OK && why->url.parent != STORE_NO_PARENT)
        status = store_get_urls(store, &why->url.parent, 1, keep_parent, why, err);
    return status;
}

/* SCENT_E_NOTFOUND: the crawl does not know it; `nearest` may be a URL that it does know. */
static scent_status look_up(struct why *why, struct store *store, struct str url, struct errmsg *err)
{
    struct url_search search = {.why = why};
    struct url parsed, normal;
    scent_status status;

    if (url_parse(&why->arena, url, NULL, &parsed) != SCENT_OK ||
        url_normalise(&why->arena, &parsed, 0, &normal) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_INVALID, "'%.*s' is not an http or https URL; write all of it, such as "
                           "https://www.example.org/page", STR_ARG(url));
    search.want = normal.href;
    status = store_find_url(store, search.want, keep_url, why, err);
    if (status == SCENT_OK && why->url.id == UINT32_MAX)
        status = store_each_url(store, search_nearest, &search, err);
    if (status != SCENT_OK)
        return status;
    return why->url.id == UINT32_MAX ? SCENT_E_NOTFOUND : look_around(why, store, err);
}

/* ---- for people ---- */

/* Seeds and what sitemaps list have no priority of a strategy. */
static void print_priority(FILE *out, const struct why *why)
{
    if (why->url.flags & CANDIDATE_SEED)
        fputs("priority   seed: before all other URLs\n", out);
    else if (isinf(why->url.priority))
        fputs("priority   listed in sitemaps only: after all links\n", out);
    else
        fprintf(out, "priority   %.4g\n", (double)why->url.priority);
}

static const char *relevance(bool relevant)
{
    return relevant ? "relevant" : "not relevant";
}

static void print_visit(FILE *out, const struct why *why)
{
    const struct store_page *page = &why->page;
    char when[32];

    if (!why->visits)
        return;
    clock_format_iso(page->wall, when, sizeof when);
    fprintf(out, "fetched    %s as number %" PRIu64 ": status %d, %.*s, %" PRIu64 " bytes", when, page->number,
            page->status, STR_ARG(page->mime), page->bytes);
    if (!isinf(page->priority))
        fprintf(out, ", chosen with priority %.4g", (double)page->priority);
    fprintf(out, why->visits > 1 ? "; visited %" PRIu64 " times\n" : "\n", why->visits);
    if (page->title.len)
        fprintf(out, "title      %.*s\n", STR_ARG(page->title));
    if (page->counted)
        fprintf(out, "verdict    %s, score %.3f, by judge %" PRIu32 "\n", relevance(page->relevant), page->score,
                page->judge_version);
    if (page->counted && (page->first_relevant != page->relevant || page->first_score != page->score))
        fprintf(out, "at first   %s, score %.3f, by judge %" PRIu32 "; the strategy learned from this\n",
                relevance(page->first_relevant), page->first_score, page->first_judge);
    if (why->judged && (why->judged_relevant != page->relevant || fabs(why->judged_score - page->score) > 1e-9))
        fprintf(out, "now        %s, score %.3f: the topic or its model is no longer what it was\n",
                relevance(why->judged_relevant), why->judged_score);
    if (!page->counted && page->duplicate_of)
        fprintf(out, "verdict    none: it has the same bytes as page %" PRIu64 "\n", page->duplicate_of);
}

static void print_lines(FILE *out, struct str text)
{
    struct str line;

    while (str_split(&text, '\n', &line))
        if (line.len)
            fprintf(out, "    %.*s\n", STR_ARG(line));
}

static void print_part(FILE *out, const struct strategy_part *part)
{
    double value = part->value + 0.0; /* -0 is 0 to people */

    fprintf(out, "    %s: %.4g", part->name, value);
    if (part->is_log)
        fprintf(out, " (%.3gx)", exp(value));
    if (part->counted && part->of)
        fprintf(out, ", %u of %u %s", part->count, part->of, part->counted);
    if (part->weight != 0)
        fprintf(out, "; times %.3g is %.4g", (double)part->weight, (double)part->weight * value);
    fputc('\n', out);
}

static void print_parts(FILE *out, const struct strategy_score *score)
{
    fputs(score->nparts ? ":\n" : "\n", out);
    for (unsigned i = 0; i < score->nparts; i++)
        print_part(out, &score->parts[i]);
}

static void print_score(FILE *out, const struct why *why)
{
    static const char *const sources[] = {
        [WHY_KEPT] = "",
        [WHY_LEARNED] = ", from all it has learned",
        [WHY_LINK] = ", from its best link",
    };

    if (why->chosen)
        fprintf(out, "strategy   %s, chosen because %s\n", why->strategy, why->chosen);
    if (why->explained) {
        fprintf(out, "score      %s %s %.4g%s%s", why->strategy, why->source == WHY_KEPT ? "said" : "says",
                (double)why->score.priority, why->score.drop ? " and would drop it" : "", sources[why->source]);
        if (why->drifted)
            fprintf(out, "; it said %.4g before, with what it knew then", (double)why->stored);
        print_parts(out, &why->score);
    }
    if (why->changed) {
        fprintf(out, "now        it would say %.4g, from all it has learned since", (double)why->now.priority);
        print_parts(out, &why->now);
    }
    if (why->unexplained.len)
        fprintf(out, "not told   %.*s\n", STR_ARG(why->unexplained));
}

static void print_links(FILE *out, const struct why *why)
{
    size_t shown = why->nlinks;

    if (why->linking)
        fprintf(out, "linked     %" PRIu64 " time%s%s\n", why->linking, why->linking == 1 ? "" : "s",
                why->linking > shown ? "; by the best links of" : " by");
    for (size_t i = 0; i < shown; i++) {
        const struct why_link *link = &why->links[i];

        fprintf(out, "    %.4g  %.*s (%s, %.3f)", (double)link->link.priority, STR_ARG(link->from),
                relevance(link->page.relevant), link->page.score);
        fprintf(out, link->link.anchor.len ? " \"%.*s\"\n" : "\n", STR_ARG(link->link.anchor));
    }
}

static void print_why(const struct why *why, FILE *out)
{
    fprintf(out, "%.*s\nstate      %s", STR_ARG(why->url.url), store_url_state_text(why->url.state));
    fprintf(out, why->url.error.len ? ": %.*s\n" : "\n", STR_ARG(why->url.error));
    print_visit(out, why);
    print_lines(out, why->reasons);
    print_priority(out, why);
    fprintf(out, "depth      %u\n", why->url.depth);
    if (why->found_on.len)
        fprintf(out, "found on   %.*s\n", STR_ARG(why->found_on));
    print_score(out, why);
    print_links(out, why);
}

/* ---- for programs ---- */

static void write_links(struct json_writer *w, const struct why *why)
{
    json_put_int(w, "linked", (int64_t)why->linking);
    json_key(w, "links");
    json_array_begin(w);
    for (size_t i = 0; i < why->nlinks; i++) {
        json_object_begin(w);
        json_put_str(w, "from", why->links[i].from);
        json_put_str(w, "anchor", why->links[i].link.anchor);
        json_put_double(w, "priority", (double)why->links[i].link.priority);
        json_put_bool(w, "relevant", why->links[i].page.relevant);
        json_put_double(w, "score", why->links[i].page.score);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_page(struct json_writer *w, const struct why *why)
{
    const struct store_page *page = &why->page;
    char when[32];

    clock_format_iso(page->wall, when, sizeof when);
    json_key(w, "page");
    json_object_begin(w);
    json_put_int(w, "n", (int64_t)page->number);
    json_put_str(w, "time", str_of(when));
    json_put_int(w, "status", page->status);
    json_put_str(w, "mime", page->mime);
    json_put_str(w, "title", page->title);
    json_put_int(w, "bytes", (int64_t)page->bytes);
    json_put_double(w, "priority", (double)page->priority);
    json_put_bool(w, "counted", page->counted);
    json_put_bool(w, "relevant", page->relevant);
    json_put_double(w, "score", page->score);
    json_put_int(w, "judge", page->judge_version);
    if (why->judged) {
        json_key(w, "judged");
        json_object_begin(w);
        json_put_bool(w, "relevant", why->judged_relevant);
        json_put_double(w, "score", why->judged_score);
        json_object_end(w);
    }
    json_put_int(w, "visits", (int64_t)why->visits);
    json_put_str(w, "reasons", why->reasons);
    json_object_end(w);
}

static void write_score(struct json_writer *w, const struct why *why)
{
    static const char *const sources[] = {
        [WHY_KEPT] = "when it was scored",
        [WHY_LEARNED] = "all that was learned",
        [WHY_LINK] = "its best link",
    };

    json_key(w, "score");
    json_object_begin(w);
    json_put_str(w, "strategy", str_of(why->strategy));
    if (why->chosen)
        json_put_str(w, "chosen", str_of(why->chosen));
    json_put_str(w, "from", str_of(sources[why->source]));
    json_put_double(w, "priority", (double)why->score.priority);
    json_put_double(w, "stored", (double)why->stored);
    json_put_bool(w, "drifted", why->drifted);
    json_put_bool(w, "drop", why->score.drop);
    kept_parts_write(w, &why->score);
    if (why->changed) {
        json_key(w, "now");
        json_object_begin(w);
        json_put_double(w, "priority", (double)why->now.priority);
        kept_parts_write(w, &why->now);
        json_object_end(w);
    }
    json_object_end(w);
}

static void print_json(const struct why *why, FILE *out)
{
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);

    json_object_begin(w);
    json_put_str(w, "url", why->url.url);
    json_put_str(w, "state", str_of(store_url_state_text(why->url.state)));
    json_put_str(w, "reason", why->url.error);
    json_put_bool(w, "seed", why->url.flags & CANDIDATE_SEED);
    json_put_double(w, "priority", (double)why->url.priority);
    json_put_int(w, "depth", why->url.depth);
    if (why->found_on.len)
        json_put_str(w, "found_on", why->found_on);
    if (why->visits)
        write_page(w, why);
    if (why->explained)
        write_score(w, why);
    if (why->unexplained.len)
        json_put_str(w, "not_told", why->unexplained);
    write_links(w, why);
    json_object_end(w);
    json_output_end(&output, out);
}

/* ---- the command ---- */

struct why_options {
    const char *strategy;
    bool json, allow_programs;
};

static int explain(struct why *why, struct store *store, struct explainer *explainer,
                   const struct why_options *options, const char *dir, const char *url)
{
    struct errmsg err = {{0}};
    scent_status status = look_up(why, store, str_of(url), &err);

    if (status == SCENT_E_NOTFOUND && why->nearest.len) {
        fprintf(stderr, "scent: the crawl in %s does not know %s; did you mean %.*s ?\n", dir, url,
                STR_ARG(why->nearest));
        return 1;
    }
    if (status == SCENT_E_NOTFOUND) {
        fprintf(stderr, "scent: the crawl in %s has no URLs yet\n", dir);
        return 1;
    }
    if (status != SCENT_OK)
        return command_fail(status, &err);
    why_explain(explainer, why);
    if (options->json) {
        print_json(why, stdout);
    } else {
        FILE *out = output_plain(stdout);

        print_why(why, out);
        fclose(out);
    }
    return EXIT_DONE;
}

/* Who of several workers knows the URL: the one that has visited it, or has it queued. */
static size_t find_owner(const struct command_line *line, size_t ndirs, const char *href)
{
    size_t best = 0;
    int best_rank = -1;

    for (size_t i = 0; i < ndirs && ndirs > 1; i++) {
        struct why why = {.url = {.id = UINT32_MAX}};
        struct errmsg err = {{0}};
        struct store *store;
        int rank = -1;

        if (store_open(line->arguments[i], STORE_READ, &store, &err) != SCENT_OK)
            continue; /* who explains says what is wrong */
        arena_init(&why.arena, SIZE_MAX);
        if (look_up(&why, store, str_of(href), &err) == SCENT_OK)
            rank = why.visits ? 2 : why.url.state == STORE_QUEUED;
        if (rank > best_rank) {
            best_rank = rank;
            best = i;
        }
        arena_release(&why.arena);
        store_close(store);
    }
    return best;
}

/* Those of the URLs that this directory owns. */
static int explain_owned(const struct command_line *line, size_t ndirs, const size_t *owners, size_t owner)
{
    const struct why_options *options = line->options;
    const char *dir = line->arguments[owner];
    struct errmsg err = {{0}};
    struct explainer *explainer;
    struct store *store;
    struct log log;
    int code = EXIT_DONE;
    scent_status status = store_open(dir, STORE_READ, &store, &err);

    if (status != SCENT_OK)
        return command_fail(status, &err);
    log_init_stderr(&log, LOG_ERROR);
    explainer = why_open(store, dir, options->strategy, options->allow_programs, &log);
    for (size_t i = ndirs; i < line->count; i++) {
        struct why why = {.url = {.id = UINT32_MAX}};
        int one;

        if (owners[i] != owner)
            continue;
        arena_init(&why.arena, SIZE_MAX);
        one = explain(&why, store, explainer, options, dir, line->arguments[i]);
        code = one > code ? one : code;
        arena_release(&why.arena);
    }
    why_close(explainer);
    store_close(store);
    return code;
}

static int run_why(const struct command_line *line)
{
    size_t ndirs = command_count_dirs(line), *owners;
    int code = EXIT_DONE;

    if (ndirs == line->count)
        return command_misuse(line->command, "missing argument URL");
    owners = calloc(line->count, sizeof *owners);
    SCENT_BUG_IF(!owners);
    for (size_t i = ndirs; i < line->count; i++)
        owners[i] = find_owner(line, ndirs, line->arguments[i]);
    for (size_t d = 0; d < ndirs; d++) {
        bool any = false;
        int one;

        for (size_t i = ndirs; i < line->count; i++)
            any |= owners[i] == d;
        one = any ? explain_owned(line, ndirs, owners, d) : EXIT_DONE;
        code = one > code ? one : code;
    }
    free(owners);
    return code;
}

static const struct command_option why_options[] = {
    COMMAND_OPTION(OPTION_FLAG, struct why_options, json, "json", 0, NULL, "print one JSON object"),
    COMMAND_OPTION(OPTION_STRING, struct why_options, strategy, "strategy", 0, "NAME[:KEY=VALUE,…]",
                   "score with this strategy instead of that of the last run"),
    COMMAND_OPTION(OPTION_FLAG, struct why_options, allow_programs, "allow-programs", 0, NULL,
                   "run the judge that a crawl of others names", .manual = PROGRAMS_MANUAL),
    {0},
};

const struct command command_why = {
    .name = "why",
    .summary = "Explains what happened to a URL in a crawl",
    .arguments = "DIR… URL…",
    .description =
        "Shows the state of the URL and the reason, when and with which priority it was fetched, the verdict "
        "with its reasons, the parts of its score, and the pages that link to it. There is no index of "
        "URLs: the whole database and the WARC files are read. The crawl may be running. Of several "
        "directories, such as those of the workers of one crawl, the one that has visited the URL explains it.",
    .example = "scent why hockey.crawl https://example.org/players",
    .exits = "0 explained, 1 the crawl does not know the URL, 2 bad usage or no crawl directory.",
    .options = why_options,
    .size = sizeof(struct why_options),
    .run = run_why,
};
