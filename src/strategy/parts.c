#include "strategy/parts.h"

#include "base/bytes.h"

#include <math.h>
#include <stdio.h>

/* ---- names ---- */

void parts_names_init(struct parts_names *names)
{
    *names = (struct parts_names){0};
    buf_init(&names->written, 0);
}

void parts_names_release(struct parts_names *names)
{
    buf_release(&names->written);
}

static const char *words_of(const char *words)
{
    return words ? words : "";
}

static bool is_name(struct parts_name *name, const struct strategy_part *part)
{
    if (name->is_log != part->is_log)
        return false;
    if (name->from == part->name && name->from_counted == part->counted)
        return true;
    if (strcmp(name->name, part->name) != 0 || strcmp(name->counted, words_of(part->counted)) != 0)
        return false;
    name->from = part->name;
    name->from_counted = part->counted;
    return true;
}

/* PARTS_NAMES: there is no room. */
static size_t find_name(struct parts_names *names, const struct strategy_part *part)
{
    struct parts_name *name;

    for (size_t i = 0; i < names->count; i++)
        if (is_name(&names->items[i], part))
            return i;
    if (names->count == PARTS_NAMES || strlen(part->name) >= PARTS_NAME_BYTES ||
        strlen(words_of(part->counted)) >= PARTS_NAME_BYTES)
        return PARTS_NAMES;
    name = &names->items[names->count];
    *name = (struct parts_name){.from = part->name, .from_counted = part->counted, .is_log = part->is_log};
    snprintf(name->name, sizeof name->name, "%s", part->name);
    snprintf(name->counted, sizeof name->counted, "%s", words_of(part->counted));
    return names->count++;
}

void parts_names_write(const struct parts_names *names, struct buf *out)
{
    for (size_t i = 0; i < names->count; i++) {
        bytes_put_str(out, str_of(names->items[i].name), 1);
        bytes_put_str(out, str_of(names->items[i].counted), 1);
        bytes_put(out, names->items[i].is_log, 1);
    }
}

void parts_names_read(struct parts_names *names, struct str bytes)
{
    struct bytes in = bytes_of(bytes);

    while (names->count < PARTS_NAMES && bytes_left(&in) && !in.wrong) {
        struct parts_name *name = &names->items[names->count];
        struct str text = bytes_get_str(&in, 1, PARTS_NAME_BYTES - 1);
        struct str counted = bytes_get_str(&in, 1, PARTS_NAME_BYTES - 1);

        snprintf(name->name, sizeof name->name, "%.*s", STR_ARG(text));
        snprintf(name->counted, sizeof name->counted, "%.*s", STR_ARG(counted));
        name->is_log = bytes_get(&in, 1) != 0;
        names->count += !in.wrong;
    }
}

/* ---- parts ---- */

/* Behind the name: which numbers follow the value. */
enum { HAS_COUNTS = 1, HAS_WEIGHT = 2, NAME = 4 };

static void put_real(struct buf *out, double value)
{
    float real = (float)value;
    uint32_t bits;

    memcpy(&bits, &real, sizeof bits);
    bytes_put(out, bits, sizeof bits);
}

static float get_real(struct bytes *in)
{
    uint32_t bits = (uint32_t)bytes_get(in, sizeof bits);
    float real;

    memcpy(&real, &bits, sizeof real);
    bytes_check(in, !isnan(real), "not a number");
    return real;
}

struct str parts_write(struct parts_names *names, const struct strategy_score *score)
{
    struct buf *out = &names->written;

    buf_clear(out);
    for (unsigned i = 0; i < score->nparts; i++) {
        const struct strategy_part *part = &score->parts[i];
        size_t name = find_name(names, part);
        bool has_counts = part->counted && part->of, has_weight = part->weight != 0;

        if (name == PARTS_NAMES)
            return STR_NONE;
        bytes_put(out, name * NAME + (has_counts ? HAS_COUNTS : 0) + (has_weight ? HAS_WEIGHT : 0), 1);
        put_real(out, part->value);
        if (has_counts) {
            bytes_put_varint(out, part->count);
            bytes_put_varint(out, part->of);
        }
        if (has_weight)
            put_real(out, (double)part->weight);
    }
    return out->failed ? STR_NONE : buf_str(out);
}

bool parts_read(const struct parts_names *names, struct str bytes, struct strategy_score *score)
{
    struct bytes in = bytes_of(bytes);

    score->nparts = 0;
    while (bytes_left(&in) && !in.wrong && bytes_check(&in, score->nparts < STRATEGY_PARTS, "too many parts")) {
        struct strategy_part *part = &score->parts[score->nparts++];
        unsigned head = (unsigned)bytes_get(&in, 1);
        const struct parts_name *name = &names->items[head / NAME];

        if (!bytes_check(&in, head / NAME < names->count, "a name that is not known"))
            break;
        *part = (struct strategy_part){.name = name->name, .value = (double)get_real(&in), .is_log = name->is_log,
                                       .counted = name->counted[0] ? name->counted : NULL};
        if (head & HAS_COUNTS) {
            part->count = (uint32_t)bytes_get_varint(&in);
            part->of = (uint32_t)bytes_get_varint(&in);
        }
        if (head & HAS_WEIGHT)
            part->weight = get_real(&in);
    }
    if (in.wrong)
        score->nparts = 0;
    return score->nparts > 0;
}
