/* A crawl with a callback: prints relevant pages as they come, and stops at the tenth.
 *
 *     cc crawl.c $(pkg-config --cflags --libs libscent) -o crawl
 *     ./crawl hockey.yaml hockey.crawl [WEB] */
#include <scent.h>

#include <stdio.h>

static int on_page(void *context, const struct scent_crawled *page)
{
    int *found = context;

    if (page->is_relevant)
        printf("%.3f %.*s\n", page->score, (int)page->url.length, page->url.bytes);
    *found += page->is_relevant;
    return *found >= 10;
}

int main(int argc, char **argv)
{
    int found = 0;
    struct scent_error error;
    struct scent_crawl_options options = {.size = sizeof options, .on_page = on_page, .context = &found};
    struct scent_crawl_report report = {.size = sizeof report};
    struct scent *topic;

    if (argc < 3) {
        fprintf(stderr, "usage: %s TOPIC.yaml DIRECTORY [WEB]\n", argv[0]);
        return 2;
    }
    options.directory = argv[2];
    options.from = argc > 3 ? argv[3] : NULL;
    topic = scent_open(argv[1], &error);
    if (!topic || scent_crawl(topic, &options, &report, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        scent_close(topic);
        return 2;
    }
    fprintf(stderr, "%llu pages, %llu relevant%s\n", (unsigned long long)report.pages,
            (unsigned long long)report.relevant, report.can_resume ? "; the same command resumes" : "");
    scent_close(topic);
    return 0;
}
