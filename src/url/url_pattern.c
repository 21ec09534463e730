/* One pass over path and query; runs of digits and ids become one byte each before the hash sees them. */
#include "url/url_pattern.h"

#include "base/hash.h"
#include "url/url_parts.h"

enum {
    HEX_MIN = 8,      /* hex digits of both kinds in a row are an id from here on */
    MIXED_MIN = 16,   /* letters and digits of any kind */
    UUID_LEN = 36,
    PARAMS_MAX = 64,  /* more are not looked at */
    NUMBER = '0',
    ID = '#'          /* cannot occur in a path or query */
};

static bool is_alnum(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c);
}

static bool is_uuid(struct str s)
{
    if (s.len < UUID_LEN || (s.len > UUID_LEN && is_alnum(s.p[UUID_LEN])))
        return false;
    for (size_t i = 0; i < UUID_LEN; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? s.p[i] != '-' : ascii_hex(s.p[i]) < 0)
            return false;
    }
    return true;
}

/* A run of letters and digits. */
struct run {
    size_t len, digits, hex;
};

static struct run run_at(struct str s)
{
    struct run run = {0};

    for (; run.len < s.len && is_alnum(s.p[run.len]); run.len++) {
        run.digits += ascii_is_digit(s.p[run.len]);
        run.hex += ascii_hex(s.p[run.len]) >= 0;
    }
    return run;
}

static bool is_id(const struct run *run)
{
    size_t letters = run->len - run->digits;

    return letters > 0 && ((run->len >= HEX_MIN && run->hex == run->len && run->digits >= 2) ||
                           (run->len >= MIXED_MIN && run->digits >= 2 && letters >= 2));
}

/* The run itself, each number in it as one digit. */
static size_t put_run(struct str run, char *out)
{
    size_t len = 0;

    for (size_t i = 0; i < run.len; i++)
        if (!ascii_is_digit(run.p[i]))
            out[len++] = run.p[i];
        else if (i == 0 || !ascii_is_digit(run.p[i - 1]))
            out[len++] = NUMBER;
    return len;
}

/* Writes the shape of `s`, which is never longer; its length. */
static size_t put_shape(struct str s, char *out)
{
    size_t len = 0;

    while (s.len) {
        struct run run = run_at(s);
        size_t taken = run.len;

        if (taken == 0) {
            out[len++] = s.p[0];
            taken = 1;
        } else if (run.hex >= HEX_MIN && is_uuid(s)) {
            out[len++] = ID;
            taken = UUID_LEN;
        } else if (is_id(&run)) {
            out[len++] = ID;
        } else if (run.digits) {
            len += put_run(str_sub(s, 0, taken), out + len);
        } else {
            memcpy(out + len, s.p, taken);
            len += taken;
        }
        s = str_sub(s, taken, s.len);
    }
    return len;
}

/* Where there is no digit the shape is the text. */
static uint64_t hash_shape(struct str s, char *scratch, uint64_t seed)
{
    bool digit = false;

    for (size_t i = 0; i < s.len; i++)
        digit |= ascii_is_digit(s.p[i]);
    return digit ? hash_bytes(scratch, put_shape(s, scratch), seed) : hash_str(s, seed);
}

static bool is_known(const uint64_t *names, size_t count, uint64_t name)
{
    for (size_t i = 0; i < count; i++)
        if (names[i] == name)
            return true;
    return false;
}

/* A sum of hashes, since the order does not count. */
static uint64_t hash_names(struct str query, char *scratch)
{
    uint64_t names[PARAMS_MAX], sum = 0;
    struct str part;
    size_t count = 0;

    while (count < PARAMS_MAX && str_split(&query, '&', &part)) {
        uint64_t name = hash_shape(str_sub(part, 0, str_find(part, '=')), scratch, 1);

        if (is_known(names, count, name))
            continue;
        names[count++] = name;
        sum += name;
    }
    return sum;
}

uint64_t url_pattern(const struct url *url, uint64_t key)
{
    char shape[SCENT_URL_MAX];
    struct str server = str_sub(url->href, url->host_start, url->path_start);
    uint64_t pattern = hash_str(server, key);

    pattern = hash_shape(url_path(url), shape, pattern);
    if (url->query_end > url->path_end)
        pattern = hash_mix(pattern, hash_names(url_query(url), shape));
    return pattern ? pattern : 1;
}
