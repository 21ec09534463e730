#include "web/prose.h"

void prose_begin(struct prose *prose, const struct world *world, const struct lexicon_tongue *tongue, uint64_t key)
{
    *prose = (struct prose){world, tongue, {key}, 8, true};
}

static inline const struct lexicon_word *draw(struct prose *prose, uint32_t topic, uint64_t odds)
{
    const struct world *world = prose->world;
    uint64_t roll = dice_roll(&prose->dice);

    if (!dice_hit(roll, odds))
        return lexicon_background_word(world->lexicon, prose->tongue, (uint32_t)roll);
    if (world->odds.overlap && dice_chance(&prose->dice, world->odds.overlap))
        topic = (uint32_t)((topic + 1) % world->spec.topics);
    return lexicon_topic_word(world->lexicon, prose->tongue, topic, (uint32_t)roll);
}

/* Between sentences, and sometimes inside one. */
static void punctuate(struct prose *prose, struct pen *pen)
{
    uint64_t roll = dice_roll(&prose->dice);

    prose->left = 4 + (uint32_t)(roll & 15);
    prose->fresh = (roll & 32) == 0;
    if (prose->fresh)
        pen_z(pen, prose->tongue->spaced ? "." : "。");
    else if (!prose->tongue->spaced)
        pen_z(pen, "，");
    else
        pen_z(pen, roll & 64 ? "," : roll & 128 ? " –" : roll & 256 ? "’s" : ";");
}

static void capitalise(char *p)
{
    if (*p >= 'a' && *p <= 'z')
        *p = (char)(*p - 32);
}

void prose_words(struct prose *prose, struct pen *pen, uint32_t topic, uint64_t odds, uint64_t count)
{
    bool spaced = prose->tongue->spaced;

    for (uint64_t i = 0; i < count; i++) {
        const struct lexicon_word *word = draw(prose, topic, odds);

        if (!pen_room(pen, 64))
            return;
        if (prose->left-- == 0)
            punctuate(prose, pen);
        if (spaced)
            *pen->p++ = ' ';
        pen_word(pen, word);
        if (prose->fresh) {
            capitalise(pen->p - word->len);
            prose->fresh = false;
        }
    }
}

void prose_end(struct prose *prose, struct pen *pen)
{
    pen_z(pen, prose->tongue->spaced ? "." : "。");
    prose->left = 8;
    prose->fresh = true;
}

void prose_label(struct prose *prose, struct pen *pen, uint32_t topic, uint64_t odds, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0 && prose->tongue->spaced)
            pen_char(pen, ' ');
        pen_word(pen, draw(prose, topic, odds));
    }
}
