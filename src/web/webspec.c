#include "web/webspec.h"

#include "conf/conf_fields.h"
#include "web/lexicon.h"

static const char default_suffix[] = "test";

/* ---- keys that are not numbers ---- */

static scent_status read_languages(const struct conf_reader *reader, const struct conf_node *map, void *member,
                                   struct errmsg *err)
{
    struct webspec *spec = reader->object;
    double sum = 0;

    (void)member;
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

static scent_status read_kind(const struct conf_reader *reader, const struct conf_node *node, void *member,
                              struct errmsg *err)
{
    struct str kind = STR_NONE;

    (void)reader;
    (void)member;
    SCENT_TRY(conf_str(node, &kind, err));
    if (!str_eq(kind, STR("generated")))
        return conf_fail(node, err, "expected 'generated', got '%.*s'", STR_ARG(kind));
    return SCENT_OK;
}

static scent_status read_suffix(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                struct errmsg *err)
{
    struct webspec *spec = reader->object;
    struct str suffix = STR_NONE;

    (void)member;
    SCENT_TRY(conf_str(node, &suffix, err));
    if (!suffix_is_fine(suffix))
        return conf_fail(node, err, "expected a domain in lower case, like 'test'");
    memcpy(spec->suffix, suffix.p, suffix.len);
    spec->suffix[suffix.len] = 0;
    return SCENT_OK;
}

static scent_status check(const struct conf_reader *reader, const struct conf_node *root, void *members,
                          struct errmsg *err)
{
    const struct webspec *spec = members;
    double odd = spec->duplicates + spec->near_duplicates + spec->redirects + spec->redirect_loops + spec->errors +
                 spec->other_types;
    uint64_t words = (spec->topics * spec->topic_vocabulary + spec->vocabulary) * spec->language_count;
    uint64_t goals = spec->topics - (spec->tunnel_ways < spec->topics ? spec->tunnel_ways : spec->topics);

