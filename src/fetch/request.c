#include "fetch/request.h"

static bool is_secret(struct str name)
{
    return str_eq_nocase(name, STR("Cookie")) || str_eq_nocase(name, STR("Authorization")) ||
           str_eq_nocase(name, STR("Proxy-Authorization"));
}

/* The next line with its end. */
static struct str take_line(struct str *rest)
{
    size_t end = str_find(*rest, '\n');
    struct str line = str_sub(*rest, 0, end < rest->len ? end + 1 : end);

    *rest = str_sub(*rest, line.len, rest->len);
    return line;
}

static void keep_request_line(struct str line, struct buf *out)
{
    struct str text = str_sub(line, 0, str_find(line, '\r'));

    if (!str_ends(text, STR(" HTTP/2"))) {
        buf_add(out, line);
        return;
    }
    buf_add(out, str_sub(text, 0, text.len - 1));
    buf_addz(out, "1.1\r\n");
}

void request_keep(struct str head, struct buf *out)
{
    keep_request_line(take_line(&head), out);
    while (head.len) {
        struct str line = take_line(&head);
        size_t colon = str_find(line, ':');

        if (colon == line.len || !is_secret(str_sub(line, 0, colon))) {
            buf_add(out, line);
            continue;
        }
        buf_add(out, str_sub(line, 0, colon + 1));
        buf_addz(out, "\r\n");
    }
}
