#include "feed/jobs/hostlist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"

struct names {
	struct arena *mem;
	size_t max;
	VEC(struct sv) out;
};

/* Where the first element of a list ends: a comma that is not inside brackets. Negative: brackets
 * do not match. */
static long element_end(struct sv list)
{
	bool inside = false;

	for (size_t i = 0; i < list.n; i++) {
		if (list.p[i] == '[') {
			if (inside)
				return -EINVAL;
			inside = true;
		} else if (list.p[i] == ']') {
			if (!inside)
				return -EINVAL;
			inside = false;
		} else if (list.p[i] == ',' && !inside) {
			return (long)i;
		}
	}
	if (inside)
		return -EINVAL;
	return (long)list.n;
}

static int expand_names(struct names *s, struct sv prefix, struct sv rest);

/* prefix + one number + rest, for each number of "01-04". */
static int expand_range(struct names *s, struct sv prefix, struct sv range, struct sv rest)
{
	struct sv last, first = sv_cut(range, '-', &last);
	int64_t lo, hi;
	int rc = 0;

	if (!last.p)
		last = first;
	if (first.n > 9 || last.n > 9 || sv_i64(first, &lo) < 0)
		return -EINVAL;
	if (sv_i64(last, &hi) < 0 || !within_i64(lo, 0, hi))
		return -EINVAL;
	int width = 0;
	if (first.n > 1 && first.p[0] == '0')
		width = (int)first.n;
	for (int64_t i = lo; i <= hi && !rc; i++) {
		char *p = arena_printf(s->mem, "%.*s%0*lld", SVF(prefix), width, (long long)i);
		rc = expand_names(s, sv_of(p), rest);
	}
	return rc;
}

/* All names that start with prefix (already plain) and go on with rest. */
static int expand_names(struct names *s, struct sv prefix, struct sv rest)
{
	const char *open = rest.n ? memchr(rest.p, '[', rest.n) : NULL;
	int rc = 0;

	if (!open) {
		if (s->out.n == s->max)
			return -E2BIG;
		char *name = arena_printf(s->mem, "%.*s%.*s", SVF(prefix), SVF(rest));
		*vec_push(&s->out) = sv_of(name);
		return 0;
	}
	const char *shut = memchr(open, ']', (size_t)(rest.p + rest.n - open));
	struct sv ranges = { open + 1, (size_t)(shut - open - 1) };
	struct sv tail = { shut + 1, (size_t)(rest.p + rest.n - shut - 1) };
	const char *head = arena_printf(s->mem, "%.*s%.*s", SVF(prefix), (int)(open - rest.p),
					rest.p);
	while (ranges.p && !rc) {
		struct sv more, one = sv_cut(ranges, ',', &more);
		rc = expand_range(s, sv_of(head), one, tail);
		ranges = more;
	}
	return rc;
}

long hostlist_expand(struct arena *mem, struct sv list, size_t max, struct sv **ret_name)
{
	struct names s = { .mem = mem, .max = max };
	int rc = 0;

	list = sv_trim(list);
	while (list.n && !rc) {
		long end = element_end(list);
		if (end <= 0) {
			rc = -EINVAL;
			break;
		}
		rc = expand_names(&s, SV(""), (struct sv){ list.p, (size_t)end });
		if ((size_t)end < list.n && (size_t)end + 1 == list.n) /* a comma at the end */
			rc = -EINVAL;
		if ((size_t)end < list.n)
			list = (struct sv){ list.p + end + 1, list.n - (size_t)end - 1 };
		else
			list = SV_NULL;
	}
	long n = rc;
	if (rc >= 0)
		n = (long)s.out.n;
	if (n > 0) {
		*ret_name = arena_alloc(mem, s.out.n * sizeof **ret_name);
		memcpy(*ret_name, s.out.v, s.out.n * sizeof **ret_name);
	}
	vec_free(&s.out);
	return n;
}
