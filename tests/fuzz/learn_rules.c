/* Any text is a table of rules or is refused. One that was accepted gives shares, paths, and the same table again. */
#include "learn/rules.h"

#include <stdlib.h>

enum { CLASSES_MAX = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void chain(const struct rules *rules)
{
    double x[CLASSES_MAX * CLASSES_MAX];
    struct rules_chain chain = {.x = x, .n = rules->nclasses, .depth = 3};
    struct rules_path paths[4];
    uint64_t all;

    rules_shares(rules, x);
    for (uint32_t i = 0; i < rules->nclasses; i++) {
        SCENT_BUG_IF(!(rules_score(&chain, i, 0) >= 0));
        (void)rules_paths(&chain, i, 0, paths, 4, &all);
        SCENT_BUG_IF((all > 0) != (rules_score(&chain, i, 0) > 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct rules *rules, *again;
    struct buf text;

    if (rules_read((struct str){(const char *)data, len}, "fuzz", &rules, NULL) != SCENT_OK)
        return 0;
    if (rules->nclasses <= CLASSES_MAX)
        chain(rules);
    buf_init(&text, 0);
    SCENT_BUG_IF(rules_write(rules, &text) != SCENT_OK);
    SCENT_BUG_IF(rules_read(buf_str(&text), "again", &again, NULL) != SCENT_OK);
    SCENT_BUG_IF(again->nclasses != rules->nclasses || rules_number(again) != rules_number(rules));
    rules_free(again);
    rules_free(rules);
    buf_release(&text);
    return 0;
}
