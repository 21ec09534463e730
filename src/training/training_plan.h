/* training_plan - the items that a training set will be made of: files, URLs, and what negatives are drawn from.
 *
 * URLs have to be fetched before the set is read (training_set.h), and that is not done here. Choices by chance depend
 * on the topic's seed alone. Owner: the caller. Thread: one at a time. */
#ifndef SCENT_TRAINING_TRAINING_PLAN_H
#define SCENT_TRAINING_TRAINING_PLAN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/log.h"
#include "topic/topic.h"

struct training_item {
    struct str where; /* a terminated path, or a URL */
    uint32_t class;
    bool is_url;
    uint8_t file;     /* enum pagefile_kind of a file */
};

struct training_items {
    struct training_item *items;
    size_t count, room;
};

struct linked_pages;

struct training_plan {
    const struct topic *topic;
    const struct log *log;
    struct arena arena;
    enum topic_classes learns;
    const struct str *classes;
    uint32_t nclasses;
    struct training_items given; /* positives first */
    size_t npositive;            /* of two classes: expected, as far as it is known before reading */
    struct linked_pages *linked; /* takes what the examples link to; NULL: nothing does */
    struct training_items draws; /* negatives are drawn from the front of it; shuffled */
    size_t others;               /* files of the examples' folders that are not pages */
    bool general;                /* nobody gave a negative, nor pages to draw from: general_pages.h */
    bool weak;                   /* nobody has looked at what is drawn: weak examples (learn/model.h) */
};

/* SCENT_E_INVALID: there is nothing to learn from, or no source of negatives; `err` says what to add. `topic` and `log`
 * must outlive the plan. */
SCENT_NODISCARD scent_status training_plan_new(const struct topic *topic, const struct log *log,
                                               struct training_plan **out, struct errmsg *err);
void training_plan_free(struct training_plan *plan); /* NULL is fine */
/* The URLs that have to be fetched, one a line; nothing where all is at hand. Returns their number. */
size_t training_plan_urls(const struct training_plan *plan, struct buf *out);
/* While the examples of a taxonomy are read, what they link to goes to `linked`, which outlives the plan; its classes
 * are those of the examples. */
void training_plan_links(struct training_plan *plan, struct linked_pages *linked);
/* As many draws as positives ask for; of weak ones at least TRAINING_PLAN_WEAK. */
enum { TRAINING_PLAN_WEAK = 300 };
size_t training_plan_wanted(const struct training_plan *plan, size_t npositive);
/* Are URLs looked up in the topic's collection, and not fetched? */
bool training_plan_has_collection(const struct training_plan *plan);

/* 64 bits of all that a model depends on: the options of `model`, `examples` and `taxonomy`, and the files that they
 * name (their names and bytes; of a file longer than 128 KiB its size, beginning and end). Another number: train again.
 * Some 10 microseconds a file. A path that is missing counts as such. */
uint64_t training_plan_fingerprint(const struct topic *topic);

#endif
