#include "lab/keyword.h"

#include "topic/predicate.h"

void keyword_write(struct str keyword, struct buf *out)
{
    buf_addc(out, '"');
    buf_add(out, keyword);
    buf_addc(out, '"');
}

static scent_status parse(struct str keyword, struct predicate **out)
{
    struct errmsg err = {0};
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    keyword_write(keyword, &text);
    status = predicate_parse(buf_str(&text), out, &err);
    buf_release(&text);
    return status;
}

scent_status keyword_check(struct str keyword)
{
    struct predicate *predicate;

    for (size_t i = 0; i < keyword.len; i++)
        if (keyword.p[i] == '"' || keyword.p[i] == '\\' || (unsigned char)keyword.p[i] < ' ')
            return SCENT_E_INVALID;
    if (parse(keyword, &predicate) != SCENT_OK)
        return SCENT_E_INVALID;
    predicate_free(predicate);
    return SCENT_OK;
}

size_t keyword_keep(const struct collection *collection, struct str keyword, bool *marks)
{
    struct predicate *predicate;
    size_t count = 0;

    SCENT_BUG_IF(parse(keyword, &predicate) != SCENT_OK);
    for (uint32_t i = 0; i < collection_count(collection); i++) {
        struct predicate_input input = {.page = marks[i] ? collection_page(collection, i, NULL) : NULL};

        marks[i] = input.page && predicate_eval(predicate, &input);
        count += marks[i];
    }
    predicate_free(predicate);
    return count;
}
