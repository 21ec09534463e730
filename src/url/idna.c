#include "url/idna.h"

#include <idn2.h>

scent_status url_idna_put(struct url_out *out, struct str name)
{
    char copy[SCENT_URL_MAX + 1];
    uint8_t *ascii;
    int result;

    if (!name.len || memchr(name.p, 0, name.len))
        return SCENT_E_INVALID;
    memcpy(copy, name.p, name.len);
    copy[name.len] = 0;
    result = idn2_lookup_u8((const uint8_t *)copy, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (result != IDN2_OK)
        return result == IDN2_MALLOC ? SCENT_E_NOMEM : SCENT_E_INVALID;
    url_out_str(out, str_of((char *)ascii));
    idn2_free(ascii);
    return SCENT_OK;
}
