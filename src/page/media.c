#include "page/media.h"

enum { LOOKED_AT = 1024 };

static bool begins_as_binary(struct str body)
{
    static const struct {
        size_t at;
        struct str bytes;
    } magics[] = {
        {0, STR("\x89PNG")},     {0, STR("GIF8")},        {0, STR("\xFF\xD8\xFF")}, {0, STR("PK\x03\x04")},
        {0, STR("\x1F\x8B\x08")}, {0, STR("OggS\0")},     {0, STR("\x7F" "ELF")},   {0, STR("BZh9")},
        {0, STR("7z\xBC\xAF")},  {0, STR("\xFD" "7zXZ")}, {0, STR("wOFF\0")},       {0, STR("wOF2\0")},
        {0, STR("\0\0\x01\0")},  {0, STR("ID3\x03")},     {0, STR("ID3\x04")},      {0, STR("II*\0")},
        {0, STR("MM\0*")},       {0, STR("fLaC\0")},      {0, STR("Rar!\x1A")},     {0, STR("\0asm")},
        {4, STR("ftyp")},        {8, STR("WEBPVP")},      {8, STR("WAVEfmt")},      {257, STR("ustar")},
        {0, STR("\xD0\xCF\x11\xE0")}, {0, STR("(\xB5/\xFD")},
    };

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (body.len >= magics[i].at && str_starts(str_sub(body, magics[i].at, body.len), magics[i].bytes))
            return true;
    return false;
}

/* Control characters that no text has; that of UTF-16 and UTF-32, which begins with a mark, has zeros. */
static bool has_binary_bytes(struct str body)
{
    if (str_starts(body, STR("\xFF\xFE")) || str_starts(body, STR("\xFE\xFF")) || str_starts(body, STR("\0\0\xFE\xFF")))
        return false;
    for (size_t i = 0; i < body.len && i < LOOKED_AT; i++) {
        unsigned char c = (unsigned char)body.p[i];

        if (c <= 0x08 || c == 0x0B || (c >= 0x0E && c <= 0x1A) || (c >= 0x1C && c <= 0x1F))
            return true;
    }
    return false;
}

static bool is_pdf(struct str body)
{
    return body.len && memmem(body.p, body.len < LOOKED_AT ? body.len : LOOKED_AT, "%PDF-", 5) != NULL;
}

static bool is_html(struct str mime)
{
    return str_eq(mime, STR("text/html")) || str_eq(mime, STR("application/xhtml+xml"));
}

/* The types of programs that are text all the same. */
static bool is_text_of_programs(struct str mime)
{
    return str_ends(mime, STR("xml")) || str_ends(mime, STR("json")) || str_ends(mime, STR("javascript")) ||
           str_ends(mime, STR("yaml"));
}

enum media media_of(struct str mime, struct str body, struct str content_type)
{
    static const struct str binary[] = {STR("image/"), STR("audio/"), STR("video/"), STR("font/"), STR("application/")};

    if (str_starts(body, STR("%PDF-")))
        return MEDIA_PDF;
    if (str_eq(mime, STR("application/pdf")))
        return is_pdf(body) ? MEDIA_PDF : MEDIA_BINARY;
    if (begins_as_binary(body))
        return MEDIA_BINARY;
    if (is_html(mime) || is_text_of_programs(mime))
        return MEDIA_TEXT;
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++)
        if (str_starts(mime, binary[i]))
            return MEDIA_BINARY;
    /* with a charset it was somebody's text; that of UTF-16 has zeros */
    return content_type.len == mime.len && has_binary_bytes(body) ? MEDIA_BINARY : MEDIA_TEXT;
}
