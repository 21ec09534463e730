#include "web/linkage.h"

enum { SALT_ORIGINAL = 0x71, SALT_REDIRECT, SALT_ENTRANCE };
enum { TRIES_INSIDE = 16, TRIES_OUTSIDE = 8, TRIES_OTHER = 8, TRIES_ORIGINAL = 16 };

/* With ways topics differ in size, and what is drawn must follow it: the few hosts of the ways would be the most
 * popular of all. Only topics that are no ways have neighbours. */
static uint32_t other_by_size(const struct world *world, uint32_t topic, struct dice *dice)
{
    uint64_t goals = world_goals(world);
    uint32_t drawn = topic;

    if (topic < goals && goals > 1 && dice_chance(dice, world->odds.affinity))
        return (uint32_t)((topic + (dice_roll(dice) & 1 ? 1 : goals - 1)) % goals);
    for (int tries = 0; tries < TRIES_OTHER && drawn == topic; tries++)
        drawn = world_topic_of(world, dice_below(dice, world->spec.hosts));
    return drawn != topic ? drawn : (uint32_t)((topic + 1) % world->spec.topics);
}

static uint32_t other_topic(const struct world *world, uint32_t topic, struct dice *dice)
{
    uint64_t topics = world->spec.topics;

    if (world->spec.tunnel_ways)
        return other_by_size(world, topic, dice);
    if (dice_chance(dice, world->odds.affinity))
        return (uint32_t)((topic + (dice_roll(dice) & 1 ? 1 : topics - 1)) % topics);
    return (uint32_t)((topic + 1 + dice_below(dice, topics - 1)) % topics);
}

/* A topic that the host has, and a page to prove it; small hosts do not have all that they could. */
static void aim_inside(const struct world *world, const struct world_page *from, struct dice *dice,
                       struct linkage_aim *aim)
{
    for (int tries = 0; tries < TRIES_OTHER; tries++) {
        aim->known = dice_popular(dice, from->host.pages);
        aim->topic = world_page_topic(world, &from->host, aim->known);
        if (aim->topic != from->topic)
            return;
    }
    aim->known = 0;
    aim->topic = from->topic != from->host.topic ? from->host.topic : world_minor_topic(world, &from->host, 0);
}

struct linkage_aim linkage_aim(const struct world *world, const struct world_page *from, struct dice *dice)
{
    uint64_t locality = from->kind == PAGE_HUB ? world->odds.hub_locality : world->odds.locality;
    struct linkage_aim aim = {from->topic, dice_chance(dice, world->odds.external), 0};

    if (dice_chance(dice, locality) || world->spec.topics == 1)
        return aim;
    if (aim.outside)
        aim.topic = other_topic(world, from->topic, dice);
    else
        aim_inside(world, from, dice, &aim);
    return aim;
}

static bool is_right(const struct world *world, const struct world_page *from, uint32_t topic, uint64_t number)
{
    return world_page_topic(world, &from->host, number) == topic && (number != from->number || from->step);
}

static bool draw_inside(const struct world *world, const struct world_page *from, struct linkage_aim aim,
                        struct dice *dice, uint64_t *number)
{
    for (int tries = 0; tries < TRIES_INSIDE && from->host.pages > 1; tries++) {
        *number = dice_popular(dice, from->host.pages);
        if (is_right(world, from, aim.topic, *number))
            return true;
    }
    *number = aim.known;
    return is_right(world, from, aim.topic, *number);
}

static void draw_host(const struct world *world, const struct world_page *from, uint32_t topic, struct dice *dice,
                      struct world_host *out)
{
    uint64_t start = world->topic_start[topic], count = world->topic_hidden[topic] - start;
    uint64_t index = start + dice_popular(dice, count);

    if (index == from->host.index && count > 1)
        index = start + (index - start + 1) % count;
    world_host(world, index, out);
}

/* The home page has its host's topic, so that there always is an answer. */
static void draw_outside(const struct world *world, const struct world_page *from, uint32_t topic, struct dice *dice,
                         struct world_page *out)
{
    struct world_host host;
    uint64_t number = 0;

