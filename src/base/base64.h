#ifndef TARE_BASE_BASE64_H
#define TARE_BASE_BASE64_H
/* Base64 (RFC 4648). What is written is added to `out`. */
#include "base/str.h"

void base64_put(struct str *out, struct sv bytes);    /* with padding */
void base64url_put(struct str *out, struct sv bytes); /* - and _ for + and /, no padding */
/* Base64 with its padding to bytes; -EBADMSG, and nothing added, where it is none. */
int base64_read(struct str *out, struct sv text);

#endif
