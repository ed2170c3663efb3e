#ifndef TARE_NET_EXPO_H
#define TARE_NET_EXPO_H
/*
 * A line of Prometheus text (0.0.4) or OpenMetrics (1.0): NAME{label="value",...} VALUE [TIME] [#
 * exemplar]. Lenient where real exporters are: blanks after commas, tabs, a comma before the
 * closing brace.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/str.h"

#define EXPO_LABELS_MAX 128

struct expo_label {
	struct sv name, value; /* value unescaped */
};
struct expo_line {
	struct sv name;
	struct expo_label label[EXPO_LABELS_MAX];
	size_t nlabel;
	double value; /* NaN and infinities are values */
	int64_t t_ms; /* INT64_MIN: the line has no time */
	/* memory of values that had escapes; zero-initialise, free with expo_line_free() */
	struct str unescaped;
};

/*
 * Read a line without its line break. Times: OpenMetrics has seconds, the older text milliseconds;
 * a number with a point or below 10^11 counts as seconds. Returns 1 a sample, 0 a comment or blank
 * line, -EINVAL with *ret_why (static text) set. Views point into `line` or into ret->unescaped and
 * are valid until the next call.
 */
int expo_parse(struct sv line, struct expo_line *ret, const char **ret_why);
/* Value of the first label of one of the NULL-terminated names (ASCII without case), {NULL,0} if
 * none or empty. */
struct sv expo_label(const struct expo_line *l, const char *const *names);
void expo_line_free(struct expo_line *l);

#endif
