/* The pages that teach most are those of which the judge is least sure: next to the score that divides its verdicts.
 * One host can fill the list with pages alike, so each page of a host makes its others count as farther away. */
#include "app/review.h"

#include "app/command.h"
#include "app/output.h"
#include "base/clock.h"
#include "crawldir/crawldir.h"
#include "crawldir/informative.h"
#include "crawldir/marks.h"
#include "page/page.h"
#include "topic/topic.h"
#include "url/url.h"
#include "warc/warc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    SHOWN = 200,       /* in one session */
    PAGE_ARENA = 512 << 20,
    LINES = 8,
    COLUMNS = 78
};
struct review {
    const char *dir;
    struct store *store;
    struct marks marks;
    struct topic *topic;
    struct page_analyser *analyser;
    struct arena arena; /* of one page */
    struct informative *pages;
    struct errmsg *err;
};

/* ---- which pages ---- */

static bool may_be_shown(const struct review *review, const struct store_page *page, const struct store_url *url)
{
    return store_page_is_shown(page) && page->warc_length && marks_of(&review->marks, url->url) == MARK_NONE;
}

static scent_status count_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct review *review = ctx;

    (void)url;
    if (store_page_is_shown(page))
        informative_count(review->pages, page->score, page->relevant);
    return SCENT_OK;
}

static scent_status consider_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct review *review = ctx;

    if (may_be_shown(review, page, url))
        informative_consider(review->pages, page->number, page->score, page->relevant, url->host);
    return SCENT_OK;
}

/* ---- one page ---- */

struct shown {
    struct review *review;
    FILE *out;
    const struct informative_page *candidate;
    size_t number;
    struct str url; /* of the page, kept for its mark */
};

static scent_status read_page(struct review *review, const struct store_page *row, const struct store_url *url,
                              struct page *out)
{
    struct crawldir_path path;
    struct warc_reader *reader;
    struct warc_record record;
    scent_status status;

    SCENT_TRY(crawldir_warc_path(review->dir, row->warc_file, &path, review->err));
    SCENT_TRY(warc_reader_open(path.text, &reader, review->err));
    arena_reset(&review->arena);
    status = warc_reader_seek(reader, row->warc_offset, 0, review->err);
    if (status == SCENT_OK)
        status = warc_reader_next(reader, &record, review->err);
    if (status == SCENT_OK)
        status = page_analyse_stored(review->analyser, url->url, record.http_head, record.payload, &review->arena, out);
    warc_reader_close(reader);
    return status;
}

/* The first lines of the content, cut at whole characters. */
static void print_content(const struct page *page, FILE *out)
{
    int lines = 0;

    for (uint32_t i = 0; i < page->nblocks && lines < LINES; i++) {
        const struct page_block *block = &page->blocks[i];
        struct str text = str_trim(str_sub(page->text, block->start, block->end));

        for (; !block->is_boilerplate && text.len && lines < LINES; lines++) {
            size_t end = text.len < COLUMNS ? text.len : COLUMNS, space = end;
            const char *broken = memchr(text.p, '\n', end);

            while (end < text.len && space > COLUMNS / 2 && text.p[space] != ' ')
                space--;
            end = end < text.len && space > COLUMNS / 2 ? space : end;
            while (end < text.len && ((unsigned char)text.p[end] & 0xC0) == 0x80)
                end++;
            end = broken && broken < text.p + end ? (size_t)(broken - text.p) : end;
            fprintf(out, "    %.*s\n", (int)end, text.p);
            text = str_trim(str_sub(text, end, text.len));
        }
    }
}

static scent_status show_page(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct shown *shown = ctx;
    struct page page;

    if (row->number != shown->candidate->page)
        return SCENT_E_END;
    SCENT_TRY(read_page(shown->review, row, url, &page));
    shown->url = arena_str(&shown->review->arena, url->url);
    fprintf(shown->out, "\n%zu. %.*s\n   %.*s\n   score %.3f, %s\n", shown->number,
            STR_ARG(page.title.len ? page.title : STR("(no title)")), STR_ARG(url->url), row->score,
            row->relevant ? "relevant" : "not relevant");
    print_content(&page, shown->out);
    return SCENT_E_END;
}

/* ---- the session ---- */

struct taken {
    char *url;
    size_t place;
    enum mark mark; /* MARK_NONE: it was skipped */
};

/* The first letter of an answer, or 0 for a line that is none: a mark is not to be guessed. */
static int read_answer(void)
{
    static const char *const answers[] = {"yes", "no", "skip", "undo", "quit"};
    char line[64];
    struct str said;
    bool is_long;

    fputs("   wanted? [y]es [n]o [s]kip [u]ndo [q]uit: ", stdout);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 'q';
    is_long = !strchr(line, '\n');
    said = str_trim(str_of(line));
    for (size_t i = 0; !is_long && i < sizeof answers / sizeof *answers; i++)
        if (str_eq_nocase(said, str_of(answers[i])) || str_eq_nocase(said, str_sub(str_of(answers[i]), 0, 1)))
            return answers[i][0];
    while (is_long && fgets(line, sizeof line, stdin)) /* the rest of a long line is not an answer of its own */
        is_long = !strchr(line, '\n');
    return 0;
}

static scent_status set_mark(const struct review *review, struct str url, enum mark mark)
{
    return marks_set(review->dir, url, mark, clock_wall(&clock_system), review->err);
}

