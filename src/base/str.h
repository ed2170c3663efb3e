#ifndef TARE_BASE_STR_H
#define TARE_BASE_STR_H
/*
 * Text: a view (struct sv, borrowed, not terminated) and a growing buffer (struct str, owned,
 * always terminated).
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A borrowed piece of text. p == NULL is "no value" (NULL of a table), p != NULL with n == 0 is the
 * empty text. */
struct sv {
	const char *p;
	size_t n;
};

#define SV(lit) ((struct sv){ "" lit, sizeof(lit) - 1 })
#define SV_NULL ((struct sv){ NULL, 0 })
#define SVF(s)  (int)(s).n, (s).p /* for "%.*s" */

static inline struct sv sv_of(const char *s)
{
	return s ? (struct sv){ s, strlen(s) } : SV_NULL;
}

/* a, b where a is empty */
static inline struct sv sv_or(struct sv a, struct sv b)
{
	return a.n ? a : b;
}

/* z, `other` where z is NULL; where z is NULL or empty. */
static inline const char *text_or(const char *z, const char *other)
{
	return z ? z : other;
}
static inline const char *filled_or(const char *z, const char *other)
{
	return z && *z ? z : other;
}

/* The same text; NULL is as "". */
static inline bool text_same(const char *a, const char *b)
{
	return !strcmp(text_or(a, ""), text_or(b, ""));
}

/* What a sentence has only sometimes: z, or nothing (""). */
static inline const char *text_if(bool shown, const char *z)
{
	return shown ? z : "";
}
/* The s of "3 jobs": not of one. */
static inline const char *plural(int64_t n)
{
	return text_if(n != 1, "s");
}

/* What follows the first n bytes; n <= a.n. No value stays none: C forbids even NULL + 0. */
static inline struct sv sv_from(struct sv a, size_t n)
{
	return n ? (struct sv){ a.p + n, a.n - n } : a;
}

static inline bool sv_eq(struct sv a, struct sv b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool sv_is(struct sv a, const char *s)
{
	return sv_eq(a, sv_of(s));
}

bool sv_ieq(struct sv a, struct sv b); /* ASCII letters compare without case */
bool sv_starts(struct sv a, struct sv prefix);
bool sv_ends(struct sv a, struct sv suffix);
bool sv_has(struct sv a, struct sv needle);  /* substring */
bool sv_ihas(struct sv a, struct sv needle); /* substring, ASCII letters without case */
int sv_cmp(struct sv a, struct sv b);        /* bytes, shorter first */
struct sv sv_trim(struct sv a);              /* ASCII white space off both ends */
/* * and ?, no case folding, no recursion: at most text x pattern steps */
bool sv_glob(struct sv text, struct sv pattern);
/* Cut at the first sep: returns the part before it, *rest what follows ({NULL,0} when there was no
 * sep). */
struct sv sv_cut(struct sv a, char sep, struct sv *rest);

/* Whole-text integers. Return 0, -EINVAL (not a number, or rubbish after it) or -ERANGE. */
int sv_i64(struct sv a, int64_t *ret);
/* Whole-text decimal floating point ("12", "1.5e3", never "nan" or hex). For measurements only,
 * never for money. */
int sv_f64(struct sv a, double *ret);

/* The value of a hexadecimal digit, in either case; -1: it is none. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}
/* The byte that the two digits at p stand for; -1: they are none. */
static inline int hex_pair(const char *p)
{
	int hi = hex_digit(p[0]), lo = hex_digit(p[1]);

	if (hi < 0 || lo < 0)
		return -1;
	return hi * 16 + lo;
}

/* For sorting arrays of texts, rising: of const char *, of struct sv. */
int rising_text(const void *a, const void *b);
int rising_sv(const void *a, const void *b);

/* A growing text; zero-initialise. Allocation failure aborts (see mem.h on memory). */
struct str {
	char *p; /* NULL until the first write */
	size_t n, cap;
};

void str_free(struct str *s);
void str_clear(struct str *s); /* keeps the memory */
void str_add(struct str *s, const char *p, size_t n);
void str_addz(struct str *s, const char *z);
void str_addsv(struct str *s, struct sv v);
void str_setsv(struct str *s, struct sv v); /* v alone, in the memory that s has */
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_addvf(struct str *s, const char *fmt, va_list ap);
/* The text, "" when nothing was written. */
static inline const char *str_z(const struct str *s)
{
	return s->p ? s->p : "";
}
static inline struct sv str_sv(const struct str *s)
{
	return (struct sv){ s->p ? s->p : "", s->n };
}

#endif
