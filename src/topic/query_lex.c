#include "topic/query_parser.h"

static bool ends_word(char c)
{
    return ascii_is_space(c) || c == ',' || c == '(' || c == ')' || c == '"' || c == '#';
}

static struct query_token lex_phrase(struct str source, size_t start)
{
    size_t end = start + 1;

    while (end < source.len && source.p[end] != '"')
        end++;
    if (end == source.len)
        return (struct query_token){
            .kind = QTOKEN_BAD, .start = start, .end = end, .problem = "this phrase has no closing quote"};
    return (struct query_token){
        .kind = QTOKEN_PHRASE, .start = start, .end = end + 1, .text = str_sub(source, start + 1, end)};
}

struct query_token query_next_token(struct str source, size_t at)
{
    struct query_token token = {.kind = QTOKEN_WORD};

    while (at < source.len && (ascii_is_space(source.p[at]) || source.p[at] == ','))
        at++;
    token.start = token.end = at;
    if (at == source.len) {
        token.kind = QTOKEN_END;
        return token;
    }
    if (source.p[at] == '"')
        return lex_phrase(source, at);
    if (source.p[at] == '(' || source.p[at] == ')') {
        token.kind = source.p[at] == '(' ? QTOKEN_OPEN : QTOKEN_CLOSE;
        token.end = at + 1;
        return token;
    }
    if (source.p[at] == '#') {
        token.kind = QTOKEN_OPERATOR;
        at++;
    }
    for (token.end = at; token.end < source.len && !ends_word(source.p[token.end]);)
        token.end++;
    token.text = str_sub(source, at, token.end);
    return token;
}
