/* rulebook_sample - table 1 of Altingovde and Ulusoy: department, course, personal and sports pages, and to which of them
 * ten pages that the examples of each class link to belong. */
#ifndef SCENT_TESTS_RULEBOOK_SAMPLE_H
#define SCENT_TESTS_RULEBOOK_SAMPLE_H

#include "learn/rulebook.h"

#include "test.h"

enum { DH, CH, PH, SP, CLASSES };

static const uint32_t table_1[CLASSES][CLASSES] = {
    [DH] = {[CH] = 8, [PH] = 1, [SP] = 1},
    [CH] = {[DH] = 2, [CH] = 4, [PH] = 4},
    [PH] = {[DH] = 3, [CH] = 4, [PH] = 3},
    [SP] = {[SP] = 10},
};

static inline struct rulebook *count_rules(const struct str names[CLASSES], const uint32_t counts[CLASSES][CLASSES])
{
    struct errmsg err = {{0}};
    struct rulebook *rules;

    assert_ok(rulebook_new(names, CLASSES, &rules, &err), err);
    for (uint32_t i = 0; i < CLASSES; i++)
        for (uint32_t k = 0; k < CLASSES; k++)
            rulebook_add(rules, i, k, counts[i][k]);
    return rules;
}

#endif
