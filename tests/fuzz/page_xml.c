/* XML in pieces: how a document is cut changes no token. The first byte says how long the pieces are. */
#include "page/token.h"

static void tell(struct buf *story, const struct token *token)
{
    static const char *const kinds[] = {[TOKEN_START] = "\1", [TOKEN_END] = "\2", [TOKEN_INSTRUCTION] = "\3"};

    if (token->kind == TOKEN_TEXT) { /* comes in any number of tokens */
        buf_add(story, token->text);
        return;
    }
    buf_addz(story, kinds[token->kind]);
    buf_add(story, token->written);
    if (token->kind == TOKEN_INSTRUCTION)
        buf_add(story, token->text);
    for (unsigned i = 0; token->kind == TOKEN_START && i < token->attributes.count; i++) {
        buf_addz(story, "\4");
        buf_add(story, token->attributes.items[i].name);
        buf_addz(story, "\5");
        buf_add(story, token->attributes.items[i].value);
    }
    buf_addz(story, token->kind == TOKEN_START && token->closes_itself ? "\6" : "\7");
}

static void read_in(struct str text, size_t size, struct buf *story)
{
    struct tokenizer tokenizer;
    struct token token;
    size_t at = 0;

    tokenizer_init(&tokenizer);
    tokenizer_start_xml(&tokenizer);
    do {
        size_t end = text.len - at < size ? text.len : at + size;

        SCENT_BUG_IF(tokenizer_feed(&tokenizer, str_sub(text, at, end), end == text.len) != SCENT_OK);
        while (token_next_xml(&tokenizer, &token))
            tell(story, &token);
        at = end;
    } while (at < text.len);
    tokenizer_release(&tokenizer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data + 1, size - 1};
    struct buf whole, pieces;

    if (size < 2 || size > TOKEN_HELD_MAX)
        return 0;
    buf_init(&whole, 0);
    buf_init(&pieces, 0);
    read_in(text, SIZE_MAX, &whole);
    read_in(text, 1 + data[0] % 64, &pieces);
    SCENT_BUG_IF(!str_eq(buf_str(&whole), buf_str(&pieces)));
    SCENT_BUG_IF(whole.len > 4 * size + 64);
    buf_release(&whole);
    buf_release(&pieces);
    return 0;
}
