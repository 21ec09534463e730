#include "web/webspec.h"

#include "conf/conf.h"
#include "web/language.h"
#include "web/lexicon.h"

#include <stddef.h>

enum field_kind { FIELD_COUNT, FIELD_NUMBER };

/* `group` is the map that the key stands in, NULL for the top. A heading begins a section of the example. */
struct field {
    const char *heading, *group, *name;
    enum field_kind kind;
    size_t offset;
    double min, max, fallback;
    const char *comment;
};

#define COUNT(group, name, member, min, max, fallback, comment) \
    {NULL, group, name, FIELD_COUNT, offsetof(struct webspec, member), min, max, fallback, comment}
#define NUMBER(group, name, member, min, max, fallback, comment) \
    {NULL, group, name, FIELD_NUMBER, offsetof(struct webspec, member), min, max, fallback, comment}
#define SHARE(group, name, member, fallback, comment) NUMBER(group, name, member, 0, 1, fallback, comment)
#define HEADING(text) {.heading = text}

static const struct field fields[] = {
    HEADING("Size. Nothing is stored: a million hosts cost no more than one."),
    COUNT(NULL, "seed", seed, 0, 9e15, 1, "another seed is another web"),
    COUNT(NULL, "hosts", hosts, 1, 4e9, 500, NULL),
    COUNT(NULL, "pages_per_host", pages_per_host, 1, 1e7, 50, "mean; few hosts are large, most are small"),
    COUNT(NULL, "hosts_per_domain", hosts_per_domain, 1, 1000, 1, "hosts that share a registered domain"),
    HEADING("Topics, and how links follow them."),
    COUNT(NULL, "topics", topics, 1, 1000, 15, NULL),
    COUNT(NULL, "wanted", wanted, 0, 999, 0, "the topic whose hubs are the seeds"),
    COUNT(NULL, "seeds", seeds, 1, 1000, 10, "how many"),
    SHARE(NULL, "topic_skew", topic_skew, 0, "0: topics are equally large; 1: Zipf, topic 0 the largest"),
    SHARE(NULL, "site_focus", site_focus, 0.6, "pages that have their host's main topic"),
    NUMBER(NULL, "links", links, 0, 2000, 24, "mean out-links of an ordinary page"),
    SHARE(NULL, "locality", locality, 0.4, "links that lead to a page of the same topic"),
    SHARE(NULL, "cohesion", cohesion, 0.7, "links that share the topic of their list or paragraph"),
    SHARE(NULL, "affinity", affinity, 0.5, "of the links out of host and topic: those to a related topic (number +-1)"),
    SHARE(NULL, "external", external, 0.3, "links that leave the host"),
    SHARE(NULL, "hubs", hubs, 0.04, "pages with four times the links and a quarter of the text"),
    SHARE(NULL, "hub_locality", hub_locality, 0.8, "locality of a hub's links"),
    SHARE("tunnels", "share", tunnel_share, 0.1, "hosts of a topic that no direct link leads to"),
    COUNT("tunnels", "length", tunnel_length, 0, 8, 2, "off-topic pages on the only way there; 0: nothing is hidden"),
    NUMBER("tunnels", "entrances", tunnel_entrances, 0, 1000, 8, "mean number of pages that link to a tunnel"),
    SHARE("tunnels", "lead", tunnel_lead, 0, "further links of a tunnel's page: to the next step of any of the topic's"),
    SHARE("tunnels", "along", tunnel_along, 0, "and to the same step of any of them"),
    COUNT("tunnels", "ways", tunnel_ways, 0, 999, 0, "the last topics are what tunnels run through; 0: a related topic"),
    SHARE(NULL, "boilerplate", boilerplate, 0.2, "links and words that all pages of a host have in common"),
    SHARE(NULL, "nofollow", nofollow, 0.01, "links marked rel=nofollow"),
    SHARE(NULL, "tracking", tracking, 0.01, "links with utm_ parameters"),
    HEADING("Text."),
    NUMBER(NULL, "words", words, 0, 1e6, 300, "mean of an ordinary page"),
    COUNT("vocabulary", "background", vocabulary, 100, 60000, 5000, "words of a language, stop words included"),
    COUNT("vocabulary", "topic", topic_vocabulary, 10, 60000, 250, "words of a topic in a language"),
    SHARE(NULL, "topic_words", topic_words, 0.2, "words from the vocabulary of the topic"),
    SHARE(NULL, "overlap", overlap, 0.1, "topic words that are of a related topic instead"),
    SHARE(NULL, "context", context, 0.7, "links whose surrounding text speaks of their target"),
    SHARE(NULL, "anchor_noise", anchor_noise, 0.3, "anchors that say nothing about their target"),
    SHARE(NULL, "url_evidence", url_evidence, 0.3, "words in host names and paths that tell the topic"),
    HEADING("Pages that are none, and pages that are twice there (shares of all URLs)."),
    SHARE(NULL, "duplicates", duplicates, 0.02, "byte for byte"),
    SHARE(NULL, "near_duplicates", near_duplicates, 0.02, "a few words differ"),
    SHARE(NULL, "redirects", redirects, 0.03, "301 302 303 307 308, sometimes chained"),
    SHARE(NULL, "redirect_loops", redirect_loops, 0.002, "to themselves, in pairs, without end"),
    SHARE(NULL, "errors", errors, 0.03, "404 410 429 500 503"),
    SHARE(NULL, "other_types", other_types, 0.02, "PDF and PNG"),
    SHARE("large", "share", large_share, 0.001, "pages that are very long"),
    COUNT("large", "factor", large_factor, 1, 10000, 40, "times the text of others"),
    HEADING("Hosts: manners and faults (shares of all hosts unless said otherwise)."),
    SHARE("slow_hosts", "share", slow_share, 0.02, NULL),
    COUNT("slow_hosts", "delay_ms", slow_delay_ms, 0, 60000, 500, "before each answer"),
    SHARE(NULL, "dead_hosts", dead_hosts, 0.02, "refuse, drop, hang, or have no address"),
    SHARE(NULL, "traps", traps, 0.02, "calendars, session ids, ever deeper paths"),
    SHARE("robots", "share", robots_share, 0.4, "with a robots.txt that closes a part of the host"),
    NUMBER("robots", "crawl_delay", robots_delay, 0, 3600, 1, "seconds, asked for by half of them; 0: by none"),
    SHARE(NULL, "sitemaps", sitemaps, 0.3, "with a sitemap.xml"),
    SHARE(NULL, "gzip", gzip, 0.3, "responses with Content-Encoding: gzip"),
    SHARE(NULL, "charsets", charsets, 0.1, "pages in windows-1252 or -1251, told by header or meta"),
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const char default_suffix[] = "test";

static void set_field(struct webspec *spec, const struct field *field, double value)
{
    char *at = (char *)spec + field->offset;

    if (field->kind == FIELD_COUNT)
        *(uint64_t *)(void *)at = (uint64_t)value;
    else
        *(double *)(void *)at = value;
}

void webspec_defaults(struct webspec *spec)
{
    *spec = (struct webspec){.language_count = 1, .languages = {{"en", 1.0}}};
    memcpy(spec->suffix, default_suffix, sizeof default_suffix);
    for (int i = 0; i < FIELDS; i++) {
        if (!fields[i].heading)
            set_field(spec, &fields[i], fields[i].fallback);
    }
}

/* ---- reading ---- */

/* The names of one map's keys, NULL at the end; groups appear once at the top. */
static void list_keys(const char *group, const char **keys)
{
    size_t n = 0;
    const char *last_group = NULL;

    for (int i = 0; i < FIELDS; i++) {
        const struct field *f = &fields[i];
        bool here = group ? f->group && strcmp(f->group, group) == 0 : !f->group;

        if (f->heading)
            continue;
        if (here)
            keys[n++] = f->name;
        else if (!group && f->group != last_group)
            keys[n++] = f->group;
        last_group = f->group;
    }
    if (!group) {
        keys[n++] = "kind";
        keys[n++] = "suffix";
        keys[n++] = "languages";
    }
    keys[n] = NULL;
}

static scent_status read_field(const struct conf_node *root, const struct field *field, struct webspec *spec,
                               struct errmsg *err)
{
    const struct conf_node *map = root, *node;
    char *at = (char *)spec + field->offset;

    if (field->group) {
        const char *keys[FIELDS + 4];

        map = conf_get(root, field->group);
        if (!map)
            return SCENT_OK;
        list_keys(field->group, keys);
        if (conf_expect_map(map, keys, err) != SCENT_OK)
            return SCENT_E_INVALID;
    }
    node = conf_get(map, field->name);
    if (field->kind == FIELD_COUNT)
        return conf_u64(node, (uint64_t)field->min, (uint64_t)field->max, (uint64_t *)(void *)at, err);
    return conf_double(node, field->min, field->max, (double *)(void *)at, err);
}

static scent_status read_languages(const struct conf_node *map, struct webspec *spec, struct errmsg *err)
{
    double sum = 0;

    if (!map)
        return SCENT_OK;
    if (conf_kind(map) != CONF_MAP || conf_count(map) == 0 || conf_count(map) > WEBSPEC_LANGUAGES_MAX)
        return conf_fail(map, err, "expected one to %d languages with their shares, like {en: 0.8, de: 0.2}",
                         WEBSPEC_LANGUAGES_MAX);
    spec->language_count = conf_count(map);
    for (size_t i = 0; i < spec->language_count; i++) {
        struct webspec_language *language = &spec->languages[i];
        struct str code = conf_key(map, i);

        if (!language_find(code))
            return conf_fail(conf_item(map, i), err, "the generated web does not speak '%.*s'; known: %s",
                             STR_ARG(code), language_list());
        memcpy(language->code, code.p, code.len);
        language->code[code.len] = 0;
        if (conf_double(conf_item(map, i), 0, 1e6, &language->share, err) != SCENT_OK)
            return SCENT_E_INVALID;
        sum += language->share;
    }
    if (sum <= 0)
        return conf_fail(map, err, "the shares sum to 0");
    for (size_t i = 0; i < spec->language_count; i++)
        spec->languages[i].share /= sum;
    return SCENT_OK;
}

static bool suffix_is_fine(struct str suffix)
{
    if (suffix.len == 0 || suffix.len >= WEBSPEC_SUFFIX_MAX || suffix.p[0] == '.' || suffix.p[suffix.len - 1] == '.')
        return false;
    for (size_t i = 0; i < suffix.len; i++) {
        char c = suffix.p[i];

        if (!(c >= 'a' && c <= 'z') && !ascii_is_digit(c) && c != '-' && c != '.')
            return false;
    }
    return true;
}

static scent_status read_names(const struct conf_node *root, struct webspec *spec, struct errmsg *err)
{
    struct str kind = STR("generated"), suffix = str_of(spec->suffix);

    if (conf_str(conf_get(root, "kind"), &kind, err) != SCENT_OK ||
        conf_str(conf_get(root, "suffix"), &suffix, err) != SCENT_OK)
        return SCENT_E_INVALID;
    if (!str_eq(kind, STR("generated")))
        return conf_fail(conf_get(root, "kind"), err, "expected 'generated', got '%.*s'", STR_ARG(kind));
    if (!suffix_is_fine(suffix))
        return conf_fail(conf_get(root, "suffix"), err, "expected a domain in lower case, like 'test'");
    memmove(spec->suffix, suffix.p, suffix.len);
    spec->suffix[suffix.len] = 0;
    return SCENT_OK;
}

static scent_status check(const struct conf_node *root, const struct webspec *spec, struct errmsg *err)
{
    double odd = spec->duplicates + spec->near_duplicates + spec->redirects + spec->redirect_loops + spec->errors +
                 spec->other_types;
    uint64_t words = (spec->topics * spec->topic_vocabulary + spec->vocabulary) * spec->language_count;
    uint64_t goals = spec->topics - (spec->tunnel_ways < spec->topics ? spec->tunnel_ways : spec->topics);

    if (goals == 0)
        return conf_fail(root, err, "tunnels.ways: they are topics too; there are %llu, and none would be left to find",
                         (unsigned long long)spec->topics);
    if (spec->wanted >= goals)
        return conf_fail(root, err, "wanted: there are only topics 0 to %llu", (unsigned long long)goals - 1);
    if (spec->topics > spec->hosts)
        return conf_fail(root, err, "topics: every topic needs a host; raise hosts to %llu",
                         (unsigned long long)spec->topics);
    if (spec->tunnel_ways && spec->tunnel_ways < goals * (spec->tunnel_length ? spec->tunnel_length : 1))
        return conf_fail(root, err, "tunnels.ways: %llu topics with tunnels of %llu steps need %llu ways of their own; "
                                    "raise topics and ways",
                         (unsigned long long)goals, (unsigned long long)spec->tunnel_length,
                         (unsigned long long)(goals * spec->tunnel_length));
    if (spec->tunnel_lead + spec->tunnel_along > 0.9)
        return conf_fail(root, err, "tunnels.lead and tunnels.along sum to %.2f; at most 0.9",
                         spec->tunnel_lead + spec->tunnel_along);
    if (odd > 0.9)
        return conf_fail(root, err, "duplicates, near_duplicates, redirects, redirect_loops, errors and other_types "
                                    "sum to %.2f; leave at least a tenth of the pages in peace", odd);
    if (spec->dead_hosts + spec->traps > 0.9)
        return conf_fail(root, err, "dead_hosts and traps sum to %.2f; leave at least a tenth of the hosts in peace",
                         spec->dead_hosts + spec->traps);
    if (spec->tunnel_share > 0.9)
        return conf_fail(root, err, "tunnels.share: at most 0.9, somebody must hold the entrances");
    if (words > LEXICON_WORDS_MAX)
        return conf_fail(root, err, "topics x vocabulary.topic x languages is %llu words; at most %d",
                         (unsigned long long)words, LEXICON_WORDS_MAX);
    return SCENT_OK;
}

scent_status webspec_read(const struct conf *conf, struct webspec *out, struct errmsg *err)
{
    const struct conf_node *root = conf_root(conf);
    const char *keys[FIELDS + 4];

    webspec_defaults(out);
    if (!root)
        return SCENT_OK;
    list_keys(NULL, keys);
    if (conf_expect_map(root, keys, err) != SCENT_OK || read_names(root, out, err) != SCENT_OK ||
        read_languages(conf_get(root, "languages"), out, err) != SCENT_OK)
        return SCENT_E_INVALID;
    for (int i = 0; i < FIELDS; i++) {
        if (!fields[i].heading && read_field(root, &fields[i], out, err) != SCENT_OK)
            return SCENT_E_INVALID;
    }
    return check(root, out, err);
}

/* ---- the example ---- */

static void write_field(struct buf *out, const struct field *field, const char *last_group)
{
    size_t start;

    if (field->group && field->group != last_group)
        buf_printf(out, "%s:\n", field->group);
    start = out->len;
    buf_printf(out, "%s%s: %.15g", field->group ? "  " : "", field->name, field->fallback);
    if (field->comment)
        buf_printf(out, "%*s# %s", (int)(out->len - start < 26 ? 26 - (out->len - start) : 1), "", field->comment);
    buf_addc(out, '\n');
}

void webspec_write_default(struct buf *out)
{
    const char *last_group = NULL;

    buf_addz(out, "# A generated web: a pure function of this specification and the URL. Every key is optional;\n"
                  "# these are the defaults.\n"
                  "kind: generated\n");
    for (int i = 0; i < FIELDS; i++) {
        if (fields[i].heading) {
            buf_printf(out, "\n# %s\n", fields[i].heading);
            last_group = NULL;
        } else {
            write_field(out, &fields[i], last_group);
            last_group = fields[i].group;
        }
    }
    buf_printf(out, "\n# Names and languages.\n"
                    "suffix: %s              # host names end in this\n"
                    "languages: {en: 1.0}      # shares of the hosts; known: %s\n", default_suffix, language_list());
}
