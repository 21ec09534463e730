#include "conf/node.h"

static const struct {
    const char *problem, *sentence;
} explained[] = {
    {"mapping values are not allowed in this context",
     "a ':' stands where no key can be; put a text that contains ': ' in quotes, or check the indentation"},
    {"block sequence entries are not allowed in this context",
     "a '-' item stands where no list can be; start the list on a line of its own"},
    {"block mapping entries are not allowed in this context",
     "a key stands where no key can be; check the indentation"},
    {"mapping keys are not allowed in this context", "a key stands where no key can be; check the indentation"},
    {"did not find expected key",
     "expected 'key: value' here; check the indentation and the quotes of the lines above"},
    {"did not find expected '-' indicator", "expected '- item' here; the items of a list must be indented alike"},
    {"did not find expected ',' or ']'", "expected ',' or ']'; a list in brackets is not closed"},
    {"did not find expected ',' or '}'", "expected ',' or '}'; a map in braces is not closed"},
    {"could not find expected ':'", "expected ':' after the key"},
    {"found character that cannot start any token",
     "this character cannot begin a value; indent with spaces instead of tabs, and put @, `, % in quotes"},
    {"found a tab character that violates indentation", "a tab in the indentation; use spaces"},
    {"found a tab character where an indentation space is expected", "a tab in the indentation; use spaces"},
    {"found unexpected end of stream", "a text in quotes is not closed before the end of the file"},
    {"found unexpected document indicator", "a text in quotes is not closed before this line"},
    {"found unknown escape character",
     "an unknown escape in a text in double quotes; use single quotes, where a backslash is only a backslash"},
    {"did not find expected hexdecimal number", "an escape in double quotes lacks its hexadecimal digits"},
    {"did not find expected <document start>", "there is something after the end of the document; remove it"},
    {"did not find expected node content", "a value is missing here"},
    {"did not find expected comment or line break", "after '|' or '>' the text must begin on the next line"},
    {"found undefined tag handle", "tags (!) are not supported; put a text that begins with '!' in quotes"},
    {"did not find expected alphabetic or numeric character",
     "'&' and '*' have a special meaning at the start of a value; put the text in quotes"},
    {"control characters are not allowed", "a control character; remove it, or write it as an escape in double quotes"},
    {"invalid leading UTF-8 octet", "this is not UTF-8 text; save the file as UTF-8"},
    {"invalid trailing UTF-8 octet", "this is not UTF-8 text; save the file as UTF-8"},
    {"incomplete UTF-8 octet sequence", "this is not UTF-8 text; save the file as UTF-8"},
    {"invalid length of a UTF-8 sequence", "this is not UTF-8 text; save the file as UTF-8"},
    {"invalid Unicode character", "this is not UTF-8 text; save the file as UTF-8"},
};

const char *conf_explain(const char *problem)
{
    for (size_t i = 0; i < sizeof explained / sizeof *explained; i++)
        if (strcmp(explained[i].problem, problem) == 0)
            return explained[i].sentence;
    return problem;
}
