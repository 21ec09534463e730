/* perf_topic_judge [ROUNDS] - what a verdict costs: pages of 2,000 words, a linear model trained on 300 of them, a
 * predicate of ten terms, a query, the likeness to the seeds; CPU microseconds a page, on one core. */
#include "base/clock.h"
#include "base/rng.h"
#include "topic/judge.h"
#include "topic/centroid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 400, TRAINED = 300, WORDS = 2000, VOCABULARY = 30000 };

static const char ten_terms[] = "walaba and wilaba and wulaba and wemaba and womaba and wanaba and (winaba or wunaba) "
                                "and (\"wepaba wopaba\" or wopaba)";

static const struct {
    const char *what, *keys;
    unsigned wants;
} cases[] = {
    {"a predicate of ten terms, likeness to the seeds", "relevant: '%s'\n", 0},
    {"ten terms and a linear model", "examples: {positive: a}\nrelevant: 'classifier() > 0.5 and %s'\n", 0},
    {"ten terms and a query of ten words and windows",
     "query: '#sum(walaba #syn(wilaba wulaba) \"wemaba womaba\" #uw8(wanaba winaba) #od3(wunaba wepaba wopaba))'\n"
     "relevant: 'query() > 0.45 and %s'\n", 0},
    {"ten terms, model, query, likeness and classes",
     "examples: {positive: a}\nquery: '#sum(walaba #syn(wilaba wulaba) \"wemaba womaba\" #uw8(wanaba winaba) #od3(wunaba wepaba wopaba))'\n"
     "relevant: 'classifier() > 0.5 and query() > 0.41 and %s'\n", JUDGE_COSINE | JUDGE_QUERY | JUDGE_CLASSES},
};

/* The words w + two syllables and so on; a rank of Zipf's law, some of them only on pages of one kind. */
static void add_word(struct buf *out, struct rng *rng, bool positive)
{
    static const char consonants[] = "bcdfghjklmnprstv", vowels[] = "aeiou";
    uint32_t n = (uint32_t)(exp(rng_unit(rng) * log(VOCABULARY)) - 1) * 2 + (rng_unit(rng) < 0.2 ? positive : 0);

    buf_addc(out, 'w');
    for (unsigned i = 0; i < 2 || n; i++, n /= 80) {
        buf_addc(out, vowels[n % 5]);
        buf_addc(out, consonants[n / 5 % 16]);
    }
    buf_addc(out, vowels[n % 5]);
    buf_addc(out, ' ');
}

static void make_page(struct page_analyser *analyser, struct rng *rng, bool positive, struct arena *arena,
                      struct page *out)
{
    struct page_input input = {.headers = STR("Content-Type: text/html\r\n")};
    struct buf html;
    struct url url;

    buf_init(&html, 0);
    buf_addz(&html, "<html lang=en><title>A page</title><body><p>");
    for (int i = 0; i < WORDS; i++)
        add_word(&html, rng, positive);
    input.body = buf_str(&html);
    input.url = &url;
    if (url_parse(arena, STR("https://www.example.org/a/page.html"), NULL, &url) != SCENT_OK ||
        page_analyse(analyser, &input, arena, out) != SCENT_OK)
        abort();
    buf_release(&html);
}

static struct model *train(const struct page *pages, struct arena *arena)
{
    struct model_options options = model_options_default(MODEL_SVM);
    struct learn_example examples[TRAINED];
    const struct str classes[] = {STR("negative"), STR("positive")};
    struct learn_set set = {.examples = examples, .nexamples = TRAINED, .classes = classes, .nclasses = 2};
    struct errmsg err;
    struct model *model;

    for (size_t i = 0; i < TRAINED; i++) {
        examples[i] = (struct learn_example){{arena_array(arena, pages[i].nbag, sizeof(struct text_weight)), 0}, i % 2};
        for (uint32_t t = 0; t < pages[i].nbag; t++)
            examples[i].tf.items[examples[i].tf.count++] =
                (struct text_weight){pages[i].bag[t].stem, pages[i].bag[t].tf};
    }
    if (model_train(&set, &options, &model, &err) != SCENT_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return model;
}

static struct topic *make_topic(const char *keys)
{
    struct errmsg err;
    struct topic *topic;
    struct buf text;

    buf_init(&text, 0);
    buf_addz(&text, "topic: x\n");
    for (const char *mark = strstr(keys, "%s"); mark; mark = NULL) {
        buf_add(&text, (struct str){keys, (size_t)(mark - keys)});
        buf_addz(&text, ten_terms);
        buf_addz(&text, mark + 2);
    }
    if (topic_parse(buf_str(&text), "topic", &topic, &err) != SCENT_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    buf_release(&text);
    return topic;
}

static void measure(size_t n, const struct page *pages, const struct centroid *seeds, int rounds)
{
    struct arena arena, scratch;
    struct knowledge knowledge = {0};
    struct topic *topic;
    struct judge *judge;
    size_t relevant = 0;
    int64_t start;

    arena_init(&arena, SIZE_MAX);
    arena_init(&scratch, SIZE_MAX);
    topic = make_topic(cases[n].keys);
    if (topic_classes(topic) != TOPIC_NO_MODEL)
        knowledge.model = train(pages, &arena);
    judge = judge_new(
        &(struct judge_basis){.topic = topic, .knowledge = &knowledge, .seeds = seeds, .wants = cases[n].wants});
    start = clock_thread_cpu_ns();
    for (int i = 0; i < rounds; i++) {
        struct judge_input input = {.page = &pages[TRAINED + i % (PAGES - TRAINED)], .arena = &scratch};
        struct judgement out;

        judge_page(judge, &input, &out);
        relevant += out.relevant;
        arena_reset(&scratch);
    }
    printf("%6.2f us  %s (%zu of %d relevant)\n", (double)(clock_thread_cpu_ns() - start) / 1e3 / rounds, cases[n].what,
           relevant, rounds);
    judge_unref(judge);
    knowledge_release(&knowledge);
    topic_free(topic);
    arena_release(&arena);
    arena_release(&scratch);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20000;
    struct page_options options = {0};
    struct page_analyser *analyser = page_analyser_new(&options);
    static struct page pages[PAGES];
    struct centroid seeds;
    struct arena arena;
    struct rng rng;
    double stems = 0;

    arena_init(&arena, SIZE_MAX);
    rng_seed(&rng, 1);
    for (size_t i = 0; i < PAGES; i++) {
        make_page(analyser, &rng, i % 2, &arena, &pages[i]);
        stems += pages[i].nbag;
    }
    centroid_init(&seeds);
    if (centroid_add_page(&seeds, &pages[1]) != SCENT_OK)
        return 1;
    printf("pages of %u words with %.0f distinct stems, %d verdicts\n", pages[0].nwords, stems / PAGES, rounds);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        measure(i, pages, &seeds, rounds);
    centroid_release(&seeds);
    page_analyser_free(analyser);
    arena_release(&arena);
    return 0;
}
