/* SHA-1, SHA-256, SHA-512 and MD5 from OpenSSL, spelled in base32, base64 or hexadecimal. */
#include "warc/digest.h"

#include "base/escape.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

enum { SHA1_LEN = 20, TEXT_MAX = 2 * EVP_MAX_MD_SIZE + 1 };

static size_t hash(const EVP_MD *md, struct str a, struct str b, unsigned char out[EVP_MAX_MD_SIZE])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned len = 0;
    bool ok = ctx && EVP_DigestInit_ex(ctx, md, NULL) && EVP_DigestUpdate(ctx, a.p, a.len) &&
              EVP_DigestUpdate(ctx, b.p, b.len) && EVP_DigestFinal_ex(ctx, out, &len);

    SCENT_BUG_IF(!ok);
    EVP_MD_CTX_free(ctx);
    return len;
}

/* RFC 4648 section 6, without padding; `out` holds len * 8 / 5 + 2 bytes. */
static size_t base32(const unsigned char *p, size_t len, char *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    unsigned bits = 0, held = 0;
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        bits = bits << 8 | p[i];
        for (held += 8; held >= 5; held -= 5)
            out[n++] = letters[bits >> (held - 5) & 31];
    }
    if (held)
        out[n++] = letters[bits << (5 - held) & 31];
    out[n] = 0;
    return n;
}

void digest_sha1(struct str a, struct str b, char out[DIGEST_BASE32])
{
    unsigned char raw[EVP_MAX_MD_SIZE];

    SCENT_BUG_IF(hash(EVP_sha1(), a, b, raw) != SHA1_LEN);
    SCENT_BUG_IF(base32(raw, SHA1_LEN, out) != DIGEST_BASE32 - 1);
}

static const EVP_MD *algorithm(struct str name)
{
    if (str_eq_nocase(name, STR("sha1")) || str_eq_nocase(name, STR("sha-1")))
        return EVP_sha1();
    if (str_eq_nocase(name, STR("sha256")) || str_eq_nocase(name, STR("sha-256")))
        return EVP_sha256();
    if (str_eq_nocase(name, STR("sha512")) || str_eq_nocase(name, STR("sha-512")))
        return EVP_sha512();
    if (str_eq_nocase(name, STR("md5")))
        return EVP_md5();
    return NULL;
}

static struct str without_padding(struct str s)
{
    while (s.len && s.p[s.len - 1] == '=')
        s.len--;
    return s;
}

/* Base64 in either alphabet (RFC 4648 sections 4 and 5). */
static bool eq_base64(struct str stated, const unsigned char *raw, size_t len)
{
    unsigned char text[TEXT_MAX];
    size_t n = (size_t)EVP_EncodeBlock(text, raw, (int)len);
    struct str ours = without_padding((struct str){(const char *)text, n});

    if (stated.len != ours.len)
        return false;
    for (size_t i = 0; i < stated.len; i++) {
        char c = stated.p[i] == '-' ? '+' : stated.p[i] == '_' ? '/' : stated.p[i];

        if (c != ours.p[i])
            return false;
    }
    return true;
}

bool digest_matches(struct str stated, struct str data, bool *known)
{
    unsigned char raw[EVP_MAX_MD_SIZE];
    char text[TEXT_MAX];
    struct str name, value = stated;
    const EVP_MD *md;
    size_t len, n;

    *known = false;
    if (!str_split(&value, ':', &name) || !(md = algorithm(str_trim(name))))
        return false;
    value = without_padding(str_trim(value));
    len = hash(md, data, STR_NONE, raw);
    /* The length tells the spelling: 4, 5 and 6 bits a letter. */
    *known = value.len == len * 2 || value.len == (len * 8 + 4) / 5 || value.len == (len * 8 + 5) / 6;
    if (value.len == len * 2) {
        escape_hex(raw, len, text);
        return str_eq_nocase(value, (struct str){text, len * 2});
    }
    n = base32(raw, len, text);
    return str_eq_nocase(value, (struct str){text, n}) || eq_base64(value, raw, len);
}

void digest_keyed(struct str key, struct str data, unsigned char out[DIGEST_KEYED])
{
    /* An empty key may be no pointer, which HMAC() would take for the key of the time before. */
    const void *key_p = key.len ? key.p : "", *data_p = data.len ? data.p : "";
    unsigned len = 0;

    SCENT_BUG_IF(!HMAC(EVP_sha256(), key_p, (int)key.len, data_p, data.len, out, &len) || len != DIGEST_KEYED);
}
