#include "base/file.h"
#include "topic/knowledge.h"
#include "topic/signature.h"
#include "test.h"

static struct topic *load(const char *text)
{
    struct errmsg err = {{0}};
    struct topic *topic;

    assert_ok(topic_parse(str_of(text), "topic.yaml", &topic, &err), err);
    return topic;
}

static void defaults(void **state)
{
    struct topic *topic = load("topic: hockey\n");

    (void)state;
    assert_str(topic->name, "hockey");
    assert_str(topic->source, "topic: hockey\n");
    assert_int_equal(topic->nseeds, 0);
    assert_int_equal(topic->scope.ninclude, 0);
    assert_int_equal(topic->scope.hops_off_domain, UINT32_MAX);
    assert_true(scope_wants_type(&topic->scope, STR("text/html")));
    assert_int_equal(topic->limits.pages, 0);
    assert_int_equal(topic->limits.time_us, 0);
    assert_int_equal(topic->limits.depth, 20);
    assert_int_equal(topic->limits.page_bytes, 2 << 20);
    assert_int_equal(topic->limits.min_free_disk, 1 << 30);
    assert_int_equal(topic->limits.text_memory, 16 << 20);
    assert_int_equal(topic->politeness.delay_us, 1000000);
    assert_int_equal(topic->politeness.per_host, 1);
    assert_int_equal(topic->politeness.per_ip, 8);
    assert_int_equal(topic->politeness.retries, 2);
    assert_int_equal(topic->politeness.connect_timeout_us, 10000000);
    assert_int_equal(topic->politeness.timeout_us, 60000000);
    assert_str(topic->politeness.user_agent, "scent/0.1");
    assert_false(topic_has_contact(topic));
    assert_int_equal(topic->window, 0);
    assert_int_equal(topic->seed, 0);
    assert_true(topic->strip_tracking);
    assert_str(topic->relevant, "similar()");
    assert_non_null(topic->predicate);
    topic_free(topic);
    topic_free(NULL);
}

static void recrawl_is_read(void **state)
{
    struct topic *topic = load("topic: x\nrecrawl: {policy: adaptive, interval: 2d, min: 1m, max: 3d, wait: true}\n");
    struct topic_recrawl *recrawl = &topic->recrawl;

    (void)state;
    assert_int_equal(recrawl->policy, TOPIC_RECRAWL_ADAPTIVE);
    assert_true(recrawl->interval_us == 2 * 86400000000 && recrawl->min_us == 60000000 &&
                recrawl->max_us == 3 * 86400000000 && recrawl->wait);
    topic_free(topic);
    topic = load("topic: x\n");
    recrawl = &topic->recrawl;
    assert_int_equal(recrawl->policy, TOPIC_RECRAWL_NONE);
    assert_true(recrawl->interval_us == 7 * 86400000000 && recrawl->min_us == 3600000000 &&
                recrawl->max_us == 90 * 86400000000 && !recrawl->wait);
    topic_free(topic);
}

