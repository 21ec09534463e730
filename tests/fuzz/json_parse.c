/* Whatever is read must be harmless to look at, and a string that is written must read back. */
#include "json/json.h"

static void look(const struct json *value)
{
    (void)json_as_str(value);
    (void)json_as_int(value);
    (void)json_as_double(value);
    (void)json_get(value, "a");
    for (size_t i = 0; i < json_count(value); i++)
        look(json_at(value, i));
}

static void check_string(struct str s)
{
    struct buf out;
    struct json_writer w;
    struct json *root, *again;

    buf_init(&out, 0);
    json_writer_init(&w, &out);
    json_str(&w, s);
    SCENT_BUG_IF(json_parse(buf_str(&out), &root, NULL) != SCENT_OK);
    /* Repaired once, it must not change again. */
    buf_clear(&out);
    json_writer_init(&w, &out);
    json_str(&w, json_as_str(root));
    SCENT_BUG_IF(json_parse(buf_str(&out), &again, NULL) != SCENT_OK);
    SCENT_BUG_IF(!str_eq(json_as_str(root), json_as_str(again)));
    json_free(root);
    json_free(again);
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str text = {(const char *)data, len};
    struct json *root;

    if (json_parse(text, &root, NULL) == SCENT_OK)
        look(root);
    json_free(root);
    check_string(text);
    return 0;
}
