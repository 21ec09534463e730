/* Labels, then bytes to UTF-8, then the choice of an encoding. */
#include "base/str.h"
#include "page/charset.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>
#include <uchardet/uchardet.h>

enum { SCAN_MAX = 4096, GUESS_MAX = 64 * 1024, LABEL_MAX = 40, CHUNK = 64 };

static const struct {
    const char *name;   /* lower case */
    const char *iconv;  /* glibc's name of what the standard means; NULL: decoded here */
    const char *labels; /* between spaces, each with a space before and after */
} encodings[] = {
    {"utf-8", NULL, " utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 "},
    {"windows-1252", NULL,
     " windows-1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 latin1 l1 iso-ir-100 ascii us-ascii "
     "ansi_x3.4-1968 cp1252 x-cp1252 cp819 ibm819 csisolatin1 x-user-defined "},
    {"iso-8859-2", "ISO-8859-2",
     " iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 latin2 l2 iso-ir-101 csisolatin2 "},
    {"iso-8859-3", "ISO-8859-3",
     " iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 latin3 l3 iso-ir-109 csisolatin3 "},
    {"iso-8859-4", "ISO-8859-4",
     " iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 latin4 l4 iso-ir-110 csisolatin4 "},
    {"iso-8859-5", "ISO-8859-5",
     " iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 cyrillic iso-ir-144 csisolatincyrillic "},
    {"iso-8859-6", "ISO-8859-6",
     " iso-8859-6 iso-8859-6-e iso-8859-6-i iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 arabic asmo-708 ecma-114 "
     "iso-ir-127 csiso88596e csiso88596i csisolatinarabic "},
    {"iso-8859-7", "ISO-8859-7",
     " iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 greek greek8 sun_eu_greek ecma-118 elot_928 iso-ir-126 "
     "csisolatingreek "},
    {"iso-8859-8", "ISO-8859-8",
     " iso-8859-8 iso-8859-8-e iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 hebrew visual iso-ir-138 csiso88598e "
     "csisolatinhebrew iso-8859-8-i csiso88598i logical "},
    {"iso-8859-10", "ISO-8859-10", " iso-8859-10 iso8859-10 iso885910 latin6 l6 iso-ir-157 csisolatin6 "},
    {"iso-8859-13", "ISO-8859-13", " iso-8859-13 iso8859-13 iso885913 "},
    {"iso-8859-14", "ISO-8859-14", " iso-8859-14 iso8859-14 iso885914 "},
    {"iso-8859-15", "ISO-8859-15", " iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 csisolatin9 "},
    {"iso-8859-16", "ISO-8859-16", " iso-8859-16 "},
    {"koi8-r", "KOI8-R", " koi8-r koi8_r koi8 koi cskoi8r "},
    {"koi8-u", "KOI8-U", " koi8-u koi8-ru "},
    {"ibm866", "CP866", " ibm866 866 cp866 csibm866 "},
    {"macintosh", "MACINTOSH", " macintosh mac x-mac-roman csmacintosh "},
    {"x-mac-cyrillic", "MAC-CYRILLIC", " x-mac-cyrillic x-mac-ukrainian "},
    {"windows-874", "CP874", " windows-874 tis-620 dos-874 iso-8859-11 iso8859-11 iso885911 "},
    {"windows-1250", "CP1250", " windows-1250 cp1250 x-cp1250 "},
    {"windows-1251", "CP1251", " windows-1251 cp1251 x-cp1251 "},
    {"windows-1253", "CP1253", " windows-1253 cp1253 x-cp1253 "},
    {"windows-1254", "CP1254",
     " windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 latin5 l5 iso-ir-148 "
     "csisolatin5 "},
    {"windows-1255", "CP1255", " windows-1255 cp1255 x-cp1255 "},
    {"windows-1256", "CP1256", " windows-1256 cp1256 x-cp1256 "},
    {"windows-1257", "CP1257", " windows-1257 cp1257 x-cp1257 "},
    {"windows-1258", "CP1258", " windows-1258 cp1258 x-cp1258 "},
    {"gbk", "GB18030", " gbk gb2312 gb_2312 gb_2312-80 chinese x-gbk iso-ir-58 csgb2312 csiso58gb231280 "},
    {"gb18030", "GB18030", " gb18030 "},
    {"big5", "BIG5-HKSCS", " big5 big5-hkscs cn-big5 x-x-big5 csbig5 "},
    {"euc-jp", "EUC-JP-MS", " euc-jp x-euc-jp cseucpkdfmtjapanese "},
    {"iso-2022-jp", "ISO-2022-JP", " iso-2022-jp csiso2022jp "},
    {"shift_jis", "CP932", " shift_jis shift-jis sjis x-sjis ms932 ms_kanji windows-31j csshiftjis "},
    {"euc-kr", "CP949",
     " euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 iso-ir-149 cseuckr csksc56011987 "},
    {"utf-16be", "UTF-16BE", " utf-16be unicodefffe "},
    {"utf-16le", "UTF-16LE", " utf-16le utf-16 unicode unicodefeff ucs-2 csunicode iso-10646-ucs-2 "},
};

