#include "text/fold.h"
#include "text/text.h"

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
