/* The dump of a directory as a stream: whatever the pieces, the same pages come. */
#include "training/rdf.h"

#include "base/buf.h"
#include "test.h"

static scent_status note(void *ctx, struct str category, struct str url)
{
    buf_printf(ctx, "%.*s %.*s\n", STR_ARG(category), STR_ARG(url));
    return SCENT_OK;
}

static void feed(struct str dump, size_t piece, struct buf *out)
{
    struct rdf *rdf = rdf_new(note, out);

    buf_clear(out);
    for (size_t at = 0; at < dump.len; at += piece)
        assert_int_equal(rdf_feed(rdf, str_sub(dump, at, at + piece < dump.len ? at + piece : dump.len)), SCENT_OK);
    rdf_free(rdf);
}

static void check(const char *dump, const char *want)
{
    struct buf out;

    buf_init(&out, 0);
    for (size_t piece = 1; piece < 70; piece += piece < 8 ? 1 : 20) {
        feed(str_of(dump), piece, &out);
        assert_str(buf_str(&out), want);
    }
    buf_release(&out);
}

static void topics_list_their_pages(void **state)
{
    (void)state;
    check("<?xml version='1.0' encoding='UTF-8' ?>\n<!-- a > b -- <Topic r:id=\"Top/No\"><link r:resource=\"http://no/\"/> -->\n"
          "<RDF xmlns:r=\"http://www.w3.org/TR/RDF/\" xmlns=\"http://dmoz.org/rdf\">\n"
          "<Topic r:id=\"Top/Arts\">\n<catid>1</catid>\n</Topic>\n"
          "<Topic r:id=\"Top/Arts/Movies\">\n<catid>2</catid>\n"
          "<link r:resource=\"http://a.example/\"></link>\n"
          "<link1 r:resource='http://b.example/?x=1&amp;y=2'/>\n</Topic>\n"
          "<Alias r:id=\"Top/Other\"><Target r:resource=\"Top/Arts\"/></Alias>\n</RDF>\n",
          "Top/Arts/Movies http://a.example/\nTop/Arts/Movies http://b.example/?x=1&y=2\n");
}

static void pages_name_their_topic(void **state)
{
    (void)state;
    check("<RDF><ExternalPage about=\"http://a.example/\"><d:Title>A &lt;b&gt; title</d:Title>\n"
          "<d:Description>topic > all</d:Description><priority>1</priority>"
          "<topic>Top/World/Fran&#xE7;ais/R&amp;D</topic></ExternalPage></RDF>",
          "Top/World/Français/R&D http://a.example/\n");
}

/* The real dump has both forms for each page. */
static void nothing_comes_twice(void **state)
{
    (void)state;
    check("<Topic r:id=\"Top/A\"><link r:resource=\"http://a.example/\"/><link r:resource=\"http://a.example/\"/></Topic>"
          "<ExternalPage about=\"http://a.example/\"><topic>Top/A</topic></ExternalPage>"
          "<ExternalPage about=\"http://b.example/\"><topic>Top/A</topic></ExternalPage>"
          "<Topic r:id=\"Top/B\"><link r:resource=\"http://a.example/\"/></Topic>",
          "Top/A http://a.example/\nTop/A http://b.example/\nTop/B http://a.example/\n");
}

static void damage_costs_only_itself(void **state)
{
    (void)state;
    check("\xFF\xFE<<>< ><Topic r:id=\"Top/A\xC3\"><link r:resource=\"http://a.example/\x01\x80\"/>"
          "<link r:resource=\"http://b.example/\n<link r:resource=\"http://c.example/\"/>"
          "<link><link r:resource=http://d.example/><link r:resource=\"http://e.example/?a&b;&#0;&#x110000;&amp\"/>",
          "Top/A\xC3 http://a.example/\x01\x80\nTop/A\xC3 http://b.example/\nTop/A\xC3 http://c.example/\n"
          "Top/A\xC3 http://e.example/?a&b;&#0;&#x110000;&amp\n");
}

static void the_receiver_ends_it(void **state)
{
    (void)state;
    check("</topic></ExternalPage><topic>Top/A</topic>", "");
    check("", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topics_list_their_pages),  cmocka_unit_test(pages_name_their_topic),
        cmocka_unit_test(nothing_comes_twice),      cmocka_unit_test(damage_costs_only_itself),
        cmocka_unit_test(the_receiver_ends_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
