/* embed - the bytes of a file as part of the program: NAME and NAME_end, which is followed by a 0 that lets tools show
 * the text. The build gives the path, and compiles the file anew that embeds it when it has changed (modules.cmake). */
#ifndef SCENT_BASE_EMBED_H
#define SCENT_BASE_EMBED_H

#define EMBED(name, path)                  \
    __asm__(".pushsection .rodata\n"       \
            ".global " #name "\n"          \
            ".global " #name "_end\n"      \
            #name ":\n"                    \
            ".incbin \"" path "\"\n"       \
            #name "_end:\n"                \
            ".byte 0\n"                    \
            ".popsection\n");              \
    extern const char name[], name##_end[];

#endif
