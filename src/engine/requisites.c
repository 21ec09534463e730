#include "engine/requisites.h"

#include "base/vec.h"
#include "crawldir/reread.h"
#include "engine/crawl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_REDIRECTS = 10 };

void requisites_open(struct crawl *crawl)
{
    if (crawl->topic->requisites.of)
        crawl->requisites.duplicates = duplicates_new(crawl->key);
}

void requisites_release(struct crawl *crawl)
{
    duplicates_free(crawl->requisites.duplicates);
}

/* ---- in an analyst ---- */

bool requisites_are_wanted(const struct topic *topic, const struct visit *visit)
{
    /* A page that is not kept, or not shown, is never replayed. */
    return topic->requisites.of && visit->result == VISIT_PAGE &&
           !(visit->directives & (PAGE_NOARCHIVE | PAGE_NOINDEX)) &&
           (topic->requisites.of == TOPIC_REQUISITES_ALL || visit->judgement.relevant);
}

bool requisites_look(const struct topic *topic, struct references *references, struct job *job)
{
    struct visit *visit = &job->visit;
    bool is_page = visit->result == VISIT_PAGE;
    struct references_input input = {
        .url = &visit->url,
        .head = buf_str(&visit->exchange->head),
        .body = buf_str(&visit->exchange->body),
        .kind = is_page ? REFERENCES_FRAME : (enum references_kind)steer_requisite_of(&visit->at).kind,
        .max_bytes = is_page ? topic->limits.page_bytes : topic->requisites.bytes,
        .most = topic->requisites.count,
    };

    if (!is_page && visit->at.candidate.depth >= REQUISITES_LEVELS)
        return true;
    visit->looked = true;
    return references_find(references, &input, &job->arena, &visit->requisites) == SCENT_OK;
}

/* ---- queueing ---- */

static void count_queued(struct requisites *requisites, bool first)
{
    ++*(first ? &requisites->raised : &requisites->waiting);
}

static scent_status ask(struct crawl *crawl, const struct url *url, const struct steer_requisite *requisite,
                        uint64_t page, struct rows *rows)
{
    struct store_requisite row = {.page = page};
    bool is_new, queued;

    SCENT_TRY(steer_ask_requisite(crawl->steer, url, requisite, rows, &row.url, &is_new, &queued));
    crawl->requisites.known += is_new;
    if (queued)
        count_queued(&crawl->requisites, requisite->first);
    ROWS_ADD(rows, requisites, row);
    return rows->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status ask_all(struct crawl *crawl, const struct references_found *found, struct steer_requisite requisite,
                            uint64_t page, struct rows *rows)
{
    requisite.first = requisite.first || crawl->requisites.last;
    requisite.redirects = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        requisite.kind = (uint8_t)found->items[i].kind;
        SCENT_TRY(ask(crawl, &found->items[i].url, &requisite, page, rows));
    }
    return SCENT_OK;
}

static void raise_waiting(struct requisites *requisites, struct steer *steer)
{
    requisites->pages = 0;
    if (!requisites->waiting)
        return;
    steer_raise_requisites(steer);
    requisites->raised += requisites->waiting;
    requisites->waiting = 0;
}

static scent_status queue_of_page(struct crawl *crawl, const struct references_found *found, uint32_t url,
                                  uint64_t page, struct rows *rows)
{
    struct store_requisite none = {.page = page, .url = STORE_NO_URL};

    if (!found->count)
        ROWS_ADD(rows, requisites, none);
    return ask_all(crawl, found, (struct steer_requisite){.found_on = url, .level = 1}, page, rows);
}

scent_status requisites_queue(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;
    struct requisites *requisites = &crawl->requisites;

    if (!visit->looked)
        return SCENT_OK;
    SCENT_TRY(queue_of_page(crawl, &visit->requisites, visit->at.id, visit->row.number, &job->rows));
    if (visit->requisites.count && ++requisites->pages >= REQUISITES_TURN && !crawl->topic->window)
        raise_waiting(requisites, crawl->steer);
    return SCENT_OK;
}

bool requisites_go_on(struct crawl *crawl)
{
    crawl->requisites.last = crawl->requisites.duplicates != NULL;
    raise_waiting(&crawl->requisites, crawl->steer);
    return crawl->requisites.raised > 0;
}

/* ---- visits ---- */

void requisites_lose(struct crawl *crawl, const struct candidate *candidate)
{
    if (candidate_is_requisite(candidate))
        --*(candidate->priority > 0 ? &crawl->requisites.raised : &crawl->requisites.waiting);
}

void requisites_refuse(struct crawl *crawl, const struct frontier_taken *taken, enum store_url_state state,
                       struct str why, struct rows *rows)
{
    requisites_lose(crawl, &taken->candidate);
    steer_refuse(crawl->steer, taken, state, why, rows);
}

const char *requisites_used_up(const struct crawl *crawl)
{
    uint64_t limit = crawl->topic->requisites.total_bytes;

    return limit && crawl->requisites.bytes >= limit ? "requisites.total_bytes is reached" : NULL;
}

/* Equal bytes are kept once, whether a page or a requisite had them first. */
static scent_status apply_file(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;
    struct requisites *requisites = &crawl->requisites;
    struct steer_requisite next = steer_requisite_of(&visit->at);
    uint32_t original;

    outcome_fill_row(crawl, job);
    outcome_note_state(job, STORE_FETCHED, STR_NONE);
    requisites->bytes += visit->bytes;
    if (visit->bytes && visit->exchange->cut == FETCH_WHOLE) {
        struct str digest = str_of(visit->digest);

        if (duplicates_find_copy(requisites->duplicates, digest, visit->directives, &original) ||
            duplicates_find_copy(crawl->duplicates, digest, visit->directives, &original))
            visit->row.duplicate_of = original;
        else
            SCENT_TRY(duplicates_know(requisites->duplicates, &visit->row));
    }
    next.level++;
    return visit->looked ? ask_all(crawl, &visit->requisites, next, visit->row.number, &job->rows) : SCENT_OK;
}

