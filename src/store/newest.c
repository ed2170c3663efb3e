#include "store/newest.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

void newest_part(struct str *key, struct sv v)
{
	str_addsv(key, v);
	str_addc(key, v.p ? '\x1f' : '\x1e');
}

struct teller {
	struct newest_end end;
	int64_t src;
};

struct newest {
	struct intern keys;
	VEC(int64_t) seen;       /* [key] how long at least, INT64_MIN: nobody says */
	VEC(struct teller) best; /* [key] */
};

static int rank_end(struct newest_end e, int64_t seen_ms)
{
	if (e.known == END_TOLD && e.at_ms >= seen_ms)
		return 3;
	if (e.known == END_SEEN)
		return 2;
	return e.known == END_TOLD;
}

static bool is_better(struct teller a, struct teller b, int64_t seen_ms)
{
	int ra = rank_end(a.end, seen_ms), rb = rank_end(b.end, seen_ms);
	if (ra != rb)
		return ra > rb;
	if (a.end.known == END_SEEN && a.end.at_ms != b.end.at_ms)
		return a.end.at_ms > b.end.at_ms;
	return a.src > b.src;
}

size_t newest_keep(void *row, size_t n, size_t size, const int64_t *src, newest_key_fn *key,
		   newest_end_fn *end)
{
	bool one_file = true;
	for (size_t i = 1; i < n && one_file; i++)
		one_file = src[i] == src[0];
	if (one_file)
		return n;
	struct newest w = { 0 };
	struct str text = { 0 };
	uint32_t *id = xmalloc(n * sizeof *id + 1);
	struct newest_end none = { 0 };
	char *v = row;
	for (size_t i = 0; i < n; i++) {
		str_clear(&text);
		key(&text, v + i * size);
		struct newest_end e = end ? end(v + i * size) : none;
		uint32_t k = id[i] = intern_add(&w.keys, str_sv(&text));
		if (k == w.seen.n) {
			*vec_push(&w.seen) = INT64_MIN;
			*vec_push(&w.best) = (struct teller){ .src = INT64_MIN };
		}
		if (e.known == END_SEEN)
			w.seen.v[k] = max_i64(e.at_ms, w.seen.v[k]);
	}
	for (size_t i = 0; i < n; i++) {
		struct teller t = { .src = src[i] };
		if (end)
			t.end = end(v + i * size);
		struct teller *best = &w.best.v[id[i]];
		if (best->src == INT64_MIN || is_better(t, *best, w.seen.v[id[i]]))
			*best = t;
	}
	size_t out = 0;
	for (size_t i = 0; i < n; i++)
		if (w.best.v[id[i]].src == src[i]) {
			if (out != i)
				memcpy(v + out * size, v + i * size, size);
			out++;
		}
	free(id);
	intern_free(&w.keys);
	vec_free(&w.seen);
	vec_free(&w.best);
	str_free(&text);
	return out;
}
