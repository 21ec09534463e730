/* conf_node - the tree behind conf.h, for the files of this module alone. */
#ifndef SCENT_CONF_CONF_NODE_H
#define SCENT_CONF_CONF_NODE_H

#include "base/arena.h"
#include "conf/conf.h"

struct conf_node {
    const struct conf *conf;
    const struct conf_node *parent; /* NULL at the root */
    struct str key;                 /* in a map */
    struct str text;                /* of a scalar, terminated by a 0 byte after its end */
    struct conf_node **items;       /* room: the next power of two */
    uint32_t count, room;
    uint32_t index; /* in its parent */
    int line;
    uint8_t kind; /* enum conf_kind */
    bool plain;   /* a scalar without quotes: it may be null */
};

struct conf {
    const char *name;
    struct conf_node *root;
    struct arena arena;
};

#endif
