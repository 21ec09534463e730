#include "page/charset.h"
#include "base/utf8.h"
#include "page/charset_labels.h"
#include "page/decode.h"

#include <stdlib.h>
#include <uchardet/uchardet.h>

enum { SCAN_MAX = 4096, GUESS_MAX = 64 * 1024, LABEL_MAX = 40 };

struct charset {
    uchardet_t detector; /* made when first wanted */
    struct decode decode;
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
    decode_release(&charset->decode);
    free(charset);
}

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
    for (unsigned i = 0; i < charset_labels_count; i++)
        if (strstr(charset_labels[i].labels, key))
            return str_of(charset_labels[i].name);
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

    if (decode_is_utf8(sample))
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

scent_status charset_decode(struct charset *charset, struct str name, struct str body, struct buf *room,
                            struct str *out)
{
    const char *iconv_name = NULL;

    *out = body;
    if (!body.len)
        return SCENT_OK;
    buf_clear(room);
    for (unsigned i = 0; i < charset_labels_count; i++)
        if (str_eq(name, str_of(charset_labels[i].name)))
            iconv_name = charset_labels[i].iconv;
    if (iconv_name)
        return decode_iconv(&charset->decode, iconv_name, body, room, out);
    if (str_eq(name, STR("windows-1252")))
        return decode_windows_1252(body, room, out);
    return decode_utf8(body, room, out);
}