static void reads_every_key(void **state)
{
    struct topic *topic =
        load("topic: ice hockey\n"
             "seeds: [https://www.example.org/sports#top, 'http://A.uk:80/%7ex?utm_source=n&q=1',\n"
             "        https://www.example.org/sports]\n"
             "scope: {include: ['*.org', '*.uk', a.uk], exclude: '*/login*', hops_off_domain: 3,\n"
             "        types: [text/*]}\n"
             "relevant: '\"hockey\" and url ~ \"\\.uk(/|$)\"'\n"
             "strategy: {name: fish, width: 5, depth: 4}\n"
             "limits: {pages: 10, time: 2h, depth: 0, page_bytes: 1MiB, per_host: 7, per_domain: 70,\n"
             "         min_free_disk: 5GB}\n"
             "politeness: {delay: 250ms, per_host: 2, per_ip: 4, retries: 0, connect_timeout: 500ms, timeout: 2m,\n"
             "             user_agent: 'x/1 (+https://example.org/bot)'}\n"
             "window: 16\nseed: 42\nstrip_tracking: false\n");

    (void)state;
    assert_int_equal(topic->nseeds, 2);
    assert_str(topic->seeds[0].href, "https://www.example.org/sports");
    assert_str(topic->seeds[1].href, "http://a.uk/~x?utm_source=n&q=1");
    assert_int_equal(topic->scope.ninclude, 3);
    assert_str(topic->scope.include[1], "*.uk");
    assert_int_equal(topic->scope.nexclude, 1);
    assert_str(topic->scope.exclude[0], "*/login*");
    assert_int_equal(topic->scope.hops_off_domain, 3);
    assert_int_equal(topic->scope.ntypes, 1);
    assert_str(topic->relevant, "\"hockey\" and url ~ \"\\.uk(/|$)\"");
    assert_str(topic->strategy, "fish");
    assert_int_equal(topic->noptions, 2);
    assert_str(topic->options[0].key, "width");
    assert_str(topic->options[1].value, "4");
    assert_int_equal(topic->limits.pages, 10);
    assert_int_equal(topic->limits.time_us, 7200000000);
    assert_int_equal(topic->limits.depth, 0);
    assert_int_equal(topic->limits.page_bytes, 1 << 20);
    assert_int_equal(topic->limits.per_host, 7);
    assert_int_equal(topic->limits.per_domain, 70);
    assert_int_equal(topic->limits.min_free_disk, 5000000000);
    assert_int_equal(topic->politeness.delay_us, 250000);
    assert_int_equal(topic->politeness.per_host, 2);
    assert_int_equal(topic->politeness.per_ip, 4);
    assert_int_equal(topic->politeness.retries, 0);
    assert_int_equal(topic->politeness.connect_timeout_us, 500000);
    assert_int_equal(topic->politeness.timeout_us, 120000000);
    assert_true(topic_has_contact(topic));
    assert_int_equal(topic->window, 16);
    assert_int_equal(topic->seed, 42);
    assert_false(topic->strip_tracking);
    topic_free(topic);
}

static void browsing_lies_beside_the_topic_file(void **state)
{
    struct errmsg err = {{0}};
    struct topic *topic;

    (void)state;
    assert_ok(topic_parse(STR("topic: x\nbrowsing: mine.browsing\n"), "some/where/topic.yaml", &topic, &err), err);
    assert_str(topic->browsing_file, "some/where/mine.browsing");
    assert_str(topic->browsing_place, "some/where/topic.yaml:2: browsing");
    assert_str(topic->relevant, "browsing() >= 0.7");
    assert_int_equal(knowledge_check(topic, &knowledge_none, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "scent browse train"));
    topic_free(topic);
    assert_ok(topic_parse(STR("topic: x\nbrowsing: /a/b\nquery: hockey\n"), "topic.yaml", &topic, &err), err);
    assert_str(topic->browsing_file, "/a/b");
    assert_str(topic->relevant, "query() > 0.45");
    topic_free(topic);
}

static void traces_lie_beside_the_topic_file(void **state)
{
    struct errmsg err = {{0}};
    struct topic *topic;

    (void)state;
    assert_ok(topic_parse(STR("topic: x\ntraces:\n  - access.log\n  - /var/log/old.gz\n"
                              "  - {file: own.log, base: 'https://a.test/'}\n"),
                          "some/where/topic.yaml", &topic, &err),
              err);
    assert_int_equal(topic->ntraces, 3);
    assert_str(topic->traces[0].file, "some/where/access.log");
    assert_str(topic->traces[1].file, "/var/log/old.gz");
    assert_str(topic->traces[1].place, "some/where/topic.yaml:4: traces");
    assert_int_equal(topic->traces[1].base.len, 0);
    assert_str(topic->traces[2].file, "some/where/own.log");
    assert_str(topic->traces[2].base, "https://a.test/");
    topic_free(topic);
    assert_ok(topic_parse(STR("topic: x\ntraces: a.log\n"), "topic.yaml", &topic, &err), err);
    assert_int_equal(topic->ntraces, 1);
    assert_str(topic->traces[0].file, "a.log");
    topic_free(topic);
}

static void tracking_is_stripped_by_default(void **state)
{
    struct topic *topic = load("topic: x\nseeds: ['https://a.test/?utm_source=n', https://a.test/]\n");

    (void)state;
    assert_int_equal(topic->nseeds, 1);
    assert_str(topic->seeds[0].href, "https://a.test/");
    topic_free(topic);
}