    (void)reader;
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

/* ---- the table ---- */

#define COUNT(key, member, least, most, normal, comment)                                                               \
    {key, FIELD_COUNT, CONF_MEMBER(struct webspec, member), .min = least, .max = most, .fallback = normal,             \
     .help = comment}
#define NUMBER(key, member, least, most, normal, comment)                                                              \
    {key, FIELD_NUMBER, CONF_MEMBER(struct webspec, member), .min = least, .max = most, .fallback = normal,            \
     .help = comment}
#define SHARE(key, member, normal, comment) NUMBER(key, member, 0, 1, normal, comment)
#define HEADING(comment) {.kind = FIELD_HEADING, .help = comment}
/* A map in the file; its members are of the webspec, too. */
#define GROUP(key, its_table) {key, FIELD_MAP, .table = &its_table}
#define OWN(key, function) {key, FIELD_OWN, .read = function}

static const struct conf_field tunnels_fields[] = {
    SHARE("share", tunnel_share, 0.1, "hosts of a topic that no direct link leads to"),
    COUNT("length", tunnel_length, 0, 8, 2, "off-topic pages on the only way there; 0: nothing is hidden"),
    NUMBER("entrances", tunnel_entrances, 0, 1000, 8, "mean number of pages that link to a tunnel"),
    SHARE("lead", tunnel_lead, 0, "further links of a tunnel's page: to the next step of any of the topic's"),
    SHARE("along", tunnel_along, 0, "and to the same step of any of them"),
    COUNT("ways", tunnel_ways, 0, 999, 0, "the last topics are what tunnels run through; 0: a related topic"),
    {0},
};
static const struct conf_table tunnels_table = {.fields = tunnels_fields};

static const struct conf_field vocabulary_fields[] = {
    COUNT("background", vocabulary, 100, 60000, 5000, "words of a language, stop words included"),
    COUNT("topic", topic_vocabulary, 10, 60000, 250, "words of a topic in a language"),
    {0},
};
static const struct conf_table vocabulary_table = {.fields = vocabulary_fields};

static const struct conf_field large_fields[] = {
    SHARE("share", large_share, 0.001, "pages that are very long"),
    COUNT("factor", large_factor, 1, 10000, 40, "times the text of others"),
    {0},
};
static const struct conf_table large_table = {.fields = large_fields};

static const struct conf_field slow_hosts_fields[] = {
    SHARE("share", slow_share, 0.02, NULL),
    COUNT("delay_ms", slow_delay_ms, 0, 60000, 500, "before each answer"),
    {0},
};
static const struct conf_table slow_hosts_table = {.fields = slow_hosts_fields};

static const struct conf_field robots_fields[] = {
    SHARE("share", robots_share, 0.4, "with a robots.txt that closes a part of the host"),
    NUMBER("crawl_delay", robots_delay, 0, 3600, 1, "seconds, asked for by half of them; 0: by none"),
    {0},
};
static const struct conf_table robots_table = {.fields = robots_fields};

static const struct conf_field fields[] = {
    HEADING("Size. Nothing is stored: a million hosts cost no more than one."),
    COUNT("seed", seed, 0, 9e15, 1, "another seed is another web"),
    COUNT("hosts", hosts, 1, 4e9, 500, NULL),
    COUNT("pages_per_host", pages_per_host, 1, 1e7, 50, "mean; few hosts are large, most are small"),
    COUNT("hosts_per_domain", hosts_per_domain, 1, 1000, 1, "hosts that share a registered domain"),
    HEADING("Topics, and how links follow them."),
    COUNT("topics", topics, 1, 1000, 15, NULL),
    COUNT("wanted", wanted, 0, 999, 0, "the topic whose hubs are the seeds"),
    COUNT("seeds", seeds, 1, 1000, 10, "how many"),
    SHARE("topic_skew", topic_skew, 0, "0: topics are equally large; 1: Zipf, topic 0 the largest"),
    SHARE("site_focus", site_focus, 0.6, "pages that have their host's main topic"),
    NUMBER("links", links, 0, 2000, 24, "mean out-links of an ordinary page"),
    SHARE("locality", locality, 0.4, "links that lead to a page of the same topic"),
    SHARE("cohesion", cohesion, 0.7, "links that share the topic of their list or paragraph"),
    SHARE("affinity", affinity, 0.5, "of the links out of host and topic: those to a related topic (number +-1)"),
    SHARE("external", external, 0.3, "links that leave the host"),
    SHARE("hubs", hubs, 0.04, "pages with four times the links and a quarter of the text"),
    SHARE("hub_locality", hub_locality, 0.8, "locality of a hub's links"),
    GROUP("tunnels", tunnels_table),
    SHARE("boilerplate", boilerplate, 0.2, "links and words that all pages of a host have in common"),
    SHARE("nofollow", nofollow, 0.01, "links marked rel=nofollow"),
    SHARE("tracking", tracking, 0.01, "links with utm_ parameters"),
    HEADING("Text."),
    NUMBER("words", words, 0, 1e6, 300, "mean of an ordinary page"),
    GROUP("vocabulary", vocabulary_table),
    SHARE("topic_words", topic_words, 0.2, "words from the vocabulary of the topic"),
    SHARE("overlap", overlap, 0.1, "topic words that are of a related topic instead"),
    SHARE("context", context, 0.7, "links whose surrounding text speaks of their target"),
    SHARE("anchor_noise", anchor_noise, 0.3, "anchors that say nothing about their target"),
    SHARE("url_evidence", url_evidence, 0.3, "words in host names and paths that tell the topic"),
    HEADING("Pages that are none, and pages that are twice there (shares of all URLs)."),
    SHARE("duplicates", duplicates, 0.02, "byte for byte"),
    SHARE("near_duplicates", near_duplicates, 0.02, "a few words differ"),
    SHARE("redirects", redirects, 0.03, "301 302 303 307 308, sometimes chained"),
    SHARE("redirect_loops", redirect_loops, 0.002, "to themselves, in pairs, without end"),
    SHARE("errors", errors, 0.03, "404 410 429 500 503"),
    SHARE("other_types", other_types, 0.02, "PDF and PNG"),
    GROUP("large", large_table),
    HEADING("Hosts: manners and faults (shares of all hosts unless said otherwise)."),
    GROUP("slow_hosts", slow_hosts_table),
    SHARE("dead_hosts", dead_hosts, 0.02, "refuse, drop, hang, or have no address"),
    SHARE("traps", traps, 0.02, "calendars, session ids, ever deeper paths"),
    GROUP("robots", robots_table),
    SHARE("sitemaps", sitemaps, 0.3, "with a sitemap.xml"),
    SHARE("gzip", gzip, 0.3, "responses with Content-Encoding: gzip"),
    SHARE("charsets", charsets, 0.1, "pages in windows-1252 or -1251, told by header or meta"),
    OWN("kind", read_kind),
    OWN("suffix", read_suffix),
    OWN("languages", read_languages),
    {0},
};
static const struct conf_table table = {.fields = fields, .check = check};

void webspec_defaults(struct webspec *spec)
{
    *spec = (struct webspec){.language_count = 1, .languages = {{"en", 1.0}}};
    memcpy(spec->suffix, default_suffix, sizeof default_suffix);
    conf_table_defaults(&table, spec);
}

scent_status webspec_read(const struct conf *conf, struct webspec *out, struct errmsg *err)
{
    webspec_defaults(out);
    return conf_table_read(&table, &(struct conf_reader){.object = out}, conf_root(conf), out, err);
}

void webspec_write_default(struct buf *out)
{
    buf_addz(out, "# A generated web: a pure function of this specification and the URL. Every key is optional;\n"
                  "# these are the defaults.\n"
                  "kind: generated\n");
    conf_table_write(&table, out);
    buf_printf(out, "\n# Names and languages.\n"
                    "suffix: %s              # host names end in this\n"
                    "languages: {en: 1.0}      # shares of the hosts; known: %s\n", default_suffix, language_list());
}
