#include "engine/purge_parts.h"

static bool is_name_char(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c) || c == '-' || c == '.' || c == '_';
}

static bool is_url_char(char c)
{
    return is_name_char(c) || (c && strchr("~%/?#&=+:@!$*;", c));
}

/* Does the name stand by itself at `at`? */
static bool stands_alone(struct str text, size_t at, size_t len, bool is_host)
{
    char before = at ? text.p[at - 1] : ' ';
    char after = at + len < text.len ? text.p[at + len] : ' ';

    if (is_name_char(before))
        return false;
    return is_host ? !is_name_char(after) : !is_url_char(after);
}

scent_status purge_replace(struct str text, struct str name, bool is_host, struct buf *out, size_t *hits)
{
    const struct str instead = is_host ? STR("purged.invalid") : STR("http://purged.invalid/");

    for (size_t i = 0; i < text.len;) {
        if (name.len && str_starts_nocase(str_sub(text, i, text.len), name) &&
            stands_alone(text, i, name.len, is_host)) {
            buf_add(out, instead);
            i += name.len;
            ++*hits;
        } else {
            buf_addc(out, text.p[i++]);
        }
    }
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}