    draw_host(world, from, topic, dice, &host);
    for (int tries = 0; tries < TRIES_OUTSIDE; tries++) {
        number = dice_popular(dice, host.pages);
        if (world_page_topic(world, &host, number) == topic)
            break;
        number = 0;
    }
    world_page(world, &host, number, out);
}

void linkage_draw(const struct world *world, const struct world_page *from, struct linkage_aim aim, struct dice *dice,
                  struct world_page *out)
{
    uint64_t number;

    if (!aim.outside && draw_inside(world, from, aim, dice, &number))
        world_page(world, &from->host, number, out);
    else
        draw_outside(world, from, aim.topic, dice, out);
}

bool linkage_original(const struct world *world, const struct world_page *copy, struct world_page *out)
{
    struct dice dice = dice_of(copy->key, SALT_ORIGINAL);

    for (int tries = 0; tries < TRIES_ORIGINAL; tries++) {
        bool outside = dice_roll(&dice) & 1;

        linkage_draw(world, copy, (struct linkage_aim){copy->topic, outside, 0}, &dice, out);
        if ((out->kind != PAGE_PLAIN && out->kind != PAGE_HUB) || out->topic != copy->topic)
            continue;
        if (out->host.index == copy->host.index ? out->number != copy->number : world_page_is_absolute(out))
            return true;
    }
    return false;
}

/* A chain only goes down: to a lower host, or a lower page of the same. */
static bool is_below(const struct world_page *a, const struct world_page *b)
{
    return a->host.index != b->host.index ? a->host.index < b->host.index : a->number < b->number;
}

void linkage_redirect(const struct world *world, const struct world_page *from, struct world_page *out)
{
    struct dice dice = dice_of(from->key, SALT_REDIRECT);
    struct world_host host;

    for (int tries = 0; tries < TRIES_ORIGINAL; tries++) {
        bool outside = dice_chance(&dice, world->odds.external);

        linkage_draw(world, from, (struct linkage_aim){from->topic, outside, 0}, &dice, out);
        if (world_page_is_html(out) || (out->kind == PAGE_REDIRECT && is_below(out, from)))
            return;
    }
    draw_host(world, from, from->topic, &dice, &host); /* a home page is never a redirect */
    world_page(world, &host, 0, out);
}

bool linkage_tunnel(const struct world *world, const struct world_page *from, struct world_page *out)
{
    uint64_t first, count;
    struct dice dice;

    if (from->step && from->step == world->spec.tunnel_length) {
        struct world_host hidden;

        world_host(world, from->number, &hidden);
        world_page(world, &hidden, 0, out);
        return true;
    }
    if (from->step) {
        world_tunnel(world, from->number, from->step + 1, out);
        return true;
    }
    dice = dice_of(from->key, SALT_ENTRANCE);
    first = world->topic_hidden[from->topic];
    count = world->topic_start[from->topic + 1] - first;
    if (count == 0 || !dice_chance(&dice, world->odds.entrance))
        return false;
    world_tunnel(world, first + dice_below(&dice, count), 1, out);
    return true;
}

/* A page of a hidden host that is on topic; its home page is. */
static void draw_hidden(const struct world *world, uint64_t index, struct dice *dice, struct world_page *out)
{
    struct world_host host;
    uint64_t number = 0;

    world_host(world, index, &host);
    for (int tries = 0; tries < TRIES_OUTSIDE; tries++) {
        number = dice_popular(dice, host.pages);
        if (world_page_topic(world, &host, number) == host.topic)
            break;
        number = 0;
    }
    world_page(world, &host, number, out);
}

bool linkage_lead(const struct world *world, const struct world_page *from, struct dice *dice, struct world_page *out)
{
    uint64_t roll, first, index;
    uint32_t topic;

    if (!from->step || world->odds.lead + world->odds.along == 0)
        return false;
    roll = dice_roll(dice);
    if (!dice_hit(roll, world->odds.lead + world->odds.along))
        return false;
    topic = world_topic_of(world, from->number);
    first = world->topic_hidden[topic];
    index = first + dice_below(dice, world->topic_start[topic + 1] - first);
    if (!dice_hit(roll, world->odds.lead))
        world_tunnel(world, index, from->step, out);
    else if (from->step < world->spec.tunnel_length)
        world_tunnel(world, index, from->step + 1, out);
    else
        draw_hidden(world, index, dice, out);
    return true;
}
