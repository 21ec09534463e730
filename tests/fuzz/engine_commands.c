/* Any object as a request to set limits: it is refused, or each value that it gives is one that a topic may have. */
#include "engine/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    enum { DEPTH = 2, DELAY = 5 };
    int64_t values[COMMANDS_SETTINGS];
    bool given[COMMANDS_SETTINGS];
    struct json *request = NULL;
    struct errmsg err;
    size_t count = 0;

    if (json_parse((struct str){(const char *)data, len}, &request, &err) == SCENT_OK &&
        commands_read_settings(request, values, given, &err) == SCENT_OK) {
        for (size_t i = 0; i < COMMANDS_SETTINGS; i++) {
            count += given[i];
            SCENT_BUG_IF(given[i] && values[i] < 0);
        }
        SCENT_BUG_IF(!count || count + 1 != json_members(request));
        SCENT_BUG_IF(given[DEPTH] && (values[DEPTH] < 1 || values[DEPTH] > UINT16_MAX));
        SCENT_BUG_IF(given[DELAY] && values[DELAY] < 1);
    }
    json_free(request);
    return 0;
}
