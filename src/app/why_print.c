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
        json_key(w, "name"), json_str(w, str_of(part->name));
        json_key(w, "value"), json_double(w, part->value);
        if (part->is_log)
            json_key(w, "ratio"), json_double(w, exp(part->value));
        if (part->counted && part->of) {
            json_key(w, "count"), json_int(w, part->count);
            json_key(w, "of"), json_int(w, part->of);
            json_key(w, "counted"), json_str(w, str_of(part->counted));
        }
        if (part->weight != 0)
            json_key(w, "weight"), json_double(w, (double)part->weight);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_links(struct json_writer *w, const struct why *why)
{
    json_key(w, "linked"), json_int(w, (int64_t)why->linking);
    json_key(w, "links");
    json_array_begin(w);
    for (size_t i = 0; i < why->linking && i < WHY_LINKS; i++) {
        json_object_begin(w);
        json_key(w, "from"), json_str(w, why->links[i].from);
        json_key(w, "anchor"), json_str(w, why->links[i].link.anchor);
        json_key(w, "priority"), json_double(w, (double)why->links[i].link.priority);
        json_key(w, "relevant"), json_bool(w, why->links[i].relevant);
        json_key(w, "score"), json_double(w, why->links[i].score);
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
    json_key(w, "n"), json_int(w, (int64_t)page->number);
    json_key(w, "time"), json_str(w, str_of(when));
    json_key(w, "status"), json_int(w, page->status);
    json_key(w, "mime"), json_str(w, page->mime);
    json_key(w, "title"), json_str(w, page->title);
    json_key(w, "bytes"), json_int(w, (int64_t)page->bytes);
    json_key(w, "priority"), json_double(w, (double)page->priority);
    json_key(w, "counted"), json_bool(w, page->counted);
    json_key(w, "relevant"), json_bool(w, page->relevant);
    json_key(w, "score"), json_double(w, page->score);
    json_key(w, "visits"), json_int(w, (int64_t)why->visits);
    json_key(w, "reasons"), json_str(w, why->reasons);
    json_object_end(w);
}

static void write_score(struct json_writer *w, const struct why *why)
{
    json_key(w, "score");
    json_object_begin(w);
    json_key(w, "strategy"), json_str(w, str_of(why->strategy));
    json_key(w, "from"), json_str(w, str_of(why->now ? "all that was learned" : "its best link"));
    json_key(w, "priority"), json_double(w, (double)why->score.priority);
    json_key(w, "drop"), json_bool(w, why->score.drop);
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
    json_key(&w, "url"), json_str(&w, why->url.url);
    json_key(&w, "state"), json_str(&w, str_of(store_url_state_text(why->url.state)));
    json_key(&w, "reason"), json_str(&w, why->url.error);
    json_key(&w, "seed"), json_bool(&w, why->url.flags & CANDIDATE_SEED);
    json_key(&w, "priority"), json_double(&w, (double)why->url.priority);
    json_key(&w, "depth"), json_int(&w, why->url.depth);
    if (why->found_on.len)
        json_key(&w, "found_on"), json_str(&w, why->found_on);
    if (why->visits)
        write_page(&w, why);
    if (why->explained)
        write_score(&w, why);
    if (why->unexplained.len)
        json_key(&w, "not_told"), json_str(&w, why->unexplained);
    write_links(&w, why);
    json_object_end(&w);
    fprintf(out, "%s\n", buf_z(&text));
    buf_release(&text);
}
