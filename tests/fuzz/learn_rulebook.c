/* Any text is a table of rules or is refused. One that was accepted gives shares, paths, and the same table again. */
#include "learn/rulebook.h"

#include <stdlib.h>

enum { CLASSES_MAX = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void chain(const struct rulebook *rules)
{
    double x[CLASSES_MAX * CLASSES_MAX];
    struct rulebook_chain chain = {.x = x, .n = rules->nclasses, .depth = 3};
    struct rulebook_path paths[4];
    uint64_t all;

    rulebook_shares(rules, x);
    for (uint32_t i = 0; i < rules->nclasses; i++) {
        SCENT_BUG_IF(!(rulebook_score(&chain, i, 0) >= 0));
        (void)rulebook_paths(&chain, i, 0, paths, 4, &all);
        SCENT_BUG_IF((all > 0) != (rulebook_score(&chain, i, 0) > 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct rulebook *rules, *again;
    struct buf text;

    if (rulebook_read((struct str){(const char *)data, len}, "fuzz", &rules, NULL) != SCENT_OK)
        return 0;
    if (rules->nclasses <= CLASSES_MAX)
        chain(rules);
    buf_init(&text, 0);
    SCENT_BUG_IF(rulebook_write(rules, &text) != SCENT_OK);
    SCENT_BUG_IF(rulebook_read(buf_str(&text), "again", &again, NULL) != SCENT_OK);
    SCENT_BUG_IF(again->nclasses != rules->nclasses || rulebook_number(again) != rulebook_number(rules));
    rulebook_free(again);
    rulebook_free(rules);
    buf_release(&text);
    return 0;
}