static scent_status apply_redirect(struct crawl *crawl, struct job *job)
{
    struct visit *visit = &job->visit;
    struct steer_requisite next = steer_requisite_of(&visit->at);

    outcome_fill_row(crawl, job);
    outcome_note_state(job, STORE_REDIRECTED, STR_NONE);
    if (++next.redirects > MAX_REDIRECTS)
        return SCENT_OK;
    return ask(crawl, &visit->target, &next, visit->row.number, &job->rows);
}

scent_status requisites_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    struct visit *visit = &job->visit;
    scent_status status = SCENT_OK;

    crawl->requisites.raised--;
    switch (visit->result) {
    case VISIT_REQUISITE:
        status = apply_file(crawl, job);
        break;
    case VISIT_REDIRECT:
        status = apply_redirect(crawl, job);
        break;
    default:
        if (visit->records.len)
            outcome_fill_row(crawl, job);
        outcome_note_state(job, visit->result == VISIT_UNWANTED ? STORE_DROPPED : STORE_FAILED, str_of(visit->error));
        break;
    }
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "out of memory for requisites");
}

/* ---- restart ---- */

bool requisites_restore_url(struct crawl *crawl, const struct store_url *row)
{
    if (!crawl->requisites.duplicates)
        return false;
    crawl->requisites.known++;
    crawl->requisites.waiting += row->state == STORE_QUEUED;
    return true;
}

scent_status requisites_restore_page(struct crawl *crawl, const struct store_page *row)
{
    if (!crawl->requisites.duplicates || row->status / 100 != 2)
        return SCENT_OK;
    crawl->requisites.bytes += row->bytes;
    return row->duplicate_of || !row->digest.len ? SCENT_OK : duplicates_know(crawl->requisites.duplicates, row);
}

/* ---- pages whose requisites nobody has looked for ---- */

struct catch_up {
    struct crawl *crawl;
    uint64_t *looked; /* page rows, in their order */
    size_t count, room, next;
    struct reread *reread;
    struct references *references;
    struct arena arena;
    bool any;
    struct errmsg *err;
};

static scent_status note_looked(void *ctx, const struct store_requisite *requisite)
{
    struct catch_up *all = ctx;

    if (all->count && all->looked[all->count - 1] == requisite->page)
        return SCENT_OK;
    if (!vec_reserve(&all->looked, &all->room, all->count + 1, sizeof *all->looked))
        return SCENT_E_NOMEM;
    all->looked[all->count++] = requisite->page;
    return SCENT_OK;
}

static scent_status look_again(struct catch_up *all, const struct store_page *page, const struct store_url *row)
{
    struct crawl *crawl = all->crawl;
    struct references_input input = {
        .kind = REFERENCES_FRAME,
        .max_bytes = crawl->topic->limits.page_bytes,
        .most = crawl->topic->requisites.count,
    };
    struct references_found found;
    struct warc_record record;
    struct errmsg why = {0};
    struct rows rows;
    struct url url;

    arena_reset(&all->arena);
    rows_init(&rows, &all->arena);
    if (url_parse(&all->arena, row->url, NULL, &url) != SCENT_OK ||
        reread_record(all->reread, page, &record, &why) != SCENT_OK)
        return SCENT_OK; /* 'scent check' tells what is wrong with it */
    input.url = &url;
    input.head = record.http_head;
    input.body = record.payload;
    SCENT_TRY(references_find(all->references, &input, &all->arena, &found));
    SCENT_TRY(queue_of_page(crawl, &found, page->url, page->number, &rows));
    all->any = all->any || found.count;
    return rows_write(&rows, crawl->store, all->err);
}

static scent_status look_if_wanted(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct catch_up *all = ctx;

    while (all->next < all->count && all->looked[all->next] < page->number)
        all->next++;
    if ((all->next < all->count && all->looked[all->next] == page->number) || !store_page_is_shown(page) ||
        page->warc_length == 0 || (all->crawl->topic->requisites.of != TOPIC_REQUISITES_ALL && !page->relevant))
        return SCENT_OK;
    return look_again(all, page, url);
}

static scent_status catch_up(struct catch_up *all, struct errmsg *err)
{
    struct store *store = all->crawl->store;
    struct frontier *frontier = steer_frontier(all->crawl->steer);
    scent_status status;

    SCENT_TRY(store_each_requisite(store, note_looked, all, err));
    SCENT_TRY(store_begin(store, err));
    status = store_each_page(store, 0, look_if_wanted, all, err);
    if (status == SCENT_E_NOMEM)
        errmsg_fail(err, status, "out of memory for requisites");
    if (status == SCENT_OK)
        status = store_commit(store, err);
    else
        store_rollback(store);
    frontier_committed(frontier, frontier_known(frontier));
    return status;
}

scent_status requisites_catch_up(struct crawl *crawl, bool *any, struct errmsg *err)
{
    struct catch_up all = {.crawl = crawl, .err = err};
    scent_status status;

    *any = false;
    if (!crawl->requisites.duplicates || !crawl->counts.pages)
        return SCENT_OK;
    all.reread = reread_new(crawl->options->dir, crawl->topic, crawl->key, (struct page_reader){0});
    all.references = references_new();
    arena_init(&all.arena, SIZE_MAX);
    status = catch_up(&all, err);
    *any = all.any;
    free(all.looked);
    reread_free(all.reread);
    references_free(all.references);
    arena_release(&all.arena);
    return status;
}
