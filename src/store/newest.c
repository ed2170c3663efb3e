#include "store/newest.h"

#include <string.h>

#include "base/mem.h"

void newest_part(struct str *key, struct sv v)
{
	str_addsv(key, v);
	str_addc(key, v.p ? '\x1f' : '\x1e');
}

struct teller {
	int rank;
	int64_t src;
};

struct newest {
	struct intern keys;
	VEC(struct teller) best; /* [key] */
};

static bool better(struct teller a, struct teller b)
{
	if (a.rank != b.rank)
		return a.rank > b.rank;
	return a.src > b.src;
}

/* The key of a row, and who tells of it best so far. */
static uint32_t note_row(struct newest *w, struct sv key, struct teller t)
{
	uint32_t id = intern_add(&w->keys, key);
	if (id == w->best.n)
		*vec_push(&w->best) = t;
	else if (better(t, w->best.v[id]))
		w->best.v[id] = t;
	return id;
}

size_t newest_keep(void *row, size_t n, size_t size, const int64_t *src, newest_key_fn *key,
		   newest_rank_fn *rank)
{
	struct newest w = { 0 };
	struct str text = { 0 };
	uint32_t *id = xmalloc(n * sizeof *id + 1);
	char *v = row;
	size_t out = 0;
	for (size_t i = 0; i < n; i++) {
		str_clear(&text);
		key(&text, v + i * size);
		struct teller t = { .src = src[i] };
		if (rank)
			t.rank = rank(v + i * size);
		id[i] = note_row(&w, str_sv(&text), t);
	}
	for (size_t i = 0; i < n; i++)
		if (w.best.v[id[i]].src == src[i]) {
			if (out != i)
				memcpy(v + out * size, v + i * size, size);
			out++;
		}
	free(id);
	intern_free(&w.keys);
	vec_free(&w.best);
	str_free(&text);
	return out;
}