enum { COUNT = sizeof encodings / sizeof *encodings };

struct charset {
    uchardet_t detector; /* made when first wanted */
    iconv_t iconv;       /* of `iconv_name`, kept from page to page; NULL: none */
    const char *iconv_name;
};

struct charset *charset_new(void)
{
    struct charset *charset = calloc(1, sizeof *charset);

    SCENT_BUG_IF(!charset);
    return charset;
}

void charset_free(struct charset *charset)
{
    if (!charset)
        return;
    if (charset->detector)
        uchardet_delete(charset->detector);
    if (charset->iconv)
        iconv_close(charset->iconv);
    free(charset);
}

/* ---- bytes to clean UTF-8 ---- */

/* ASCII that goes through as it is: white space (VT too: one range is quicker to test) and what is visible. */
static inline bool is_plain(unsigned char c)
{
    return (c >= 0x20 && c < 0x80) || (c >= '\t' && c <= '\r');
}

/* How many bytes at the start are plain ASCII. Whole chunks without a branch, so that the compiler uses vectors. */
static size_t plain_prefix(struct str s)
{
    size_t i = 0;

    if (s.len && !is_plain((unsigned char)s.p[0])) /* text of another script: one character after the other */
        return 0;
    for (; i + CHUNK <= s.len; i += CHUNK) {
        const unsigned char *p = (const unsigned char *)s.p + i;
        unsigned char bad = 0;

        for (size_t j = 0; j < CHUNK; j++)
            bad |= (unsigned char)(((signed char)p[j] < 0x20) & ((unsigned char)(p[j] - '\t') > '\r' - '\t'));
        if (bad)
            break;
    }
    while (i < s.len && is_plain((unsigned char)s.p[i]))
        i++;
    return i;
}

/* The length of the character at the start if it may stay, 0 if not. */
static size_t clean_sequence(struct str s)
{
    size_t len = utf8_sequence(s);

    if (len == 1 && !is_plain((unsigned char)s.p[0]))
        return 0;
    if (len == 3 && memcmp(s.p, "\xEF\xBF", 2) == 0 && ((unsigned char)s.p[2] & 0xFE) == 0xBE)
        return 0;
    return len;
}

static size_t clean_prefix(struct str s)
{
    size_t i = 0, len;

    do {
        i += plain_prefix(str_sub(s, i, s.len));
        len = i < s.len ? clean_sequence(str_sub(s, i, s.len)) : 0;
        i += len;
    } while (len);
    return i;
}

bool charset_is_utf8(struct str s)
{
    size_t i = 0;

    while (i < s.len) {
        size_t len;

        i += plain_prefix(str_sub(s, i, s.len));
        len = i < s.len ? utf8_sequence(str_sub(s, i, s.len)) : 0;
        if (!len)
            return i == s.len || (s.len - i < 4 && utf8_bad_prefix(str_sub(s, i, s.len)) == s.len - i);
        i += len;
    }
    return true;
}

static scent_status decode_utf8(struct str in, struct buf *room, struct str *out)
{
    size_t i = clean_prefix(in);

    if (i == in.len) {
        *out = in;
        return SCENT_OK;
    }
    buf_add(room, str_sub(in, 0, i));
    while (i < in.len) {
        struct str rest = str_sub(in, i, in.len);
        size_t len = utf8_sequence(rest);

        if (len == 1) { /* a control character */
            if (in.p[i])
                buf_addc(room, ' ');
        } else {
            buf_addz(room, UTF8_REPLACEMENT);
            len = len ? len : utf8_bad_prefix(rest);
        }
        i += len;
        rest = str_sub(in, i, in.len);
        rest.len = clean_prefix(rest);
        buf_add(room, rest);
        i += rest.len;
    }
    *out = buf_str(room);
    return room->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* 0x80 to 0x9F; the five that Microsoft left out are control characters, as the standard says. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
    0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0x009D, 0x017E, 0x0178,
};