static void errors_name_line_and_fix(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "topic.yaml:1: the file is empty; 'scent init NAME' writes one to start from"},
        {"seeds: []\n", "topic.yaml:1: the key 'topic' is missing; name the topic, for example 'topic: hockey'"},
        {"topic: ''\n", "topic.yaml:1: topic: the name is empty; write for example 'topic: hockey'"},
        {"topic: [a]\n", "topic.yaml:1: topic: expected a text, got a list"},
        {"topic: \"a\\nb\"\n",
         "topic.yaml:1: topic: a name has no control characters or line breaks; write it on one line"},
        {"topic: x\nseeeds: []\n", "topic.yaml:2: seeeds: unknown key; did you mean 'seeds'?"},
        {"topic: x\nquery: '#sum(a'\n", "topic.yaml:2: query: 1:7: expected ')', got the end\n    #sum(a\n          ^"},
        {"topic: x\nquery: [a]\n", "topic.yaml:2: query: expected a text, got a list"},
        {"topic: x\nrelevant: 'query() > 0.5'\n",
         "topic.yaml:2: relevant: 1:1: query() needs a query; add the key 'query' to the topic file\n"
         "    query() > 0.5\n    ^"},
        {"topic: x\ntraces: []\n", "topic.yaml:2: traces: expected 1 to 1000 paths of access logs"},
        {"topic: x\ntraces:\n  - a\n  - ''\n",
         "topic.yaml:4: traces #2: expected the path of an access log or of a file that 'scent trace import' made"},
        {"topic: x\ntraces: [[a]]\n",
         "topic.yaml:2: traces #1: expected the path of an access log or of a file that 'scent trace import' made"},
        {"topic: x\ntraces: [{base: 'https://a.test/'}]\n",
         "topic.yaml:2: traces #1: the key 'file' is missing; write {file: access.log, base: https://www.example.org/}"},
        {"topic: x\ntraces: [{file: a, base: a.test}]\n",
         "topic.yaml:2: traces #1.base: 'a.test' is not an http or https URL; give the site of the log, such as "
         "https://www.example.org/"},
        {"topic: x\ntraces: [{file: a, bass: b}]\n", "topic.yaml:2: traces #1.bass: unknown key; did you mean 'base'?"},
        {"topic: x\nseeds:\n  - https://a.test/\n  - htp:/x\n",
         "topic.yaml:4: seeds #2: 'htp:/x' is not an http or https URL"},
        {"topic: x\nseeds: [example.org/a]\n",
         "topic.yaml:2: seeds #1: 'example.org/a' is not an http or https URL; write https://example.org/a"},
        {"topic: x\nseeds: [{a: b}]\n", "topic.yaml:2: seeds #1: expected a text, got a map"},
        {"topic: x\nseeds: {a: b}\n", "topic.yaml:2: seeds: expected a text, got a map"},
        {"topic: x\nscope: {include: ['*.org']}\nseeds: ['https://a.uk/b']\n",
         "topic.yaml:3: seeds #1: 'https://a.uk/b' lies outside the scope: no pattern of scope.include matches; add "
         "'a.uk' "
         "there or remove the seed"},
        {"topic: x\nseeds: ['https://a.uk/Login/x']\nscope: {exclude: ['*.org', '*/login*']}\n",
         "topic.yaml:2: seeds #1: 'https://a.uk/Login/x' lies outside the scope: scope.exclude '*/login*' matches; "
         "remove "
         "the seed or change the pattern"},
        {"topic: x\nrecrawl: {policy: daily}\n",
         "topic.yaml:2: recrawl.policy: expected none, fixed or adaptive, got 'daily'"},
        {"topic: x\nrecrawl: adaptive\n", "topic.yaml:2: recrawl: expected a map (key: value), got 'adaptive'"},
        {"topic: x\nrecrawl: {policy: fixed, intervall: 1d}\n",
         "topic.yaml:2: recrawl.intervall: unknown key; did you mean 'interval'?"},
        {"topic: x\nrecrawl: {interval: 1d}\n", "topic.yaml:2: recrawl.interval: has no effect without a policy; add "
                                               "'policy: fixed' or 'policy: adaptive'"},
        {"topic: x\nrecrawl: {wait: true}\n", "topic.yaml:2: recrawl.wait: has no effect without a policy; add "
                                             "'policy: fixed' or 'policy: adaptive'"},
        {"topic: x\nrecrawl: {policy: fixed, min: 1d}\n", "topic.yaml:2: recrawl.min: has no effect with 'policy: "
                                                         "fixed'; remove it, or write 'policy: adaptive'"},
        {"topic: x\nrecrawl: {policy: fixed, interval: 0}\n",
         "topic.yaml:2: recrawl.interval: must lie between 1s and 3650d"},
        {"topic: x\nrecrawl: {policy: adaptive, max: 999w}\n",
         "topic.yaml:2: recrawl.max: must lie between 1s and 3650d"},
        {"topic: x\nrecrawl: {policy: adaptive, min: 5d, max: 1d}\n",
         "topic.yaml:2: recrawl: min is longer than max (1h and 90d unless given); swap or change them"},
        {"topic: x\nrecrawl: {policy: adaptive, interval: 1m}\n",
         "topic.yaml:2: recrawl: interval (7d unless given) must lie between min (1h) and max (90d)"},
        {"topic: x\nscope: {includes: []}\n", "topic.yaml:2: scope.includes: unknown key; did you mean 'include'?"},
        {"topic: x\nscope: ['*.org']\n", "topic.yaml:2: scope: expected a map (key: value), got a list"},
        {"topic: x\nscope: {include: ['https://a.org/*']}\n", "topic.yaml:2: scope.include #1: 'https://a.org/*' can "
                                                              "match no URL: patterns are compared without the scheme; "
                                                              "remove 'https://'"},
        {"topic: x\nscope: {exclude: ['münchen.de']}\n", "topic.yaml:2: scope.exclude #1: 'münchen.de' can match no "
                                                         "URL: write hosts as xn--… and other characters as %XX, "
                                                         "without spaces"},
        {"topic: x\nscope: {include: ['']}\n",
         "topic.yaml:2: scope.include #1: an empty pattern matches nothing; remove it"},
        {"topic: x\nscope: {exclude: ['*?sort=*']}\n", "topic.yaml:2: scope.exclude #1: '*?sort=*' has no '/' and is "
                                                       "compared with the host alone, which it can never "
                                                       "match; write '*/*…'"},
        {"topic: x\nscope: {include: ['a.test:8080']}\n", "topic.yaml:2: scope.include #1: 'a.test:8080' has no '/' "
                                                          "and is compared with the host alone, which it can never "
                                                          "match; write 'HOST:PORT/*'"},
        {"topic: x\nscope: {types: [html]}\n",
         "topic.yaml:2: scope.types #1: expected a type such as text/html or text/*, got 'html'"},
        {"topic: x\nscope: {hops_off_domain: far}\n",
         "topic.yaml:2: scope.hops_off_domain: expected a whole number, got 'far'"},
        {"topic: x\nlimits:\n  pages: many\n", "topic.yaml:3: limits.pages: expected a whole number, got 'many'"},
        {"topic: x\nlimits: {time: 5}\n",
         "topic.yaml:2: limits.time: expected a duration such as 250ms, 30s, 2h or 1h30m, got '5'"},
        {"topic: x\nlimits: {page_bytes: 10}\n",
         "topic.yaml:2: limits.page_bytes: must lie between 1KiB and 1GiB, got 10 bytes"},
        {"topic: x\nlimits: {per_host: 10, per_domain: 5}\n",
         "topic.yaml:2: limits.per_host: 10 is more than limits.per_domain allows (5); lower it or remove it"},
        {"topic: x\nlimits: {depth: 4294967296}\n",
         "topic.yaml:2: limits.depth: must be at most 4294967295, got 4294967296"},
        {"topic: x\npoliteness: {timeout: 10ms}\n", "topic.yaml:2: politeness.timeout: must lie between 100ms and 1d"},
        {"topic: x\npoliteness: {per_host: 0}\n", "topic.yaml:2: politeness.per_host: must be at least 1, got 0"},
        {"topic: x\npoliteness: {per_host: 9}\n", "topic.yaml:2: politeness.per_host: per_host (9) is more than per_ip "
                                                  "(8) allows; raise per_ip or lower per_host"},
        {"topic: x\npoliteness: {user_agent: \"a\\r\\nX-Evil: 1\"}\n",
         "topic.yaml:2: politeness.user_agent: must be plain ASCII on one line"},
        {"topic: x\npoliteness: {user_agent: ''}\n",
         "topic.yaml:2: politeness.user_agent: must have 1 to 256 characters"},
        {"topic: x\nstrategy: [fish]\n",
         "topic.yaml:2: strategy: expected a name or a map such as {name: best-first}, got a list"},
        {"topic: x\nstrategy: {width: 5}\n",
         "topic.yaml:2: strategy: the key 'name' is missing; write for example {name: best-first}"},
        {"topic: x\nstrategy: 'fish:width=5'\n",
         "topic.yaml:2: strategy: expected the name of a strategy, or a map such as {name: fish, width: 5}, got "
         "'fish:width=5'"},
        {"topic: x\nstrategy: {name: fish, width: [5]}\n", "topic.yaml:2: strategy.width: expected a text, got a list"},
        {"topic: x\nseed: [https://a.test/]\n",
         "topic.yaml:2: seed: expected the whole number that random numbers start from; did you mean 'seeds'?"},
        {"topic: x\nwindow: -1\n", "topic.yaml:2: window: expected a whole number, got '-1'"},
        {"topic: x\nstrip_tracking: 5\n", "topic.yaml:2: strip_tracking: expected true or false, got '5'"},
        {"topic: x\nrelevant: 'ice hockey'\n",
         "topic.yaml:2: relevant: 1:5: expected 'and', 'or' or the end (a phrase stands in quotes), got hockey\n"
         "    ice hockey\n        ^"},
        {"topic: x\nrelevant: 'a or category(\"A\") > 0.5'\n",
         "topic.yaml:2: relevant: 1:6: category() needs categories to learn; add the key 'taxonomy' to the topic file\n"
         "    a or category(\"A\") > 0.5\n         ^"},
        {"topic: x\nbrowsing: [a, b]\n", "topic.yaml:2: browsing: expected the path of a file that 'scent browse train' made"},
        {"topic: x\nrelevant: 'browsing()'\n",
         "topic.yaml:2: relevant: 1:1: browsing() needs a model of somebody's browsing; add the key 'browsing' with a file that "
         "'scent browse train' made\n    browsing()\n    ^"},
        {"topic: x\nrelevant: 'classifier()'\n",
         "topic.yaml:2: relevant: 1:1: classifier() needs examples to learn from; add the key 'examples' to the topic file\n"
         "    classifier()\n    ^"},
        {"topic: x\nseeds_file: no/such.txt\n",
         "topic.yaml:2: seeds_file: cannot open no/such.txt: No such file or directory"},
        {"topic: x\nseeds_file: \"a\\0b\"\n",
         "topic.yaml:2: seeds_file: expected the path of a file with one URL a line"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errmsg err = {{0}};
        struct topic *topic;

        assert_int_not_equal(topic_parse(str_of(cases[i].text), "topic.yaml", &topic, &err), SCENT_OK);
        assert_null(topic);
        assert_string_equal(err.text, cases[i].message);
    }
}

