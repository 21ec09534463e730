#include "text/fold.h"

#include <pthread.h>
#include <utf8proc.h>

/* Below U+2000 stand the alphabets, beyond it mostly signs and CJK, which have no case: a table for the
 * first answers nearly every lookup without asking utf8proc. Built once, immutable from then on. */
enum { TABLE_END = 0x2000, IS_SEPARATOR = 0, ASK = 1 };

static uint16_t table[TABLE_END]; /* the folded letter, IS_SEPARATOR or ASK */
static pthread_once_t built = PTHREAD_ONCE_INIT;

size_t fold_decode(const char *p, size_t len, uint32_t *c)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)p, (utf8proc_ssize_t)(len < 4 ? len : 4), &code);

    if (used <= 0)
        return 0;
    *c = (uint32_t)code;
    return (size_t)used;
}

size_t fold_encode(uint32_t c, char out[4])
{
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)c, (utf8proc_uint8_t *)out);
}

static bool is_cjk(uint32_t c)
{
    return (c >= 0x3040 && c <= 0x318F && c != 0x3097 && c != 0x3098 && c != 0x30FB) || c == 0x3005 || c == 0x3006 ||
           (c >= 0x31A0 && c <= 0x31BF) || (c >= 0x31F0 && c <= 0x31FF) || (c >= 0x3400 && c <= 0x4DBF) ||
           (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFF66 && c <= 0xFF9F) || (c >= 0x1100 && c <= 0x11FF) || (c >= 0x20000 && c <= 0x3FFFD);
}

static enum fold_kind kind_of(uint32_t c)
{
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return is_cjk(c) ? FOLD_CJK : FOLD_LETTER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return FOLD_LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
        return FOLD_MARK;
    default:
        return FOLD_SEPARATOR;
    }
}

static void fold_slowly(uint32_t c, struct folded *out)
{
    utf8proc_int32_t folded[4];
    int boundclass = 0;
    utf8proc_ssize_t count;

    *out = (struct folded){.kind = kind_of(c), .count = 1, .c = {c}};
    if (out->kind != FOLD_LETTER)
        return;
    if (c == 0x130) { /* the Turkish capital i: full folding would leave a dot above that no text has */
        out->c[0] = 'i';
        return;
    }
    count = utf8proc_decompose_char((utf8proc_int32_t)c, folded, 4, UTF8PROC_CASEFOLD, &boundclass);
    if (count < 1 || count > FOLD_MAX)
        return;
    out->count = (unsigned)count;
    for (unsigned i = 0; i < out->count; i++)
        out->c[i] = (uint32_t)folded[i];
}

static void build(void)
{
    for (uint32_t c = 0; c < TABLE_END; c++) {
        struct folded f;

        fold_slowly(c, &f);
        if (f.kind == FOLD_SEPARATOR)
            table[c] = IS_SEPARATOR;
        else
            table[c] = f.kind == FOLD_LETTER && f.count == 1 && f.c[0] <= UINT16_MAX ? (uint16_t)f.c[0] : ASK;
    }
}

void fold_char(uint32_t c, struct folded *out)
{
    pthread_once(&built, build);
    if (c < TABLE_END && table[c] != ASK)
        *out = (struct folded){.kind = table[c] ? FOLD_LETTER : FOLD_SEPARATOR, .count = 1, .c = {table[c]}};
    else
        fold_slowly(c, out);
}