static scent_status ask_all(struct review *review, uint64_t *marked)
{
    struct taken *taken = calloc(SHOWN, sizeof *taken);
    size_t ntaken = 0, chosen = 0;
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!taken);
    for (size_t place = 0; place < review->pages->count && place < SHOWN && status == SCENT_OK;) {
        struct shown shown = {.review = review, .number = place + 1};
        int answer;

        if (place == chosen)
            informative_choose(review->pages, chosen++);
        shown.candidate = &review->pages->nearest[place];
        shown.out = output_plain(stdout);
        status = store_each_page(review->store, shown.candidate->page - 1, show_page, &shown, review->err);
        fclose(shown.out);
        if (status != SCENT_E_END && status != SCENT_OK)
            break;
        status = SCENT_OK;
        do
            answer = shown.url.len ? read_answer() : 's';
        while (!answer);
        if (answer == 'q')
            break;
        if (answer == 'u') {
            if (!ntaken)
                continue;
            place = taken[--ntaken].place;
            if (taken[ntaken].mark)
                status = set_mark(review, str_of(taken[ntaken].url), MARK_NONE);
            *marked -= taken[ntaken].mark != MARK_NONE;
            free(taken[ntaken].url);
            continue;
        }
        taken[ntaken] = (struct taken){strndup(shown.url.p ? shown.url.p : "", shown.url.len), place++,
                                       answer == 'y'   ? MARK_YES
                                       : answer == 'n' ? MARK_NO
                                                       : MARK_NONE};
        SCENT_BUG_IF(!taken[ntaken].url);
        if (taken[ntaken].mark)
            status = set_mark(review, shown.url, taken[ntaken].mark);
        *marked += taken[ntaken++].mark != MARK_NONE;
    }
    while (ntaken)
        free(taken[--ntaken].url);
    free(taken);
    return status;
}

static scent_status prepare(struct review *review)
{
    SCENT_TRY(crawldir_open(review->dir, STORE_READ, &review->store, review->err));
    SCENT_TRY(marks_load(review->dir, &review->marks, review->err));
    SCENT_TRY(topic_load(crawldir_path(review->dir, CRAWLDIR_TOPIC).text, &review->topic, review->err));
    review->analyser = page_analyser_new(
        &(struct page_options){.url_flags = topic_url_flags(review->topic),
                               .whole_page = review->topic->content == TOPIC_CONTENT_ALL});
    SCENT_TRY(store_each_page(review->store, 0, count_page, review, review->err));
    informative_divide(review->pages);
    SCENT_TRY(store_each_page(review->store, 0, consider_page, review, review->err));
    informative_settle(review->pages);
    return SCENT_OK;
}

int review_pages(const char *dir, const struct log *log)
{
    struct errmsg err = {{0}};
    struct review *review = calloc(1, sizeof *review);
    uint64_t marked = 0;
    scent_status status;

    SCENT_BUG_IF(!review);
    review->dir = dir;
    review->err = &err;
    review->pages = informative_new();
    arena_init(&review->arena, PAGE_ARENA);
    status = prepare(review);
    if (status == SCENT_OK && !review->pages->count)
        log_line(log, LOG_WARN, "%s has no page that could be marked and is not", dir);
    else if (status == SCENT_OK)
        puts("The pages that teach most come first: answer each with a letter and Enter.");
    if (status == SCENT_OK)
        status = ask_all(review, &marked);
    if (status == SCENT_OK)
        printf("\n%" PRIu64 " page%s marked; 'scent judge --marks %s' lists them.\n%s\n", marked,
               marked == 1 ? " is" : "s are", dir,
               topic_classes(review->topic) != TOPIC_NO_MODEL
                   ? "Marked pages are examples from the next training of the crawl on."
                   : "The topic has no examples that marks could join. Write the URLs of wanted pages into a file and "
                     "add\n'examples: {positive: FILE}' to the topic file; a file of unwanted ones is 'negative: "
                     "FILE'.");
    store_close(review->store);
    marks_release(&review->marks);
    topic_free(review->topic);
    page_analyser_free(review->analyser);
    arena_release(&review->arena);
    informative_free(review->pages);
    free(review);
    return command_exit(status, &err);
}

/* ---- the list ---- */

static void print_mark(const struct marks_item *item, bool json)
{
    struct json_output output;
    struct json_writer *w;

    if (!json) {
        printf("%s\t%.*s\t%.*s\n", marks_name(item->mark), STR_ARG(item->url), STR_ARG(item->when));
        return;
    }
    w = json_output_begin(&output);
    json_object_begin(w);
    json_put_str(w, "url", item->url);
    json_put_str(w, "mark", str_of(marks_name(item->mark)));
    json_put_str(w, "when", item->when);
    json_object_end(w);
    json_output_end(&output, stdout);
}

int review_list(const char *dir, const char *undo, bool json)
{
    struct errmsg err = {{0}};
    struct store *store = NULL;
    struct marks marks = {0};
    scent_status status = crawldir_open(dir, STORE_READ, &store, &err); /* is it a crawl at all? */

    store_close(store);
    if (status == SCENT_OK)
        status = marks_load(dir, &marks, &err);
    if (status == SCENT_OK && undo && marks_of(&marks, str_of(undo)) == MARK_NONE) {
        status = errmsg_fail(&err, SCENT_E_INVALID, "%s is not marked", undo);
    } else if (status == SCENT_OK && undo) {
        status = marks_set(dir, str_of(undo), MARK_NONE, clock_wall(&clock_system), &err);
        marks_release(&marks);
        if (status == SCENT_OK)
            status = marks_load(dir, &marks, &err);
    }
    for (size_t i = 0; status == SCENT_OK && i < marks.count; i++)
        if (marks.items[i].mark)
            print_mark(&marks.items[i], json);
    marks_release(&marks);
    return command_exit(status, &err);
}
