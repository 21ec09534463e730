#include "page/charset_labels.h"

#include <stddef.h>

const struct charset_labels charset_labels[] = {
    {"utf-8", NULL, " utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 "},
    {"windows-1252", NULL,
     " windows-1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 latin1 l1 iso-ir-100 ascii us-ascii "
     "ansi_x3.4-1968 cp1252 x-cp1252 cp819 ibm819 csisolatin1 x-user-defined "},
    {"iso-8859-2", "ISO-8859-2",
     " iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 latin2 l2 iso-ir-101 csisolatin2 "},
    {"iso-8859-3", "ISO-8859-3",
     " iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 latin3 l3 iso-ir-109 csisolatin3 "},
    {"iso-8859-4", "ISO-8859-4",
     " iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 latin4 l4 iso-ir-110 csisolatin4 "},
    {"iso-8859-5", "ISO-8859-5",
     " iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 cyrillic iso-ir-144 csisolatincyrillic "},
    {"iso-8859-6", "ISO-8859-6",
     " iso-8859-6 iso-8859-6-e iso-8859-6-i iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 arabic asmo-708 ecma-114 "
     "iso-ir-127 csiso88596e csiso88596i csisolatinarabic "},
    {"iso-8859-7", "ISO-8859-7",
     " iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 greek greek8 sun_eu_greek ecma-118 elot_928 iso-ir-126 "
     "csisolatingreek "},
    {"iso-8859-8", "ISO-8859-8",
     " iso-8859-8 iso-8859-8-e iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 hebrew visual iso-ir-138 csiso88598e "
     "csisolatinhebrew iso-8859-8-i csiso88598i logical "},
    {"iso-8859-10", "ISO-8859-10", " iso-8859-10 iso8859-10 iso885910 latin6 l6 iso-ir-157 csisolatin6 "},
    {"iso-8859-13", "ISO-8859-13", " iso-8859-13 iso8859-13 iso885913 "},
    {"iso-8859-14", "ISO-8859-14", " iso-8859-14 iso8859-14 iso885914 "},
    {"iso-8859-15", "ISO-8859-15", " iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9 csisolatin9 "},
    {"iso-8859-16", "ISO-8859-16", " iso-8859-16 "},
    {"koi8-r", "KOI8-R", " koi8-r koi8_r koi8 koi cskoi8r "},
    {"koi8-u", "KOI8-U", " koi8-u koi8-ru "},
    {"ibm866", "CP866", " ibm866 866 cp866 csibm866 "},
    {"macintosh", "MACINTOSH", " macintosh mac x-mac-roman csmacintosh "},
    {"x-mac-cyrillic", "MAC-CYRILLIC", " x-mac-cyrillic x-mac-ukrainian "},
    {"windows-874", "CP874", " windows-874 tis-620 dos-874 iso-8859-11 iso8859-11 iso885911 "},
    {"windows-1250", "CP1250", " windows-1250 cp1250 x-cp1250 "},
    {"windows-1251", "CP1251", " windows-1251 cp1251 x-cp1251 "},
    {"windows-1253", "CP1253", " windows-1253 cp1253 x-cp1253 "},
    {"windows-1254", "CP1254",
     " windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 latin5 l5 iso-ir-148 "
     "csisolatin5 "},
    {"windows-1255", "CP1255", " windows-1255 cp1255 x-cp1255 "},
    {"windows-1256", "CP1256", " windows-1256 cp1256 x-cp1256 "},
    {"windows-1257", "CP1257", " windows-1257 cp1257 x-cp1257 "},
    {"windows-1258", "CP1258", " windows-1258 cp1258 x-cp1258 "},
    {"gbk", "GB18030", " gbk gb2312 gb_2312 gb_2312-80 chinese x-gbk iso-ir-58 csgb2312 csiso58gb231280 "},
    {"gb18030", "GB18030", " gb18030 "},
    {"big5", "BIG5-HKSCS", " big5 big5-hkscs cn-big5 x-x-big5 csbig5 "},
    {"euc-jp", "EUC-JP-MS", " euc-jp x-euc-jp cseucpkdfmtjapanese "},
    {"iso-2022-jp", "ISO-2022-JP", " iso-2022-jp csiso2022jp "},
    {"shift_jis", "CP932", " shift_jis shift-jis sjis x-sjis ms932 ms_kanji windows-31j csshiftjis "},
    {"euc-kr", "CP949",
     " euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949 iso-ir-149 cseuckr csksc56011987 "},
    {"utf-16be", "UTF-16BE", " utf-16be unicodefffe "},
    {"utf-16le", "UTF-16LE", " utf-16le utf-16 unicode unicodefeff ucs-2 csunicode iso-10646-ucs-2 "},
};
const unsigned charset_labels_count = sizeof charset_labels / sizeof *charset_labels;
