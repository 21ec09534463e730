#include "engine/steer_parts.h"

#include <math.h>

static void note_queued(uint32_t id, bool is_new, uint32_t host, const struct url *url, const struct candidate *candidate,
                        struct rows *rows)
{
    struct store_url row = admit_row(id, host, url->href, candidate, STORE_NO_PARENT, NULL);

    if (is_new)
        rows_add_url(rows, &row);
    else
        rows_change_url(rows, &row);
}

uint32_t steer_robots_host(const struct candidate *candidate)
{
    uint32_t host;

    memcpy(&host, candidate->own, sizeof host);
    return host;
}

scent_status steer_ask_robots(struct steer *steer, const struct url *url, uint32_t for_host, uint8_t redirects,
                              struct rows *rows, const char **refused)
{
    struct candidate candidate = {.priority = (float)INFINITY, .redirects = redirects, .flags = CANDIDATE_ROBOTS};
    uint32_t id, host;
    bool is_new;
    scent_status status = frontier_intern(steer->frontier, url_fingerprint(url->href, steer->key), &id, &is_new);

    *refused = redirects > STEER_MAX_REDIRECTS ? "too many redirects" : NULL;
    if (status != SCENT_OK || *refused)
        return status;
    memcpy(candidate.own, &for_host, sizeof for_host);
    switch (frontier_state(steer->frontier, id)) {
    case FRONTIER_IN_FLIGHT:
        *refused = "it is being fetched already";
        return SCENT_OK;
    case FRONTIER_QUEUED: /* somebody linked to it */
        frontier_drop(steer->frontier, id);
        /* fall through */
    case FRONTIER_DONE:
        frontier_reopen(steer->frontier, id);
        break;
    case FRONTIER_SEEN:
        break;
    }
    status = admit_host(steer, url, rows, &host);
    if (status == SCENT_OK)
        status = frontier_queue(steer->frontier, id, url->href, host, &candidate);
    if (status == SCENT_OK && rows)
        note_queued(id, is_new, host, url, &candidate, rows);
    return status;
}
