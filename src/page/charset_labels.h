/* charset_labels - the encodings of the WHATWG Encoding standard and their labels, as data. */
#ifndef SCENT_PAGE_CHARSET_LABELS_H
#define SCENT_PAGE_CHARSET_LABELS_H

struct charset_labels {
    const char *name;   /* lower case */
    const char *iconv;  /* glibc's name of what the standard means; NULL: decoded here */
    const char *labels; /* between spaces, each with a space before and after */
};

extern const struct charset_labels charset_labels[];
extern const unsigned charset_labels_count;

#endif