static void seeds_file_lies_beside_the_topic(void **state)
{
    char *dir = test_make_dir(), path[600], seeds[600];
    struct errmsg err = {{0}};
    struct topic *topic;

    (void)state;
    snprintf(path, sizeof path, "%s/topic.yaml", dir);
    snprintf(seeds, sizeof seeds, "%s/seeds.txt", dir);
    assert_ok(file_replace(path, STR("topic: x\nseeds: [https://a.test/]\nseeds_file: seeds.txt\n"), &err), err);
    assert_ok(file_replace(seeds, STR("\xEF\xBB\xBF# two\r\n\r\nhttps://b.test/\r\n  https://a.test/ \n"), &err), err);
    assert_ok(topic_load(path, &topic, &err), err);
    assert_int_equal(topic->nseeds, 2);
    assert_str(topic->seeds[1].href, "https://b.test/");
    topic_free(topic);
    assert_int_equal(topic_load("no/such.yaml", &topic, &err), SCENT_E_NOTFOUND);
    assert_string_equal(err.text, "there is no topic file no/such.yaml; 'scent init NAME URL…' writes one");
    test_remove_dir(dir);
}

static void a_bad_line_among_ten_thousand_is_named(void **state)
{
    struct topic *topic = load("topic: x\nseeds: [https://first.test/]\nscope: {exclude: [bad.test]}\n");
    struct errmsg err = {{0}};
    struct buf list;

    (void)state;
    buf_init(&list, 0);
    for (int i = 1; i <= 10000; i++)
        buf_printf(&list, i == 9731 ? "htp:/x\n" : "https://h%d.test/\n", i);
    assert_int_equal(topic_add_seeds(topic, buf_str(&list), "seeds.txt", &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "seeds.txt:9731: 'htp:/x' is not an http or https URL");
    assert_int_equal(topic->nseeds, 1);
    assert_str(topic->seeds[0].href, "https://first.test/");
    assert_int_equal(topic_add_seeds(topic, STR("https://a.test/\nhttps://bad.test/"), "-", &err), SCENT_E_INVALID);
    assert_string_equal(err.text,
                        "-:2: 'https://bad.test/' lies outside the scope: scope.exclude 'bad.test' matches; remove "
                        "the seed or change the pattern");
    buf_clear(&list);
    for (int i = 1; i <= 10000; i++)
        buf_printf(&list, "https://h%d.test/\n", i % 5000);
    assert_ok(topic_add_seeds(topic, buf_str(&list), "seeds.txt", &err), err);
    assert_int_equal(topic->nseeds, 5001);
    assert_str(topic->seeds[5000].href, "https://h0.test/");
    buf_release(&list);
    topic_free(topic);
}

static void a_strategy_from_the_command_line_replaces_the_file_s(void **state)
{
    static const char *const wrong[] = {"", ":", "fish:", "fish:width", "fish:=5", "fish:a=1,,b=2", "fi sh"};
    struct topic *topic = load("topic: x\nstrategy: {name: best-first, a: b}\n");
    struct errmsg err = {{0}};

    (void)state;
    assert_ok(topic_set_strategy(topic, STR("fish:width=5,depth=4"), &err), err);
    assert_str(topic->strategy, "fish");
    assert_int_equal(topic->noptions, 2);
    assert_str(topic->options[1].key, "depth");
    assert_str(topic->options[1].value, "4");
    assert_ok(topic_set_strategy(topic, STR("random"), &err), err);
    assert_int_equal(topic->noptions, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(topic_set_strategy(topic, str_of(wrong[i]), &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "strategy 'fi sh': expected NAME or NAME:key=value,key=value");
    assert_int_equal(topic_set_strategy(topic, STR("fish:a=1,a=2"), &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "strategy 'fish:a=1,a=2': the option 'a' is given twice");
    assert_str(topic->strategy, "random");
    topic_free(topic);
}

static void the_template_loads(void **state)
{
    static const char *const names[] = {"hockey", "it's: #1 {x}", "Eishockey in Köln", "null", "12"};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct topic *topic;

        buf_clear(&out);
        assert_int_equal(topic_write_draft(&(struct topic_draft){.name = str_of(names[i])}, &out), SCENT_OK);
        topic = load(buf_z(&out));
        assert_str(topic->name, names[i]);
        assert_int_equal(topic->nseeds, 0); /* an example of an address would be visited */
        topic_free(topic);
    }
    assert_int_equal(topic_write_draft(&(struct topic_draft){.name = STR("a\nb")}, &out), SCENT_E_INVALID);
    assert_int_equal(topic_write_draft(&(struct topic_draft){.name = STR(" ")}, &out), SCENT_E_INVALID);
    buf_release(&out);
}

static void a_draft_has_seeds_and_a_contact(void **state)
{
    static const struct {
        const char *contact, *agent;
    } cases[] = {
        {"o'hara@example.org", "(+mailto:o'hara@example.org)"},
        {"https://example.org/crawl", "(+https://example.org/crawl)"},
    };
    struct str seeds[] = {STR("http://a.example/it's"), STR("http://b.example/")};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topic_draft draft = {.name = STR("x"), .seeds = seeds, .nseeds = 2, .contact = str_of(cases[i].contact)};
        struct topic *topic;

        buf_clear(&out);
        assert_int_equal(topic_write_draft(&draft, &out), SCENT_OK);
        topic = load(buf_z(&out));
        assert_int_equal(topic->nseeds, 2);
        assert_true(topic_has_contact(topic));
        assert_non_null(strstr(topic->politeness.user_agent.p, cases[i].agent));
        topic_free(topic);
    }
    buf_release(&out);
}

/* The comment of the file that `scent init` writes, and the code. */
static void the_template_knows_the_threshold_of_similar(void **state)
{
    struct buf out;
    char told[64];

    (void)state;
    buf_init(&out, 0);
    assert_int_equal(topic_write_draft(&(struct topic_draft){.name = STR("x")}, &out), SCENT_OK);
    snprintf(told, sizeof told, "alone it asks for more than %g)", SIGNATURE_THRESHOLD);
    assert_non_null(strstr(buf_z(&out), told));
    buf_release(&out);
}

/* What the template shows behind '#' must be right too. */
static void the_template_s_comments_load(void **state)
{
    struct buf out, open;
    struct str rest, line;
    struct topic *topic;

    (void)state;
    buf_init(&out, 0);
    buf_init(&open, 0);
    assert_int_equal(topic_write_draft(&(struct topic_draft){.name = STR("x")}, &out), SCENT_OK);
    for (rest = buf_str(&out); str_split(&rest, '\n', &line); buf_addc(&open, '\n')) {
        size_t hash = str_find(line, '#'), end = hash + 2;

        while (end < line.len && (ascii_is_alpha(line.p[end]) || line.p[end] == '_'))
            end++;
        if (str_trim(str_sub(line, 0, hash)).len == 0 && end + 1 < line.len && line.p[end] == ':' &&
            !str_starts(str_sub(line, hash + 2, line.len), STR("seeds_file")) &&
            !str_starts(str_sub(line, hash + 2, line.len), STR("relevant"))) {
            buf_add(&open, str_sub(line, 0, hash));
            buf_add(&open, str_sub(line, hash + 2, line.len));
        } else {
            buf_add(&open, line);
        }
    }
    topic = load(buf_z(&open));
    assert_int_equal(topic->scope.hops_off_domain, 3);
    assert_true(topic_has_contact(topic));
    topic_free(topic);
    buf_release(&open);
    buf_release(&out);
}

static void a_query_says_what_is_relevant(void **state)
{
    struct errmsg err = {{0}};
    struct topic *topic;

    (void)state;
    assert_ok(topic_parse(STR("topic: x\nquery: 'hockey (nhl OR league)'\n"), "topic.yaml", &topic, &err), err);
    assert_non_null(topic->query);
    assert_str(topic->relevant, "query() > 0.45");
    topic_free(topic);
    assert_ok(topic_parse(STR("topic: x\nquery: hockey\nstrategy: best-first\nrelevant: 'rink and query()'\n"), "topic.yaml", &topic, &err),
              err);
    assert_str(topic->relevant, "rink and query()");
    assert_int_equal(topic->noptions, 0);
    topic_free(topic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_says_what_is_relevant),
        cmocka_unit_test(defaults),
        cmocka_unit_test(recrawl_is_read),
        cmocka_unit_test(reads_every_key),
        cmocka_unit_test(browsing_lies_beside_the_topic_file),
        cmocka_unit_test(traces_lie_beside_the_topic_file),
        cmocka_unit_test(tracking_is_stripped_by_default),
        cmocka_unit_test(errors_name_line_and_fix),
        cmocka_unit_test(seeds_file_lies_beside_the_topic),
        cmocka_unit_test(a_bad_line_among_ten_thousand_is_named),
        cmocka_unit_test(a_strategy_from_the_command_line_replaces_the_file_s),
        cmocka_unit_test(the_template_loads),
        cmocka_unit_test(a_draft_has_seeds_and_a_contact),
        cmocka_unit_test(the_template_s_comments_load),
        cmocka_unit_test(the_template_knows_the_threshold_of_similar),
    };

    return cmocka_run_group_tests_name("topic/file", tests, NULL, NULL);
}
