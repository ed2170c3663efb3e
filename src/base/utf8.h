#ifndef TARE_BASE_UTF8_H
#define TARE_BASE_UTF8_H
/* Texts that come from elsewhere: what is no UTF-8 is read as Latin-1, byte by byte, so that names
 * which differ stay different. 0x80 to 0x9f, control characters there, become U+FFFD. */
#include <stdint.h>
#include "base/str.h"

bool sv_is_ascii(struct sv v);
/* v itself where it is UTF-8, else a copy of it in *out. */
struct sv utf8_of(struct str *out, struct sv v);
/* The bytes of a character; returns how many, 1 to 4. */
size_t utf8_put(char out[4], uint32_t c);

#endif
