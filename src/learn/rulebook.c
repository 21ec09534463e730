#include "learn/rulebook.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdlib.h>

static uint32_t *find_slot(const struct rulebook *rules, struct str class)
{
    uint32_t i = (uint32_t)hash_str(class, 0) & (rules->nslots - 1);

    while (rules->slots[i] && !str_eq(rules->classes[rules->slots[i] - 1], class))
        i = (i + 1) & (rules->nslots - 1);
    return &rules->slots[i];
}

uint32_t rulebook_find(const struct rulebook *rules, struct str class)
{
    return *find_slot(rules, class) - 1; /* 0 - 1 is RULEBOOK_NONE */
}

uint32_t rulebook_mark(const struct rulebook *rules, struct str category, bool *members)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < rules->nclasses; i++) {
        struct str class = rules->classes[i];

        if (!category.len || !str_starts(class, category) || (class.len > category.len && class.p[category.len] != '.'))
            continue;
        members[i] = true;
        count++;
    }
    return count;
}

static bool is_name(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.p[i] < ' ')
            return false;
    return s.len > 0;
}

static scent_status name_classes(struct rulebook *rules, const struct str *classes, struct errmsg *err)
{
    for (uint32_t i = 0; i < rules->nclasses; i++) {
        uint32_t *slot;

        if (!is_name(classes[i]))
            return errmsg_fail(err, SCENT_E_INVALID, "class %" PRIu32 " has no name, or a control character in it",
                               i + 1);
        slot = find_slot(rules, classes[i]);
        if (*slot)
            return errmsg_fail(err, SCENT_E_INVALID, "the class '%.*s' stands there twice", STR_ARG(classes[i]));
        rules->classes[i] = arena_str(&rules->arena, classes[i]);
        if (!rules->classes[i].p)
            return errmsg_fail(err, SCENT_E_NOMEM, "no memory for rules");
        *slot = i + 1;
    }
    return SCENT_OK;
}

static scent_status make_room(struct rulebook *rules, struct errmsg *err)
{
    size_t n = rules->nclasses;

    for (rules->nslots = 4; rules->nslots < 2 * n;)
        rules->nslots *= 2;
    rules->classes = arena_array(&rules->arena, n, sizeof *rules->classes);
    rules->slots = calloc(rules->nslots, sizeof *rules->slots);
    rules->counts = calloc(n * n, sizeof *rules->counts);
    return rules->classes && rules->slots && rules->counts ? SCENT_OK
                                                           : errmsg_fail(err, SCENT_E_NOMEM, "no memory for rules");
}

scent_status rulebook_new(const struct str *classes, uint32_t nclasses, struct rulebook **out, struct errmsg *err)
{
    struct rulebook *rules;
    scent_status status;

    if (nclasses < 1 || nclasses > RULEBOOK_CLASSES_MAX)
        return errmsg_fail(err, nclasses ? SCENT_E_LIMIT : SCENT_E_INVALID,
                           "rules need 1 to %d classes, there are %" PRIu32, RULEBOOK_CLASSES_MAX, nclasses);
    rules = calloc(1, sizeof *rules);
    SCENT_BUG_IF(!rules);
    arena_init(&rules->arena, SIZE_MAX);
    rules->nclasses = nclasses;
    status = make_room(rules, err);
    if (status == SCENT_OK)
        status = name_classes(rules, classes, err);
    if (status == SCENT_OK)
        *out = rules;
    else
        rulebook_free(rules);
    return status;
}

void rulebook_free(struct rulebook *rules)
{
    if (!rules)
        return;
    arena_release(&rules->arena);
    free(rules->slots);
    free(rules->counts);
    free(rules);
}

void rulebook_add(struct rulebook *rules, uint32_t from, uint32_t to, uint32_t count)
{
    uint32_t *at = &rules->counts[(size_t)from * rules->nclasses + to];

    *at = count > UINT32_MAX - *at ? UINT32_MAX : *at + count;
}

uint64_t rulebook_total(const struct rulebook *rules, uint32_t from)
{
    uint64_t total = 0;

    for (uint32_t to = 0; to < rules->nclasses; to++)
        total += rules->counts[(size_t)from * rules->nclasses + to];
    return total;
}

uint64_t rulebook_number(const struct rulebook *rules)
{
    uint64_t number = 0;

    for (size_t i = 0; i < (size_t)rules->nclasses * rules->nclasses; i++)
        number += rules->counts[i] > 0;
    return number;
}

void rulebook_shares(const struct rulebook *rules, double *x)
{
    size_t n = rules->nclasses;

    for (uint32_t from = 0; from < n; from++) {
        double total = (double)rulebook_total(rules, from);

        for (size_t to = 0; to < n; to++)
            x[from * n + to] = total > 0 ? rules->counts[from * n + to] / total : 0;
    }
}

static scent_status arrange(const struct rulebook *rules, struct rulebook *to, struct errmsg *err)
{
    uint32_t n = rules->nclasses;

    for (uint32_t i = 0; i < n; i++)
        if (rulebook_find(to, rules->classes[i]) == RULEBOOK_NONE)
            return errmsg_fail(err, SCENT_E_INVALID, "the rules know a class '%.*s' that the model does not know",
                               STR_ARG(rules->classes[i]));
    for (uint32_t i = 0; i < to->nclasses; i++)
        if (rulebook_find(rules, to->classes[i]) == RULEBOOK_NONE)
            return errmsg_fail(err, SCENT_E_INVALID, "the model knows a class '%.*s' that the rules do not know",
                               STR_ARG(to->classes[i]));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            rulebook_add(to, rulebook_find(to, rules->classes[i]), rulebook_find(to, rules->classes[k]),
                      rules->counts[(size_t)i * n + k]);
    to->fingerprint = rules->fingerprint;
    return SCENT_OK;
}

scent_status rulebook_arrange(const struct rulebook *rules, const struct str *classes, uint32_t nclasses,
                              struct rulebook **out, struct errmsg *err)
{
    scent_status status = rulebook_new(classes, nclasses, out, err);

    if (status == SCENT_OK && (status = arrange(rules, *out, err)) != SCENT_OK) {
        rulebook_free(*out);
        *out = NULL;
    }
    return status;
}
