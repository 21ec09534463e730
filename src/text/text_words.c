/* Words of a text: runs of letters and digits, case-folded by utf8proc; bigrams where there are no spaces. */
#include "text/text.h"

#include <pthread.h>
#include <utf8proc.h>

/* ---- what a character is to a word, and its case-folded form ---- */

enum fold_kind {
    FOLD_SEPARATOR,
    FOLD_LETTER, /* letters and digits */
    FOLD_MARK,   /* combining: goes on with a word, begins none */
    FOLD_CJK     /* written without spaces: bigrams */
};

enum { FOLD_MAX = 3 }; /* characters that one can fold to: U+0390 */

struct folded {
    enum fold_kind kind;
    unsigned count;
    uint32_t c[FOLD_MAX];
};

/* Below U+2000 stand the alphabets, beyond it mostly signs and CJK, which have no case: a table for the
 * first answers nearly every lookup without asking utf8proc. Built once, immutable from then on. */
enum { TABLE_END = 0x2000, IS_SEPARATOR = 0, ASK = 1 };

static uint16_t table[TABLE_END]; /* the folded letter, IS_SEPARATOR or ASK */
static pthread_once_t built = PTHREAD_ONCE_INIT;

/* Decodes one character of UTF-8; 0 bytes where it is invalid. */
static size_t fold_decode(const char *p, size_t len, uint32_t *c)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t used = utf8proc_iterate((const utf8proc_uint8_t *)p, (utf8proc_ssize_t)(len < 4 ? len : 4), &code);

    if (used <= 0)
        return 0;
    *c = (uint32_t)code;
    return (size_t)used;
}

static size_t fold_encode(uint32_t c, char out[4])
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

static void build_table(void)
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

static void fold_char(uint32_t c, struct folded *out)
{
    pthread_once(&built, build_table);
    if (c < TABLE_END && table[c] != ASK)
        *out = (struct folded){.kind = table[c] ? FOLD_LETTER : FOLD_SEPARATOR, .count = 1, .c = {table[c]}};
    else
        fold_slowly(c, out);
}

/* ---- words ---- */

enum { SEPARATES = 0, CLOSER = 1 }; /* in text_ascii_folds */

const unsigned char text_ascii_folds[256] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6', ['7'] = '7',
    ['8'] = '8', ['9'] = '9', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f',
    ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n',
    ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v',
    ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd',
    ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'l',
    ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't',
    ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z', [128 ... 255] = CLOSER,
};

void text_cursor_init(struct text_cursor *cursor, struct str s)
{
    *cursor = (struct text_cursor){.s = s};
}

/* Decodes at `pos`; an invalid byte is a separator of one byte. */
static size_t char_at(struct str s, size_t pos, struct folded *out)
{
    uint32_t c;
    size_t used = fold_decode(s.p + pos, s.len - pos, &c);

    if (!used) {
        out->kind = FOLD_SEPARATOR;
        return 1;
    }
    fold_char(c, out);
    return used;
}

static bool add_folded(const struct folded *f, char *word, size_t *len)
{
    char bytes[4 * FOLD_MAX];
    size_t n = 0;

    for (unsigned i = 0; i < f->count; i++)
        n += fold_encode(f->c[i], bytes + n);
    if (n > TEXT_WORD_MAX - *len)
        return false;
    memcpy(word + *len, bytes, n);
    *len += n;
    return true;
}

/* The word goes on at cursor->pos, after `len` folded bytes; reads to its end. */
static void finish_word(struct text_cursor *cursor, char *word, size_t *len)
{
    struct str s = cursor->s;
    size_t pos = cursor->pos, n = *len;
    bool full = false;

    while (pos < s.len) {
        unsigned char fold = text_ascii_folds[(unsigned char)s.p[pos]];
        struct folded f;
        size_t used;

        if (fold == SEPARATES)
            break;
        if (fold != CLOSER) {
            if (!full && n < TEXT_WORD_MAX)
                word[n++] = (char)fold;
            else
                full = true;
            pos++;
            continue;
        }
        used = char_at(s, pos, &f);
        if (f.kind != FOLD_LETTER && f.kind != FOLD_MARK)
            break;
        full = full || !add_folded(&f, word, &n);
        pos += used;
    }
    cursor->pos = cursor->end = pos;
    *len = n;
}

/* A bigram of the characters `a` and `b` (0: a stands alone). */
static void write_cjk(uint32_t a, uint32_t b, char *word, size_t *len)
{
    *len = fold_encode(a, word);
    if (b)
        *len += fold_encode(b, word + *len);
}

/* A CJK run begins at cursor->pos with `first`, which takes `used` bytes. */
static void begin_cjk(struct text_cursor *cursor, uint32_t first, size_t used, char *word, size_t *len)
{
    struct str s = cursor->s;
    struct folded next = {.kind = FOLD_SEPARATOR};
    size_t after = cursor->pos + used;
    size_t next_used = after < s.len ? char_at(s, after, &next) : 0;

    if (next.kind != FOLD_CJK)
        next_used = 0;
    cursor->prev_cjk = next_used ? next.c[0] : 0;
    write_cjk(first, cursor->prev_cjk, word, len);
    cursor->start = cursor->pos;
    cursor->pos = cursor->end = after + next_used;
}

/* The run of cursor->prev_cjk may go on. */
static bool continue_cjk(struct text_cursor *cursor, char *word, size_t *len)
{
    uint32_t prev = cursor->prev_cjk;
    struct folded next = {.kind = FOLD_SEPARATOR};
    size_t used = cursor->pos < cursor->s.len ? char_at(cursor->s, cursor->pos, &next) : 0;
    char bytes[4];

    cursor->prev_cjk = 0;
    if (next.kind != FOLD_CJK)
        return false;
    write_cjk(prev, next.c[0], word, len);
    cursor->prev_cjk = next.c[0];
    cursor->start = cursor->pos - fold_encode(prev, bytes);
    cursor->pos = cursor->end = cursor->pos + used;
    return true;
}

bool text_next_word_of_any(struct text_cursor *cursor, char word[TEXT_WORD_MAX], size_t *len)
{
    struct str s = cursor->s;
    size_t pos = cursor->pos;

    if (cursor->prev_cjk && continue_cjk(cursor, word, len))
        return true;
    while (pos < s.len) {
        unsigned char fold = text_ascii_folds[(unsigned char)s.p[pos]];
        struct folded f = {.kind = fold == SEPARATES ? FOLD_SEPARATOR : FOLD_LETTER};
        size_t used = fold == CLOSER ? char_at(s, pos, &f) : 1;

        cursor->pos = pos;
        if (f.kind == FOLD_CJK) {
            begin_cjk(cursor, f.c[0], used, word, len);
            return true;
        }
        if (f.kind == FOLD_LETTER) {
            cursor->start = pos;
            *len = 0;
            finish_word(cursor, word, len);
            return true;
        }
        pos += used;
    }
    cursor->pos = pos;
    return false;
}
