#include "url/session.h"

#include "url/out.h"

enum { CLEAR_MIN = 8, VAGUE_MIN = 16, MD5_HEX = 32, ASP_MIN = 20, ASP_MAX = 32 };

struct shape {
    size_t letters, digits, hex, others;
};

static struct shape shape_of(struct str s)
{
    struct shape shape = {0};

    for (size_t i = 0; i < s.len; i++) {
        shape.letters += ascii_is_alpha(s.p[i]);
        shape.digits += ascii_is_digit(s.p[i]);
        shape.hex += ascii_hex(s.p[i]) >= 0;
        shape.others += !ascii_is_alpha(s.p[i]) && !ascii_is_digit(s.p[i]);
    }
    return shape;
}

static bool is_one_of(struct str name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(name, str_of(names[i])))
            return true;
    return false;
}

/* These names mean nothing else; an empty value, or one of some length, goes with them. */
static bool is_clear_name(struct str name)
{
    static const char *const names[] = {
        "jsessionid", "phpsessid", "phpsessionid", "sessionid", "session_id", "sessid", "cgisessid",
        "oscsid", "xtcsid", "zenid", "mscsid", "psession", "vsession",
    };

    return is_one_of(name, names, sizeof names / sizeof *names) || str_starts_nocase(name, STR("aspsessionid"));
}

static bool is_cold_fusion(struct str name)
{
    static const char *const names[] = {"cfid", "cftoken"};

    return is_one_of(name, names, sizeof names / sizeof *names);
}

/* These also name stories, searches and terms. */
static bool is_vague_name(struct str name)
{
    static const char *const names[] = {"sid", "sess", "session", "_sid", "ssid"};

    return is_one_of(name, names, sizeof names / sizeof *names);
}

bool session_in_param(struct str param)
{
    size_t equals = str_find(param, '=');
    struct str name = str_sub(param, 0, equals), value;
    struct shape shape;

    if (equals == param.len || equals > 40 || equals == 0)
        return false;
    value = str_sub(param, equals + 1, param.len);
    if (is_clear_name(name))
        return value.len == 0 || (value.len >= CLEAR_MIN && shape_of(value).digits > 0);
    if (is_cold_fusion(name))
        return shape_of(value).digits > 0;
    shape = shape_of(value);
    if (is_vague_name(name))
        return value.len >= VAGUE_MIN && shape.others == 0 && shape.digits >= 2 &&
               (shape.letters >= 2 || shape.hex == value.len);
    return str_eq_nocase(name, STR("s")) && value.len == MD5_HEX && shape.hex == MD5_HEX && shape.digits > 0;
}

/* "(S(lit3py55t21z5v55vlm25s55))": ASP.NET without cookies. */
static bool is_asp_segment(struct str s)
{
    struct shape shape;

    if (s.len < ASP_MIN + 5 || s.len > ASP_MAX + 5 || s.p[0] != '(' || s.p[2] != '(' || !str_ends(s, STR("))")) ||
        !ascii_is_alpha(s.p[1]))
        return false;
    shape = shape_of(str_sub(s, 3, s.len - 2));
    return shape.others == 0 && shape.digits > 0;
}

static size_t put(char *path, size_t at, struct str s)
{
    memmove(path + at, s.p, s.len);
    return at + s.len;
}

/* Writes the segment without its session parameters; the new end. */
static size_t put_segment(char *path, size_t at, struct str segment)
{
    struct str rest = segment, part;
    size_t end = at;

    for (bool first = true; str_split(&rest, ';', &part); first = false) {
        if (!first && session_in_param(part))
            continue;
        if (!first)
            path[end++] = ';';
        end = put(path, end, part);
    }
    return end;
}

/* "..;jsessionid=1" must not become "..", which is another place. */
static bool begins_with_dots(struct str segment)
{
    struct str name = str_sub(segment, 0, str_find(segment, ';'));

    return str_eq(name, STR(".")) || str_eq(name, STR(".."));
}

size_t session_strip_path(char *path, size_t len)
{
    struct str rest = {path + 1, len - 1}, segment;
    size_t end = 0;

    if (!memchr(path, ';', len) && !memchr(path, '(', len))
        return len;
    while (str_split(&rest, '/', &segment)) {
        size_t start = end;

        path[end++] = '/';
        end = begins_with_dots(segment) ? put(path, end, segment) : put_segment(path, end, segment);
        if (is_asp_segment((struct str){path + start + 1, end - start - 1}))
            end = start;
    }
    if (end == 0)
        path[end++] = '/';
    return end;
}
