#include "opt/size/idle.h"
#include "base/num.h"
#include "base/sort.h"

#include <stdlib.h>

#define HOUR_MS 3600000LL

static int by_from(const void *pa, const void *pb)
{
	const struct idle_span *a = pa, *b = pb;

	return cmp_i64(a->from_ms, b->from_ms);
}

size_t idle_union(struct idle_span *v, size_t n)
{
	size_t k = 0;

	if (n)
		sort_items(v, n, sizeof *v, by_from);
	for (size_t i = 0; i < n; i++) {
		if (v[i].to_ms <= v[i].from_ms)
			continue;
		if (k && v[i].from_ms <= v[k - 1].to_ms) {
			if (v[i].to_ms > v[k - 1].to_ms)
				v[k - 1].to_ms = v[i].to_ms;
			continue;
		}
		v[k++] = v[i];
	}
	return k;
}

size_t idle_release(const struct idle_span *busy, size_t n, struct idle_span paid,
		    struct idle_wait rule, struct idle_span *ret)
{
	int64_t free_from = paid.from_ms;
	size_t k = 0;

	for (size_t i = 0; i <= n; i++) {
		bool wanted = i < n && busy[i].from_ms < paid.to_ms;
		int64_t until = paid.to_ms;
		if (wanted)
			until = busy[i].from_ms - rule.boot_ms;
		if (until - (free_from + rule.release_ms) > 0)
			ret[k++] = (struct idle_span){ free_from + rule.release_ms, until };
		if (!wanted)
			break;
		if (busy[i].to_ms > free_from)
			free_from = busy[i].to_ms;
	}
	return k;
}

static bool is_idle(const struct idle_hour *h)
{
	return h->ms > 0 && h->idle_ms >= h->ms - h->ms / 1000;
}

struct idle_cull idle_cull(const struct idle_hour *h, size_t n, int64_t after_ms)
{
	struct idle_cull c = { 0 };
	int64_t idle_since = INT64_MIN;
	bool off = false;

	for (size_t i = 0; i < n; i++) {
		bool gap = i && h[i].hour_ms > h[i - 1].hour_ms + HOUR_MS;
		if (!is_idle(&h[i]) || gap) {
			c.restarts += off && !is_idle(&h[i]);
			off = false;
			idle_since = is_idle(&h[i]) ? h[i].hour_ms : INT64_MIN;
			continue;
		}
		if (idle_since == INT64_MIN)
			idle_since = h[i].hour_ms;
		if (h[i].hour_ms - idle_since < after_ms)
			continue;
		c.stops += !off;
		off = true;
		c.off_ms += h[i].ms;
		c.saved_nano += h[i].nano;
	}
	return c;
}
