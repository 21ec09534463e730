/* Any bytes give a document or an error with a message; every getter survives every node. */
#include "conf/conf.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void visit(const struct conf_node *node)
{
    static const char *const known[] = {"topic", "seeds", "limits", NULL};
    struct errmsg err;
    scent_status status;
    struct str s;
    uint64_t n;
    int64_t t;
    double d;
    bool b;

    status = conf_expect_map(node, known, &err);
    status = conf_str(node, &s, &err);
    status = conf_u64(node, 1, 10, &n, &err);
    status = conf_bytes(node, &n, &err);
    status = conf_duration(node, &t, &err);
    status = conf_double(node, 0, 1, &d, &err);
    status = conf_bool(node, &b, &err);
    (void)status;
    for (size_t i = 0; i < conf_count(node); i++)
        visit(conf_item(node, i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct errmsg err = {{0}};
    struct conf *conf;
    uint64_t n;
    int64_t t;

    (void)!conf_parse_bytes((struct str){(const char *)data, len}, &n);
    (void)!conf_parse_duration((struct str){(const char *)data, len}, &t);
    if (conf_parse((struct str){(const char *)data, len}, "fuzz", &conf, &err) != SCENT_OK) {
        if (!err.text[0] || conf)
            abort();
        return 0;
    }
    if (conf_root(conf))
        visit(conf_root(conf));
    conf_free(conf);
    return 0;
}
