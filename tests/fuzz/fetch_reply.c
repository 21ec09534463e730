/* Lines of a response head, whatever they hold: within the cap, and a finished head has the form that it promises, in
 * which it stays. */
#include "fetch/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct reply *reply)
{
    SCENT_BUG_IF(reply->seen > reply->max && reply->done);
    SCENT_BUG_IF(reply->head->len > 2 * reply->max + 64); /* LF became CRLF, a phrase was added */
    SCENT_BUG_IF(reply->mime_len > REPLY_MIME_MAX || strlen(reply->mime) > reply->mime_len);
    SCENT_BUG_IF(reply->status < 0 || reply->status > 999);
    if (reply->done)
        SCENT_BUG_IF(!str_ends(buf_str(reply->head), STR("\r\n\r\n")) || reply->status / 100 == 1);
}

static void read_head(struct str rest, struct reply *reply)
{
    enum reply_result result = REPLY_MORE;

    while (rest.len && result == REPLY_MORE) {
        size_t end = str_find(rest, '\n') + 1;

        end = end < rest.len ? end : rest.len;
        result = reply_line(reply, str_sub(rest, 0, end));
        rest = str_sub(rest, end, rest.len);
    }
    check(reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reply reply, again;
    struct buf head, same;

    buf_init(&head, 0);
    buf_init(&same, 0);
    reply_init(&reply, &head, 4096);
    read_head((struct str){(const char *)data, size}, &reply);
    if (reply.done) {
        reply_init(&again, &same, 16384);
        read_head(buf_str(&head), &again);
        SCENT_BUG_IF(!again.done || !str_eq(buf_str(&same), buf_str(&head)));
        SCENT_BUG_IF(again.status != reply.status || strcmp(again.mime, reply.mime) != 0);
    }
    buf_release(&head);
    buf_release(&same);
    return 0;
}
