/* Any bytes give a topic or an error with a message. */
#include "topic/topic.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str text = {(const char *)data, len};
    struct errmsg err = {{0}};
    struct topic *topic;

    if (topic_parse(text, "no-such-folder/fuzz.yaml", &topic, &err) != SCENT_OK) {
        if (topic || !err.text[0])
            abort();
        return 0;
    }
    if (topic_set_strategy(topic, text, &err) == SCENT_OK && topic->strategy.len == 0)
        abort();
    if (topic_add_seeds(topic, text, "list", &err) == SCENT_OK && topic->nseeds > len)
        abort();
    topic_free(topic);
    return 0;
}
