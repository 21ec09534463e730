/* A judge of one's own: how often a word stands in the text.
 *
 *     cc -shared -fPIC $(pkg-config --cflags libscent) -o keyword.so keyword.c
 *
 *     judge: {plugin: ./keyword.so}        # a topic file */
#include <scent_plugin.h>

#include <stdio.h>
#include <string.h>

static const char word[] = "cricket";

static int judge(void *state, const struct scent_page *page, double *score, char *why, size_t room)
{
    size_t length = sizeof word - 1, count = 0;

    (void)state;
    for (size_t i = 0; i + length <= page->text.length; i++)
        count += memcmp(page->text.bytes + i, word, length) == 0;
    *score = (double)count / ((double)count + 1);
    snprintf(why, room, "'%s' stands in it %zu times", word, count);
    return 0;
}

const struct scent_judge_plugin *scent_judge_plugin(void)
{
    static const struct scent_judge_plugin table = {
        .abi = SCENT_PLUGIN_ABI, .size = sizeof table, .name = "keyword", .version = "1", .judge = judge,
    };

    return &table;
}
