/* The text of a language is embedded as it lies in data/background:
 *
 *   scent-background VERSION LANG DOCUMENTS STEMS
 *   STEM DF TF10            a line for each, the most frequent first; TF10 is ten times the mean frequency */
#include "text/background.h"

#include "base/embed.h"
#include "base/map.h"
#include "text/text.h"

#include <pthread.h>
#include <stdlib.h>

/* SCENT_BACKGROUND names the folder. */
EMBED(scent_background_en, SCENT_BACKGROUND "/en.txt")
EMBED(scent_background_de, SCENT_BACKGROUND "/de.txt")
EMBED(scent_background_fr, SCENT_BACKGROUND "/fr.txt")
EMBED(scent_background_es, SCENT_BACKGROUND "/es.txt")

enum { VERSION = 1 };

struct background {
    const char *lang, *start, *end;
    struct background_term *terms; /* NULL: not read yet */
    size_t count;
    uint32_t documents;
    double rare; /* the idf of what is not in it */
    struct map by_stem;
};

static struct background all[] = {
    {.lang = "en", .start = scent_background_en, .end = scent_background_en_end},
    {.lang = "de", .start = scent_background_de, .end = scent_background_de_end},
    {.lang = "fr", .start = scent_background_fr, .end = scent_background_fr_end},
    {.lang = "es", .start = scent_background_es, .end = scent_background_es_end},
};
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER; /* of what has no terms yet; immutable from then on */

static uint64_t next_number(struct str *line)
{
    struct str part;
    uint64_t number;

    SCENT_BUG_IF(!str_split(line, ' ', &part) || !str_parse_u64(part, &number));
    return number;
}

/* The text is ours and is tested: what is wrong with it is a bug. */
static void read_text(struct background *background)
{
    struct str rest = {background->start, (size_t)(background->end - background->start)}, line, part;

    SCENT_BUG_IF(!str_split(&rest, '\n', &line) || !str_split(&line, ' ', &part) ||
                 !str_eq(part, STR("scent-background")) || next_number(&line) != VERSION ||
                 !str_split(&line, ' ', &part) || !str_eq(part, str_of(background->lang)));
    background->documents = (uint32_t)next_number(&line);
    background->count = next_number(&line);
    background->terms = calloc(background->count, sizeof *background->terms);
    SCENT_BUG_IF(!background->terms || map_reserve(&background->by_stem, background->count) != SCENT_OK);
    for (size_t i = 0; i < background->count; i++) {
        struct background_term *term = &background->terms[i];

        SCENT_BUG_IF(!str_split(&rest, '\n', &line) || !str_split(&line, ' ', &term->text));
        term->stem = text_word_hash(term->text);
        term->df = (uint32_t)next_number(&line);
        term->tf = (float)next_number(&line) / 10;
        SCENT_BUG_IF(term->df == 0 || map_add(&background->by_stem, term->stem, (uint32_t)i) != SCENT_OK);
    }
    background->rare = text_idf(background->documents, background->terms[background->count - 1].df / 2.);
}

const struct background *background_for(struct str lang)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!str_eq(lang, str_of(all[i].lang)))
            continue;
        pthread_mutex_lock(&reading);
        if (!all[i].terms)
            read_text(&all[i]);
        pthread_mutex_unlock(&reading);
        return &all[i];
    }
    return NULL;
}

uint32_t background_documents(const struct background *background)
{
    return background->documents;
}

static const struct background_term *find(const struct background *background, uint64_t stem)
{
    struct map_walk walk = map_find(&background->by_stem, stem);

    while (map_next(&walk))
        if (background->terms[walk.value].stem == stem)
            return &background->terms[walk.value];
    return NULL;
}

uint32_t background_frequency(const struct background *background, uint64_t stem)
{
    const struct background_term *term = find(background, stem);

    return term ? term->df : 0;
}

double background_idf(const struct background *background, uint64_t stem)
{
    const struct background_term *term = find(background, stem);

    return term ? text_idf(background->documents, term->df) : background->rare;
}

const struct background_term *background_terms(const struct background *background, size_t *count)
{
    *count = background->count;
    return background->terms;
}
