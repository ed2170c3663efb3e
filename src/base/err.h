#ifndef TARE_BASE_ERR_H
#define TARE_BASE_ERR_H
/*
 * One sentence for people beside a negative errno for code.
 *
 * Functions that can fail for reasons outside the program return 0 (or a count) or a negative
 * errno, and describe the failure in *err. Wrong code asserts instead. Libraries never log and
 * never exit.
 */
#include <stdarg.h>
#include <stddef.h>

struct err {
	char msg[1024]; /* lower case, the subject in quotes, no final full stop */
	char hint[512]; /* what to do next, or "" */
};

/* Empty both sentences. */
void err_clear(struct err *e);

/*
 * Set the sentence (and clear the hint); returns code, so that callers can `return err_set(e,
 * -EINVAL, "...")`. e may be NULL. Too long a sentence is cut at a UTF-8 boundary.
 */
int err_set(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Add what to do next to an error already set. */
void err_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Put "prefix: " before the sentence, as in "cannot import 'nov.csv': ...". */
void err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* -ENOMEM with its sentence. */
int err_nomem(struct err *e);

#endif
