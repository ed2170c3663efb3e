#ifndef TARE_BASE_JW_H
#define TARE_BASE_JW_H
/*
 * Write JSON into a str as a stream (reading is jansson's). Keys and values are escaped; invalid
 * UTF-8 becomes U+FFFD. indent 0 = one line. Nesting errors assert; at most 63 levels, one value at
 * the top.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/dec.h"
#include "base/str.h"

struct jw {
	struct str *out;
	int indent; /* blanks per level, 0 = compact */
	int depth;
	uint64_t first; /* bit per level: nothing written yet */
	bool after_key;
};
void jw_init(struct jw *w, struct str *out, int indent);
void jw_obj(struct jw *w);
void jw_end_obj(struct jw *w);
void jw_arr(struct jw *w);
void jw_end_arr(struct jw *w);
void jw_key(struct jw *w, const char *key);
void jw_str(struct jw *w, const char *z); /* NULL -> null */
void jw_sv(struct jw *w, struct sv v);    /* {NULL,0} -> null */
void jw_int(struct jw *w, int64_t v);
/* not finite -> null; for measurements, shares: fixed digits, trailing zeros cut */
void jw_num(struct jw *w, double v, int digits);
void jw_bool(struct jw *w, bool v);
void jw_null(struct jw *w);
void jw_dec(struct jw *w, dec v);          /* money: a decimal string */
void jw_time(struct jw *w, int64_t ms);    /* RFC 3339 UTC */
void jw_raw(struct jw *w, struct sv json); /* a value already in JSON */
/* A key and its value, null where it is not known. */
void jw_put_str(struct jw *w, const char *key, const char *z);        /* NULL -> null */
void jw_put_text(struct jw *w, const char *key, const char *z);       /* NULL and "" -> null */
void jw_put_num(struct jw *w, const char *key, double v, int digits); /* not finite -> null */
void jw_put_int(struct jw *w, const char *key, int64_t v);            /* INT64_MIN -> null */
void jw_put_time(struct jw *w, const char *key, int64_t ms);          /* INT64_MIN -> null */
void jw_put_bool(struct jw *w, const char *key, bool v);
/* money in 10^-9: not finite or beyond int64 -> null */
void jw_put_nano(struct jw *w, const char *key, double nano);
#endif
