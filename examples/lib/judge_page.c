/* Judges a page on standard input, and shows where its links would come in a crawl.
 *
 *     cc judge_page.c $(pkg-config --cflags --libs libscent) -o judge_page
 *     ./judge_page hockey.yaml https://example.org/players < page.html */
#include <scent.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static char html[8 << 20];
    struct scent_error error;
    struct scent_verdict verdict = {.size = sizeof verdict};
    const struct scent_page *page;
    struct scent_document *document;
    struct scent_score *scores;
    struct scent *topic;
    char *reasons;

    if (argc != 3) {
        fprintf(stderr, "usage: %s TOPIC.yaml URL < PAGE\n", argv[0]);
        return 2;
    }
    topic = scent_open(argv[1], &error);
    document = topic ? scent_analyse(topic, argv[2], "", html, fread(html, 1, sizeof html, stdin), &error) : NULL;
    if (!document || scent_judge(topic, document, &verdict, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    page = scent_document_page(document);
    printf("%s %.3f %.*s\n", verdict.is_relevant ? "relevant" : "not relevant", verdict.score, (int)page->title.length,
           page->title.bytes);
    reasons = scent_explain(topic, document, &error);
    if (reasons)
        fputs(reasons, stdout);
    free(reasons);
    scores = calloc(page->link_count + (size_t)1, sizeof *scores);
    scores[0].size = sizeof *scores;
    if (scent_score_links(topic, document, scores, &error) != 0)
        fprintf(stderr, "%s\n", error.text);
    for (uint32_t i = 0; i < page->link_count; i++)
        printf("%.3f %.*s\n", (double)scores[i].priority, (int)page->links[i].url.length, page->links[i].url.bytes);
    free(scores);
    scent_document_free(document);
    scent_close(topic);
    return verdict.is_relevant ? 0 : 1;
}
