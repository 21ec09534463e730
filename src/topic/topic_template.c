#include "topic/topic_read.h"

static const char head[] =
    "# A topic for scent: what to look for, where to begin, how far to go.\n"
    "# Only 'topic' and some seeds are needed; what stands behind '#' shows the defaults or examples.\n"
    "\n"
    "topic: ";

static const char body[] =
    "\n"
    "\n"
    "# Where the crawl begins: pages that are good examples of the topic.\n"
    "seeds:\n"
    "  - https://www.example.org/\n"
    "# seeds_file: seeds.txt         # one URL a line, beside this file\n"
    "\n"
    "# Which pages are wanted? Words and \"phrases\" of the page, title(\"…\"), url ~ \"…\", host in (\"…\"),\n"
    "# lang = \"en\", size, depth, and similar(), the likeness to the seeds from 0 to 1; and, or, not, ( ).\n"
    "relevant: 'similar() > 0.25'\n"
    "# relevant: 'lang = \"en\" and (\"ice hockey\" or title(\"nhl\")) and not url ~ \"/shop/\"'\n"
    "\n"
    "# Which URLs may be visited? Without '/' a pattern is compared with the host, with '/' with host and path.\n"
    "scope:\n"
    "  include: ['*']                # for example ['*.org', 'www.example.com/sports/*']\n"
    "  exclude: ['*/login*']\n"
    "  # hops_off_domain: 3          # links away from the domains of the seeds; without it: no limit\n"
    "  types: [text/html, application/xhtml+xml]\n"
    "\n"
    "# In which order? 'scent strategies' lists what there is. Options: {name: best-first, option: value}\n"
    "strategy: best-first\n"
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
    "  min_free_disk: 1GiB           # pause when the disk has less\n"
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
    "  page_robots: obey             # noindex, nofollow, noarchive of pages; ignore: your own site, or a mandate\n"
    "  rel_nofollow: obey            # links with rel nofollow, ugc or sponsored; ignore: follow them\n"
    "  # user_agent: 'scent/";

static const char tail[] =
    " (+https://www.example.org/about-this-crawl)'\n"
    "\n"
    "# Ways through proxies (onion: Tor) and past logins. Secrets stand in files of their own, beside this one.\n"
    "# ways: {proxy: 'socks5://127.0.0.1:1080', onion: '127.0.0.1:9050', cookies: cookies.txt, logins: logins.yaml}\n"
    "\n"
    "# Pages may be fetched again: each after an interval, or about as often as it changes.\n"
    "# recrawl: {policy: adaptive, interval: 7d, min: 1h, max: 90d}   # or {policy: fixed, interval: 1d}\n"
    "\n"
    "# strip_tracking: true          # drop utm_source and the like from URLs\n"
    "# window: 0                     # pages under way at once; 1 is strictly sequential, 0 as polite as possible\n"
    "# seed: 0                       # of random choices; 0 draws a new one for each crawl\n";

scent_status topic_write_template(struct str name, struct buf *out)
{
    if (str_trim(name).len == 0)
        return SCENT_E_INVALID;
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
            return SCENT_E_INVALID;
    buf_addz(out, head);
    buf_addc(out, '\'');
    for (size_t i = 0; i < name.len; i++)
        buf_add(out, name.p[i] == '\'' ? STR("''") : str_sub(name, i, i + 1));
    buf_addc(out, '\'');
    buf_addz(out, body);
    buf_add(out, topic_version());
    buf_addz(out, tail);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}
