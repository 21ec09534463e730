/* The commented topic file that `scent init` writes. */
#include "topic/topic_parts.h"

static const char head[] =
    "# A topic for scent: what to look for, where to begin, how far to go.\n"
    "# Only 'topic' and some seeds are needed; what stands behind '#' shows the defaults or examples.\n"
    "\n"
    "topic: ";

static const char start[] =
    "\n"
    "\n"
    "# Where the crawl begins: pages that are good examples of the topic.\n";

static const char relevant[] =
    "# seeds_file: seeds.txt         # one URL a line, beside this file\n"
    "\n"
    "# Which pages are wanted? Words and \"phrases\" of the page, title(\"…\"), url ~ \"…\", host in (\"…\"),\n"
    "# lang = \"en\", size, depth; similar(), the likeness to the seeds (0: a page about anything, 1: a seed;\n"
    "# alone it asks for more than 0.12), and classifier(), the probability of the positive examples;\n"
    "# and, or, not, ( ).\n"
    "relevant: '";
static const char also_relevant[] =
    "'\n"
    "# query: 'hockey (nhl OR league) \"ice rink\"'   # then relevant can ask for query() > 0.45\n"
    "# relevant: 'lang = \"en\" and (\"ice hockey\" or title(\"nhl\")) and not url ~ \"/shop/\"'\n"
    "\n";
static const char body[] =
    "# Which URLs may be visited? Without '/' a pattern is compared with the host, with '/' with host and path.\n"
    "scope:\n"
    "  include: ['*']                # for example ['*.org', 'www.example.com/sports/*']\n"
    "  exclude: ['*/login*']\n"
    "  # hops_off_domain: 3          # links away from the domains of the seeds; without it: no limit\n"
    "  types: [text/html, application/xhtml+xml]\n"
    "\n"
    "# In which order? Without this key by adaptive, which learns what to go by; 'scent strategies' lists all others.\n"
    "# strategy: {name: best-first, threshold: 0.1}   # links of less promise are not followed\n"
    "# reuse: {from: last.crawl, weight: 0.5}   # begin with what a learning strategy learned there\n"
    "\n"
    "# When to stop; pages, time, per_host, per_domain: 0 means no limit.\n"
    "limits:\n"
    "  pages: 10000\n"
    "  time: 2h\n"
    "  depth: 20                     # links away from a seed; 0: the seeds only\n"
    "  page_bytes: 2MiB              # a longer page is cut\n"
    "  per_host: 1000                # pages of one host\n"
    "  per_domain: 5000              # pages of one registered domain\n"
    "  per_pattern: 2000             # URLs of one shape on a host; endless calendars end here, 0: no limit\n"
    "  # urls_per_domain: 100000     # known URLs of one registered domain; each of its pages adds 500\n"
    "  min_free_disk: 1GiB           # pause when the disk has less\n"
    "  # body_memory: 256MiB         # for the pages that are being received; beyond it transfers wait\n"
    "  # text_memory: 16MiB          # for the texts of queued URLs; the others are read from disk in time\n"
    "\n"
    "# How to behave. Name an address in the user agent, so that people can reach you: without one scent\n"
    "# crawls nothing but this machine.\n"
    "politeness:\n"
    "  delay: 1s                     # between two requests to a host\n"
    "  per_host: 1                   # connections to a host at once\n"
    "  per_domain: 4                 # connections to a registered domain at once, and visits within the delay\n"
    "  per_ip: 8                     # connections to an address at once, and visits within the delay\n"
    "  retries: 2                    # of a fetch that failed\n"
    "  connect_timeout: 10s          # until a connection to the host is there\n"
    "  timeout: 60s                  # of a whole fetch; the rest of a page that takes longer is cut\n"
    "  page_robots: obey             # noindex, nofollow, noarchive of pages; ignore: your own site, or a mandate\n"
    "  rel_nofollow: obey            # links with rel nofollow, ugc or sponsored; ignore: follow them\n";
static const char tail[] =
    "\n"
    "# Ways through proxies (onion: Tor) and past logins. Secrets stand in files of their own, beside this one.\n"
    "# ways: {proxy: 'socks5://127.0.0.1:1080', onion: '127.0.0.1:9050', cookies: cookies.txt, logins: logins.yaml}\n"
    "\n"
    "# Commands that are told of pages while the crawl runs: a JSON object a line on their standard input.\n"
    "# hooks: {on_relevant: 'jq -r .url >> new-pages.txt'}\n"
    "\n"
    "# Pages may be fetched again: each after an interval, or about as often as it changes.\n"
    "# recrawl: {policy: adaptive, interval: 7d, min: 1h, max: 90d}   # or {policy: fixed, interval: 1d}\n"
    "\n"
    "# requisites: false             # true: relevant pages with their stylesheets, images, scripts and fonts\n"
    "# sitemaps: false               # also visit, after all links, what the hosts' own sitemaps list\n"
    "# content: main                 # what of a page is judged; all: navigation, sidebars and footers, too\n"
    "# strip_tracking: true          # drop utm_source and the like from URLs\n"
    "# window: 0                     # pages under way at once; 1 is strictly sequential, 0 as polite as possible\n"
    "# seed: 0                       # of random choices; 0 draws a new one for each crawl\n";

