/* training_plan - the items that examples are made of; for this folder. */
#ifndef SCENT_TRAINING_TRAINING_PLAN_H
#define SCENT_TRAINING_TRAINING_PLAN_H

#include "training/example_files.h"
#include "training/taxonomy.h"
#include "training/training_set.h"

enum plan_kind { PLAN_FILE, PLAN_URL };

struct plan_item {
    struct str where; /* a terminated path, or a URL */
    uint32_t class;
    uint8_t kind;     /* enum plan_kind */
    uint8_t file;     /* enum pagefile_kind of a file */
};

struct plan_list {
    struct plan_item *items;
    size_t count, room;
};

struct training_plan {
    const struct topic *topic;
    const struct log *log;
    struct arena arena;
    enum topic_lesson lesson;
    const struct str *classes;
    uint32_t nclasses;
    struct plan_list given; /* positives first */
    size_t npositive;       /* of two classes: expected, as far as it is known before reading */
    struct linked_pages *linked;  /* what the examples link to goes there; NULL: nowhere */
    struct plan_list draws; /* negatives are drawn from the front of it; shuffled */
};

/* SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status plan_list_add(struct plan_list *list, struct arena *arena, struct str where, uint32_t class);
/* From the taxonomy: everything, or the targets and what to draw from. */
SCENT_NODISCARD scent_status plan_taxonomy(struct training_plan *plan, struct errmsg *err);
/* As many draws as positives ask for. */
size_t plan_wanted(const struct training_plan *plan, size_t npositive);
/* Looked up in the topic's collection, not fetched. */
bool plan_has_collection(const struct training_plan *plan);

#endif
