#include "cluster/addresses.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "cluster/cluster_parts.h"

#include <inttypes.h>

/* Stamp and number of addresses, in 8 bytes each, then the bits. 7 of them an address: 0.8 % say "yes" wrongly. */
enum { HEAD = 16, BITS_EACH = 10, PROBES = 7 };
#define STAMP_SEED UINT64_C(0x616464726573736F)

/* Bytes for the bits of so many addresses. */
static size_t size_for(uint64_t count)
{
    uint64_t most = (ADDRESSES_MAX - HEAD) / 8;
    uint64_t words = count >= most * 64 / BITS_EACH ? most : count * BITS_EACH / 64 + 1;

    return (size_t)words * 8;
}

static uint64_t bit_of(uint64_t hash, unsigned probe, uint64_t nbits)
{
    return hash_mix(hash, probe) % nbits;
}

void addresses_make(const uint64_t *hashes, size_t count, struct buf *out)
{
    size_t size = size_for(count);
    struct buf head;

    buf_clear(out);
    bytes_put(out, 0, 8); /* for the stamp */
    bytes_put(out, count, 8);
    for (size_t i = 0; i < size; i += 8)
        bytes_put(out, 0, 8);
    SCENT_BUG_IF(out->failed);
    for (size_t i = 0; i < count; i++)
        for (unsigned probe = 0; probe < PROBES; probe++) {
            uint64_t bit = bit_of(hashes[i], probe, size * 8);

            out->p[HEAD + bit / 8] = (char)(out->p[HEAD + bit / 8] | 1 << bit % 8);
        }
    buf_init(&head, 0);
    bytes_put(&head, hash_bytes(out->p + 8, out->len - 8, STAMP_SEED), 8);
    SCENT_BUG_IF(head.failed);
    memcpy(out->p, head.p, 8);
    buf_release(&head);
}

static uint64_t count_bits(struct str bits)
{
    uint64_t count = 0;

    for (size_t i = 0; i + 8 <= bits.len; i += 8) {
        uint64_t word;

        memcpy(&word, bits.p + i, sizeof word);
        count += (uint64_t)__builtin_popcountll(word);
    }
    return count;
}

bool addresses_is_filter(struct str filter)
{
    struct bytes in = bytes_of(filter);
    uint64_t stamp = bytes_get(&in, 8), count = bytes_get(&in, 8);
    struct str bits = {(const char *)in.p, bytes_left(&in)};

    return !in.wrong && bits.len == size_for(count) &&
           stamp == hash_bytes(filter.p + 8, filter.len - 8, STAMP_SEED) &&
           (count > UINT64_MAX / PROBES || count_bits(bits) <= count * PROBES);
}

uint64_t addresses_stamp(struct str filter)
{
    struct bytes in = bytes_of(filter);

    return bytes_get(&in, 8);
}

bool addresses_have(struct str filter, uint64_t hash)
{
    uint64_t nbits = (filter.len - HEAD) * 8;

    for (unsigned probe = 0; probe < PROBES; probe++) {
        uint64_t bit = bit_of(hash, probe, nbits);

        if (!(filter.p[HEAD + bit / 8] & 1 << bit % 8))
            return false;
    }
    return true;
}

/* ---- with the server ---- */

/* Only what has changed comes back: the stamp stands at the beginning of the value, and is read without the rest. */
static scent_status tell_and_ask(struct cluster *cluster, struct str own, const struct addresses_peer *known,
                                 size_t nknown, struct pq_rows **out, struct errmsg *err)
{
    struct pq_value crawl = NUMBER((uint64_t)cluster->crawl), worker = NUMBER(cluster->worker);
    struct buf ids, stamps;
    scent_status status = SCENT_OK;

    if (own.len)
        SCENT_TRY(pq_run(cluster->pq, "UPDATE worker SET ips = $3 WHERE crawl = $1 AND id = $2",
                         (struct pq_value[]){crawl, worker, PQ_BYTES(own)}, 3, NULL, err));
    buf_init(&ids, 0);
    buf_init(&stamps, 0);
    for (size_t i = 0; i < nknown; i++) {
        buf_printf(&ids, "%c%" PRIu64, i ? ',' : '{', known[i].worker);
        buf_printf(&stamps, "%c", i ? ',' : '{');
        for (int byte = 0; byte < 8; byte++)
            buf_printf(&stamps, "%02x", (unsigned)(known[i].stamp >> 8 * byte & 0xFF));
    }
    buf_addz(&ids, nknown ? "}" : "{}");
    buf_addz(&stamps, nknown ? "}" : "{}");
    if (ids.failed || stamps.failed)
        status = errmsg_no_memory(err);
    else
        status = pq_run(cluster->pq,
                        "SELECT worker.id, substring(ips FOR 8),"
                        " CASE WHEN known.stamp = encode(substring(ips FOR 8), 'hex') THEN '' ELSE ips END"
                        " FROM worker LEFT JOIN unnest($3::bigint[], $4::text[]) AS known(id, stamp)"
                        "  ON known.id = worker.id"
                        " WHERE crawl = $1 AND worker.id <> $2 AND lease_until > clock_timestamp()"
                        "  AND octet_length(ips) <= $5 ORDER BY worker.id",
                        (struct pq_value[]){crawl, worker, PQ_TEXT(buf_z(&ids)), PQ_TEXT(buf_z(&stamps)),
                                            NUMBER(ADDRESSES_MAX)},
                        5, out, err);
    buf_release(&ids);
    buf_release(&stamps);
    return status;
}

scent_status addresses_exchange(struct cluster *cluster, struct str own, const struct addresses_peer *known,
                                size_t nknown, addresses_fn *fn, void *ctx, struct errmsg *err)
{
    struct pq_rows *rows;
    size_t all = 0;
    scent_status status = tell_and_ask(cluster, own, known, nknown, &rows, err);

    if (status != SCENT_OK)
        return cluster_give_up(cluster, status);
    for (int i = 0; i < pq_count(rows); i++) {
        struct str filter = pq_str(rows, i, 2);
        struct addresses_peer peer = {pq_u64(rows, i, 0), addresses_stamp(pq_str(rows, i, 1))};

        all += filter.len;
        if (all > ADDRESSES_ALL_MAX || (filter.len && !addresses_is_filter(filter)))
            log_line(cluster->log, LOG_WARN, "the addresses of another worker are left out: they are damaged or too "
                     "many");
        else
            fn(ctx, peer, filter);
    }
    pq_rows_free(rows);
    return SCENT_OK;
}
