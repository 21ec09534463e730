#include "app/hearing.h"

#include "json/json.h"

enum { PAGE_ARENA = 512 << 20 };

void hearing_init(struct hearing *hearing, const struct topic *topic, FILE *out)
{
    struct page_options options = {.url_flags = topic_url_flags(topic)};

    *hearing = (struct hearing){.topic = topic, .out = out};
    hearing->analyser = page_analyser_new(&options);
    arena_init(&hearing->arena, PAGE_ARENA);
    centroid_init(&hearing->seeds);
}

void hearing_release(struct hearing *hearing)
{
    judge_unref(hearing->judge);
    page_analyser_free(hearing->analyser);
    arena_release(&hearing->arena);
    centroid_release(&hearing->seeds);
}

static scent_status analyse(struct hearing *hearing, const struct pagefile_page *from, const char *base,
                            struct page *page, struct errmsg *err)
{
    struct page_input input = {.headers = from->headers, .body = from->body};
    struct str href = base ? str_of(base) : from->url;
    struct url url;
    scent_status status;

    arena_reset(&hearing->arena);
    status = url_parse(&hearing->arena, href, NULL, &url);
    input.url = &url;
    if (status == SCENT_OK)
        status = page_analyse(hearing->analyser, &input, &hearing->arena, page);
    if (status == SCENT_OK)
        return SCENT_OK;
    return errmsg_fail(err, status == SCENT_E_NOMEM ? SCENT_E_LIMIT : SCENT_E_INVALID, "%s",
                       status == SCENT_E_NOMEM ? "the page is too large to analyse" : "its URL is no http or https URL");
}

scent_status hearing_add_seed(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct hearing *hearing = ctx;
    struct text_vector vector;
    struct page page;
    scent_status status = analyse(hearing, from, NULL, &page, err);

    if (status == SCENT_OK && (status = topic_page_vector(&page, &hearing->arena, &vector)) == SCENT_OK)
        status = centroid_add(&hearing->seeds, &vector);
    return status;
}

void hearing_open(struct hearing *hearing)
{
    struct text_vector centroid = {0};
    struct judge_basis basis = {.topic = hearing->topic, .centroid = &centroid, .version = 1};

    arena_reset(&hearing->arena);
    if (hearing->seeds.count)
        SCENT_BUG_IF(centroid_vector(&hearing->seeds, &hearing->arena, &centroid) != SCENT_OK);
    hearing->judge = judge_new(&basis);
}

/* ---- the verdict ---- */

static void print_text(struct hearing *hearing, const struct pagefile_page *from, const struct page *page,
                       const struct judgement *verdict, struct str reasons)
{
    struct str line;

    fprintf(hearing->out, "%s %.3f  %.*s", verdict->relevant ? "relevant    " : "not relevant", verdict->score,
            STR_ARG(from->name));
    fprintf(hearing->out, page->title.len ? "  (%.*s)\n" : "\n", STR_ARG(page->title));
    while (str_split(&reasons, '\n', &line))
        if (line.len)
            fprintf(hearing->out, "    %.*s\n", STR_ARG(line));
}

static void print_json(struct hearing *hearing, const struct pagefile_page *from, const struct page *page,
                       const struct judgement *verdict, struct str reasons)
{
    struct json_writer w;
    struct buf text;

    buf_init(&text, 0);
    json_writer_init(&w, &text);
    json_object_begin(&w);
    json_put_str(&w, "name", from->name);
    json_put_str(&w, "url", page->url.href);
    json_put_bool(&w, "relevant", verdict->relevant);
    json_put_double(&w, "score", verdict->score);
    json_put_str(&w, "lang", page->lang);
    json_put_str(&w, "title", page->title);
    json_put_str(&w, "reasons", str_trim(reasons));
    json_object_end(&w);
    fprintf(hearing->out, "%s\n", buf_z(&text));
    buf_release(&text);
}

scent_status hearing_judge(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct hearing *hearing = ctx;
    struct judgement verdict;
    struct buf reasons;
    struct page page;
    scent_status status = analyse(hearing, from, hearing->base, &page, err);
    struct judge_input input = {.page = &page, .bytes = from->body.len, .arena = &hearing->arena};

    if (status != SCENT_OK)
        return status;
    buf_init(&reasons, 0);
    judge_page(hearing->judge, &input, &verdict);
    status = judge_explain(hearing->judge, &input, &reasons);
    if (status == SCENT_OK && hearing->json)
        print_json(hearing, from, &page, &verdict, buf_str(&reasons));
    else if (status == SCENT_OK)
        print_text(hearing, from, &page, &verdict, buf_str(&reasons));
    hearing->judged++;
    hearing->relevant += verdict.relevant;
    buf_release(&reasons);
    return status;
}
