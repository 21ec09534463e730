#include "app/why.h"

#include "base/clock.h"
#include "frontier/frontier.h"
#include "json/json.h"

#include <inttypes.h>
#include <math.h>

/* Seeds and what sitemaps list have no priority of a strategy. */
static void print_priority(FILE *out, const struct why *why)
{
    if (why->url.flags & CANDIDATE_SEED)
        fputs("priority   a seed: before everything else\n", out);
    else if (isinf(why->url.priority))
        fputs("priority   only sitemaps name it: after all links\n", out);
    else
        fprintf(out, "priority   %.4g\n", (double)why->url.priority);
}

static void print_visit(FILE *out, const struct why *why)
{
    const struct store_page *page = &why->page;
    char when[32];

    if (!why->visits)
        return;
    clock_format_iso(page->wall, when, sizeof when);
    fprintf(out, "fetched    %s as number %" PRIu64 ": status %d, %.*s, %" PRIu64 " bytes", when, page->number, page->status,
            STR_ARG(page->mime), page->bytes);
    if (!isinf(page->priority))
        fprintf(out, ", chosen with priority %.4g", (double)page->priority);
    fprintf(out, why->visits > 1 ? "; visited %" PRIu64 " times\n" : "\n", why->visits);
    if (page->title.len)
        fprintf(out, "title      %.*s\n", STR_ARG(page->title));
    if (page->counted)
        fprintf(out, "verdict    %s, score %.3f\n", page->relevant ? "relevant" : "not relevant", page->score);
    else if (page->duplicate_of)
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

static void print_score(FILE *out, const struct why *why)
{
    if (why->explained) {
        fprintf(out, "score      %s says %.4g%s", why->strategy, (double)why->score.priority,
                why->score.drop ? " and would drop it" : "");
        fputs(why->now ? ", from all it has learned:\n" : ", from its best link:\n", out);
        for (unsigned i = 0; i < why->score.nparts; i++)
            print_part(out, &why->score.parts[i]);
    }
    if (why->unexplained.len)
        fprintf(out, "not told   %.*s\n", STR_ARG(why->unexplained));
}

static void print_links(FILE *out, const struct why *why)
{
    size_t shown = why->linking < WHY_LINKS ? why->linking : WHY_LINKS;

    if (why->linking)
        fprintf(out, "linked     %" PRIu64 " time%s%s\n", why->linking, why->linking == 1 ? "" : "s",
                why->linking > shown ? "; by the best links of" : " by");
    for (size_t i = 0; i < shown; i++) {
        const struct why_link *link = &why->links[i];

        fprintf(out, "    %.4g  %.*s (%s, %.3f)", (double)link->link.priority, STR_ARG(link->from),
                link->relevant ? "relevant" : "not relevant", link->score);
        fprintf(out, link->link.anchor.len ? " \"%.*s\"\n" : "\n", STR_ARG(link->link.anchor));
    }
}

void why_print(const struct why *why, FILE *out)
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

/* ---- JSON ---- */

static void write_parts(struct json_writer *w, const struct strategy_score *score)
{
    json_key(w, "parts");
    json_array_begin(w);
    for (unsigned i = 0; i < score->nparts; i++) {
        const struct strategy_part *part = &score->parts[i];

        json_object_begin(w);
        json_put_str(w, "name", str_of(part->name));
        json_put_double(w, "value", part->value);
        if (part->is_log)
            json_put_double(w, "ratio", exp(part->value));
        if (part->counted && part->of) {
            json_put_int(w, "count", part->count);
            json_put_int(w, "of", part->of);
            json_put_str(w, "counted", str_of(part->counted));
        }
        if (part->weight != 0)
            json_put_double(w, "weight", (double)part->weight);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_links(struct json_writer *w, const struct why *why)
{
    json_put_int(w, "linked", (int64_t)why->linking);
    json_key(w, "links");
    json_array_begin(w);
    for (size_t i = 0; i < why->linking && i < WHY_LINKS; i++) {
        json_object_begin(w);
        json_put_str(w, "from", why->links[i].from);
        json_put_str(w, "anchor", why->links[i].link.anchor);
        json_put_double(w, "priority", (double)why->links[i].link.priority);
        json_put_bool(w, "relevant", why->links[i].relevant);
        json_put_double(w, "score", why->links[i].score);
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
    json_put_int(w, "visits", (int64_t)why->visits);
    json_put_str(w, "reasons", why->reasons);
    json_object_end(w);
}

static void write_score(struct json_writer *w, const struct why *why)
{
    json_key(w, "score");
    json_object_begin(w);
    json_put_str(w, "strategy", str_of(why->strategy));
    json_put_str(w, "from", str_of(why->now ? "all that was learned" : "its best link"));
    json_put_double(w, "priority", (double)why->score.priority);
    json_put_bool(w, "drop", why->score.drop);
    write_parts(w, &why->score);
    json_object_end(w);
}

void why_print_json(const struct why *why, FILE *out)
{
    struct json_writer w;
    struct buf text;

    buf_init(&text, 0);
    json_writer_init(&w, &text);
    json_object_begin(&w);
    json_put_str(&w, "url", why->url.url);
    json_put_str(&w, "state", str_of(store_url_state_text(why->url.state)));
    json_put_str(&w, "reason", why->url.error);
    json_put_bool(&w, "seed", why->url.flags & CANDIDATE_SEED);
    json_put_double(&w, "priority", (double)why->url.priority);
    json_put_int(&w, "depth", why->url.depth);
    if (why->found_on.len)
        json_put_str(&w, "found_on", why->found_on);
    if (why->visits)
        write_page(&w, why);
    if (why->explained)
        write_score(&w, why);
    if (why->unexplained.len)
        json_put_str(&w, "not_told", why->unexplained);
    write_links(&w, why);
    json_object_end(&w);
    fprintf(out, "%s\n", buf_z(&text));
    buf_release(&text);
}