/* Between single quotes nothing but the quote itself means anything. */
static void add_between_quotes(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        buf_add(out, text.p[i] == '\'' ? STR("\'\'") : str_sub(text, i, i + 1));
}

static void add_quoted(struct buf *out, struct str text)
{
    buf_addc(out, '\'');
    add_between_quotes(out, text);
    buf_addc(out, '\'');
}

static bool is_one_line(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
            return false;
    return true;
}

static void add_key(struct buf *out, const char *key, struct str value, const char *comment)
{
    if (!value.len)
        return;
    buf_printf(out, "  %s: ", key);
    add_quoted(out, value);
    buf_printf(out, "%s\n", comment);
}

/* What the topic is taught with. */
static void add_lesson(struct buf *out, const struct topic_draft *draft)
{
    if (draft->positive.len) {
        buf_addz(out,
                 "# What is wanted, shown by examples: folders of pages, WARC files or lists of URLs. 'scent train'\n"
                 "# learns from them and tells how well; a crawl does so by itself when that was not done.\n"
                 "examples:\n");
        add_key(out, "positive", draft->positive, "");
        add_key(out, "negative", draft->negative, "");
        add_key(out, "background", draft->background, "  # pages of all kinds, as weak negatives");
        if (!draft->negative.len && !draft->background.len)
            buf_addz(out, "  # A model must see what is not wanted, too. Put one of these in:\n"
                          "  # negative: examples/other      # pages on other subjects\n"
                          "  # background: pages/            # pages of all kinds, some of which are drawn\n");
    } else {
        buf_addz(out,
                 "# What is wanted, shown by examples: the folders of this tree are categories. The target is learned\n"
                 "# against pages of the others; 'scent train' tells how well.\n"
                 "taxonomy:\n");
        add_key(out, "file", draft->taxonomy, "");
        add_key(out, "target", draft->target, "");
    }
    buf_addz(out, "model: svm                      # or logistic, bayes, mlp\n\n");
}

static void add_seeds(struct buf *out, const struct topic_draft *draft, bool is_taught)
{
    if (draft->nseeds == 0) {
        /* No key: 'scent seeds … >> NAME.yaml' adds it. */
        buf_printf(out, "%s# seeds: [https://www.example.org/a-page, https://www.example.org/another]\n",
                   is_taught ? "# No address was found in the examples.\n" : "");
        return;
    }
    buf_addz(out, "seeds:\n");
    for (size_t i = 0; i < draft->nseeds; i++) {
        buf_addz(out, "  - ");
        add_quoted(out, draft->seeds[i]);
        buf_addc(out, '\n');
    }
}

/* A mail address is written as a link, as an address of a page is. */
static void add_user_agent(struct buf *out, struct str contact)
{
    struct str shown = contact.len ? contact : STR("https://www.example.org/about-this-crawl");

    buf_printf(out, "  %suser_agent: 'scent/%.*s (+%s", contact.len ? "" : "# ", STR_ARG(topic_version()),
               str_starts(shown, STR("http")) ? "" : "mailto:");
    add_between_quotes(out, shown);
    buf_addz(out, ")'\n");
}

scent_status topic_write_draft(const struct topic_draft *draft, struct buf *out)
{
    bool is_taught = draft->positive.len || draft->taxonomy.len;

    if (str_trim(draft->name).len == 0 || !is_one_line(draft->name) || !is_one_line(draft->positive) ||
        !is_one_line(draft->negative) || !is_one_line(draft->background) || !is_one_line(draft->taxonomy) ||
        !is_one_line(draft->target) || !is_one_line(draft->contact))
        return SCENT_E_INVALID;
    buf_addz(out, head);
    add_quoted(out, draft->name);
    buf_addz(out, start);
    add_seeds(out, draft, is_taught);
    buf_addz(out, relevant);
    buf_addz(out, is_taught ? "classifier() > 0.5" : "similar()");
    buf_addz(out, also_relevant);
    if (is_taught)
        add_lesson(out, draft);
    buf_addz(out, body);
    add_user_agent(out, draft->contact);
    buf_addz(out, tail);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}