uint32_t charset_windows_1252(unsigned char byte)
{
    return byte >= 0x80 && byte < 0xA0 ? windows_1252[byte - 0x80] : byte;
}

static scent_status decode_windows_1252(struct str in, struct buf *room, struct str *out)
{
    size_t i = plain_prefix(in);

    if (i == in.len) {
        *out = in;
        return SCENT_OK;
    }
    buf_add(room, str_sub(in, 0, i));
    while (i < in.len) {
        struct str rest;

        if (in.p[i]) {
            unsigned char byte = (unsigned char)in.p[i];
            char utf8[4];

            buf_add(room, (struct str){utf8, utf8_encode(byte < 0x80 ? ' ' : charset_windows_1252(byte), utf8)});
        }
        i++;
        rest = str_sub(in, i, in.len);
        rest.len = plain_prefix(rest);
        buf_add(room, rest);
        i += rest.len;
    }
    *out = buf_str(room);
    return room->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static bool open_iconv(struct charset *charset, const char *name)
{
    iconv_t opened;

    if (charset->iconv && strcmp(charset->iconv_name, name) == 0) {
        iconv(charset->iconv, NULL, NULL, NULL, NULL);
        return true;
    }
    opened = iconv_open("UTF-8", name);
    if (opened == (iconv_t)-1)
        return false;
    if (charset->iconv)
        iconv_close(charset->iconv);
    charset->iconv = opened;
    charset->iconv_name = name;
    return true;
}

static bool run_iconv(iconv_t cd, struct str in, struct buf *room)
{
    char *p = (char *)(uintptr_t)in.p; /* iconv does not write there */
    size_t left = in.len;

    while (left) {
        char *to;
        size_t to_left, done;

        if (!buf_reserve(room, left + left / 2 + CHUNK))
            return false;
        to = room->p + room->len;
        to_left = room->room - room->len - 1;
        done = iconv(cd, &p, &left, &to, &to_left);
        room->len = (size_t)(to - room->p);
        if (done == (size_t)-1 && errno != E2BIG) {
            buf_addz(room, UTF8_REPLACEMENT);
            p++;
            left--;
        }
    }
    return !room->failed;
}

/* In place: what iconv leaves is well formed, so that only controls and U+FFFE, U+FFFF remain. */
static void clean_in_place(struct buf *room)
{
    struct str s = buf_str(room);
    size_t i = clean_prefix(s), n = i;

    while (i < s.len) {
        size_t clean, bad = utf8_sequence(str_sub(s, i, s.len)); /* 1 or 3 bytes */

        if (s.p[i]) {
            memcpy(room->p + n, bad == 3 ? UTF8_REPLACEMENT : "   ", bad);
            n += bad;
        }
        i += bad;
        clean = clean_prefix(str_sub(s, i, s.len));
        memmove(room->p + n, s.p + i, clean);
        n += clean;
        i += clean;
    }
    room->len = n;
}

static scent_status decode_iconv(struct charset *charset, const char *name, struct str in, struct buf *room,
                                 struct str *out)
{
    if (!open_iconv(charset, name)) /* glibc's converters are not installed: ASCII is saved at least */
        return decode_utf8(in, room, out);
    if (!run_iconv(charset->iconv, in, room))
        return SCENT_E_NOMEM;
    clean_in_place(room);
    *out = buf_str(room);
    return SCENT_OK;
}

scent_status charset_decode(struct charset *charset, struct str name, struct str body, struct buf *room,
                            struct str *out)
{
    const char *iconv_name = NULL;

    *out = body;
    if (!body.len)
        return SCENT_OK;
    buf_clear(room);
    for (unsigned i = 0; i < COUNT; i++)
        if (str_eq(name, str_of(encodings[i].name)))
            iconv_name = encodings[i].iconv;
    if (iconv_name)
        return decode_iconv(charset, iconv_name, body, room, out);
    if (str_eq(name, STR("windows-1252")))
        return decode_windows_1252(body, room, out);
    return decode_utf8(body, room, out);
}

/* ---- which encoding ---- */

struct str charset_find(struct str label)
{
    char key[LABEL_MAX + 3];

    label = str_trim(label);
    if (str_eq_nocase(label, STR("utf-8")))
        return STR("utf-8");
    if (label.len == 0 || label.len > LABEL_MAX || str_find(label, ' ') < label.len)
        return STR_NONE;
    key[0] = ' ';
    for (size_t i = 0; i < label.len; i++)
        key[i + 1] = ascii_lower(label.p[i]);
    key[label.len + 1] = ' ';
    key[label.len + 2] = 0;
    for (unsigned i = 0; i < COUNT; i++)
        if (strstr(encodings[i].labels, key))
            return str_of(encodings[i].name);
    return STR_NONE;
}

/* The position after the next `word` at or after `pos`, without regard to case; s.len when there is none. */
static size_t after_word(struct str s, size_t pos, struct str word)
{
    for (; pos + word.len <= s.len; pos++)
        if (str_starts_nocase(str_sub(s, pos, s.len), word))
            return pos + word.len;
    return s.len;
}

/* The value after `name` and "=", in quotes or up to a delimiter. */
static struct str value_of(struct str s, struct str name)
{
    size_t pos = 0, end;
    char quote;

    while ((pos = after_word(s, pos, name)) < s.len) {
        while (pos < s.len && ascii_is_space(s.p[pos]))
            pos++;
        if (pos < s.len && s.p[pos] == '=')
            break;
    }
    if (pos >= s.len)
        return STR_NONE;
    pos++;
    while (pos < s.len && ascii_is_space(s.p[pos]))
        pos++;
    quote = pos < s.len && (s.p[pos] == '"' || s.p[pos] == '\'') ? s.p[pos] : 0;
    pos += quote != 0;
    for (end = pos; end < s.len; end++)
        if (quote ? s.p[end] == quote : ascii_is_space(s.p[end]) || strchr(";,\"'>/?", s.p[end]))
            break;
    return str_trim(str_sub(s, pos, end));
}

struct str charset_parameter(struct str content_type)
{
    return value_of(content_type, STR("charset"));
}

/* One <meta …> that names a charset, directly or in its content. */
static struct str name_in_meta(struct str meta)
{
    struct str name = charset_find(value_of(meta, STR("charset")));

    /* Read as ASCII so far: it cannot be UTF-16, whatever it says. */
    return str_starts(name, STR("utf-16")) ? STR("utf-8") : name;
}

/* The document's own word: <?xml encoding= or the first <meta> with a known charset; comments do not count. */
static struct str name_in_document(struct str body)
{
    struct str s = str_sub(body, 0, body.len < SCAN_MAX ? body.len : SCAN_MAX);
    size_t pos = 0;

    if (str_starts(s, STR("<?xml"))) {
        struct str declaration = str_sub(s, 0, str_find(s, '>'));
        struct str name = charset_find(value_of(declaration, STR("encoding")));

        if (name.p)
            return str_starts(name, STR("utf-16")) ? STR("utf-8") : name;
    }
    while ((pos += str_find(str_sub(s, pos, s.len), '<')) < s.len) {
        struct str rest = str_sub(s, pos, s.len);

        if (str_starts(rest, STR("<!--"))) {
            pos = after_word(s, pos + 2, STR("-->"));
        } else if (str_starts_nocase(rest, STR("<meta"))) {
            struct str name = name_in_meta(str_sub(rest, 0, str_find(rest, '>')));

            if (name.p)
                return name;
            pos += 5;
        } else {
            pos++;
        }
    }
    return STR_NONE;
}

static struct str guess(struct charset *charset, struct str body)
{
    struct str sample = str_sub(body, 0, body.len < GUESS_MAX ? body.len : GUESS_MAX);
    struct str name;

    if (charset_is_utf8(sample))
        return STR("utf-8");
    if (!charset->detector)
        charset->detector = uchardet_new();
    uchardet_reset(charset->detector);
    if (uchardet_handle_data(charset->detector, sample.p, sample.len) != 0)
        return STR("windows-1252");
    uchardet_data_end(charset->detector);
    name = charset_find(str_of(uchardet_get_charset(charset->detector)));
    return name.p ? name : STR("windows-1252");
}

struct charset_choice charset_choose(struct charset *charset, struct str content_type, struct str body)
{
    struct str name;

    if (str_starts(body, STR("\xEF\xBB\xBF")))
        return (struct charset_choice){STR("utf-8"), 3};
    if (str_starts(body, STR("\xFE\xFF")))
        return (struct charset_choice){STR("utf-16be"), 2};
    if (str_starts(body, STR("\xFF\xFE")))
        return (struct charset_choice){STR("utf-16le"), 2};
    name = charset_find(charset_parameter(content_type));
    if (!name.p)
        name = name_in_document(body);
    if (!name.p)
        name = guess(charset, body);
    return (struct charset_choice){name, 0};
}
