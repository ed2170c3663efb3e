#include "store/newest.h"

#include <string.h>

#include "base/mem.h"

void newest_part(struct str *key, struct sv v)
{
	str_addsv(key, v);
	str_addc(key, v.p ? '\x1f' : '\x1e');
}

struct newest {
	struct intern keys;
	VEC(int64_t) src; /* [key] newest */
};

/* The key of a row, and its newest file so far. */
static uint32_t note_row(struct newest *w, struct sv key, int64_t src)
{
	uint32_t id = intern_add(&w->keys, key);
	if (id == w->src.n)
		*vec_push(&w->src) = src;
	else if (w->src.v[id] < src)
		w->src.v[id] = src;
	return id;
}

size_t newest_keep(void *row, size_t n, size_t size, const int64_t *src, newest_key_fn *key)
{
	struct newest w = { 0 };
	struct str text = { 0 };
	uint32_t *id = xmalloc(n * sizeof *id + 1);
	char *v = row;
	size_t out = 0;
	for (size_t i = 0; i < n; i++) {
		str_clear(&text);
		key(&text, v + i * size);
		id[i] = note_row(&w, str_sv(&text), src[i]);
	}
	for (size_t i = 0; i < n; i++)
		if (w.src.v[id[i]] == src[i]) {
			if (out != i)
				memcpy(v + out * size, v + i * size, size);
			out++;
		}
	free(id);
	intern_free(&w.keys);
	vec_free(&w.src);
	str_free(&text);
	return out;
}
