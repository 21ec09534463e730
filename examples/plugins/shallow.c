/* A strategy of one's own: links of relevant pages first, near the seeds first, and links whose words were seen on
 * relevant pages before. It keeps a table of word counts, saves it, and explains its scores.
 *
 *     cc -shared -fPIC $(pkg-config --cflags libscent) -o shallow.so shallow.c
 *
 *     strategy: {plugin: ./shallow.so, depth: 0.1}        # a topic file */
#include <scent_plugin.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096 };

struct shallow {
    double per_level;             /* what a level of depth costs */
    uint32_t good[WORDS], all[WORDS]; /* anchors with a word (by its hash) on relevant pages, and on all */
};

static void *open_state(const char *const *options, uint64_t seed, char *error, size_t room)
{
    struct shallow *own = calloc(1, sizeof *own);

    (void)seed;
    if (!own)
        return NULL;
    own->per_level = 0.05;
    for (; *options; options += 2) {
        if (strcmp(options[0], "depth") == 0) {
            own->per_level = atof(options[1]);
        } else {
            snprintf(error, room, "there is no option '%s'", options[0]);
            free(own);
            return NULL;
        }
    }
    return own;
}

/* The next word of a text as a number; 0 at its end. */
static uint32_t next_word(struct scent_text *text)
{
    uint32_t hash = 2166136261u;
    size_t i = 0;

    while (i < text->length && !isalnum((unsigned char)text->bytes[i]))
        i++;
    if (i == text->length)
        return 0;
    for (; i < text->length && isalnum((unsigned char)text->bytes[i]); i++)
        hash = (hash ^ (uint32_t)tolower((unsigned char)text->bytes[i])) * 16777619u;
    text->bytes += i;
    text->length -= i;
    return hash % (WORDS - 1) + 1;
}

static const struct scent_link *link_at(const struct scent_page *page, uint32_t i)
{
    return (const struct scent_link *)((const char *)page->links + (size_t)i * page->link_size);
}

static void observe(void *state, const struct scent_page *page)
{
    struct shallow *own = state;

    for (uint32_t i = 0; i < page->link_count; i++) {
        struct scent_text text = link_at(page, i)->anchor;
        uint32_t word;

        while ((word = next_word(&text))) {
            own->all[word]++;
            own->good[word] += page->is_relevant != 0;
        }
    }
}

static void score(void *state, const struct scent_page *page, uint32_t link, struct scent_score *out)
{
    struct shallow *own = state;
    struct scent_text text = link_at(page, link)->anchor;
    double words = 0, depth = (double)page->depth + 1;
    uint32_t word, count = 0;

    for (; (word = next_word(&text)); count++)
        words += (own->good[word] + 0.5) / (own->all[word] + 1.0);
    words = count ? words / count : 0.5;
    out->priority = (float)(page->score + words - own->per_level * depth);
    out->part_count = 3;
    out->parts[0].name = "score of the linking page";
    out->parts[0].value = page->score;
    out->parts[0].weight = 1;
    out->parts[1].name = "words of its anchor on relevant pages";
    out->parts[1].value = words;
    out->parts[1].weight = 1;
    out->parts[2].name = "depth";
    out->parts[2].value = depth;
    out->parts[2].weight = -own->per_level;
}

static int save(void *state, scent_write *write, void *sink)
{
    struct shallow *own = state;

    write(sink, own->good, sizeof own->good);
    write(sink, own->all, sizeof own->all);
    return 0;
}

static int load(void *state, const void *bytes, size_t length)
{
    struct shallow *own = state;

    if (length != sizeof own->good + sizeof own->all)
        return -1;
    memcpy(own->good, bytes, sizeof own->good);
    memcpy(own->all, (const char *)bytes + sizeof own->good, sizeof own->all);
    return 0;
}

const struct scent_strategy_plugin *scent_strategy_plugin(void)
{
    static const struct scent_strategy_plugin table = {
        .abi = SCENT_PLUGIN_ABI, .size = sizeof table, .name = "shallow", .version = "1", .open = open_state,
        .close = free, .observe = observe, .score = score, .save = save, .load = load,
    };

    return &table;
}
