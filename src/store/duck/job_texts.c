#include "store/duck/job_texts.h"

#include <stdlib.h>

#include "store/duck/inside.h"

struct job_texts {
	struct kept {
		struct sv *text;     /* [n * tuple_texts()] */
		struct shape *shape; /* [n]; NULL: the kind has none */
		size_t n, cap;       /* n: the highest number and one; 0: not read yet */
	} of[JOB_TUPLES];
	struct arena mem;
};

void job_texts_free(struct job_texts *t)
{
	if (!t)
		return;
	for (int i = 0; i < JOB_TUPLES; i++) {
		free(t->of[i].text);
		free(t->of[i].shape);
	}
	arena_free(&t->mem);
	free(t);
}

static void make_room(struct kept *k, size_t n, size_t width, bool shapes)
{
	if (n > k->cap) {
		size_t cap = n > 2 * k->cap ? n : 2 * k->cap;
		k->text = xrealloc(k->text, cap * width * sizeof *k->text);
		memset(k->text + k->cap * width, 0, (cap - k->cap) * width * sizeof *k->text);
		if (shapes)
			k->shape = xrealloc(k->shape, cap * sizeof *k->shape);
		if (shapes)
			memset(k->shape + k->cap, 0, (cap - k->cap) * sizeof *k->shape);
		k->cap = cap;
	}
	if (n > k->n)
		k->n = n;
}

/* Those that are not here yet. */
static int load_tuples(struct facts *f, enum tuple t, struct err *err)
{
	struct job_texts *all = f->job_texts;
	struct kept *k = &all->of[t - TUPLE_PLACE];
	size_t width = tuple_texts(t);
	struct answer r;

	if (k->n > (size_t)tuple_last(f, t))
		return 0;
	int e = answer_open(
		&r, &(struct sql_query){ f->con, tuple_select(t), "read the allocations", true },
		err, "i", (int64_t)k->n);
	if (e)
		return e;
	make_room(k, 1, width, t == TUPLE_SHAPE);
	while ((e = answer_next(&r, err)) > 0) {
		int64_t id = answer_i64(&r, 0);
		if (id <= 0)
			continue;
		make_room(k, (size_t)id + 1, width, t == TUPLE_SHAPE);
		for (size_t i = 0; i < width; i++)
			k->text[(size_t)id * width + i] = answer_text(&r, 1 + i, &all->mem);
		if (t == TUPLE_SHAPE)
			k->shape[id] = tuple_read_shape(&r);
	}
	answer_close(&r);
	return e;
}

int job_reader_open(struct job_reader *r, struct facts *f, struct err *err)
{
	int e = 0;

	*r = (struct job_reader){ 0 };
	if (!f->job_texts)
		f->job_texts = xcalloc(1, sizeof *f->job_texts);
	for (int i = 0; i < JOB_TUPLES && !e; i++)
		e = load_tuples(f, TUPLE_PLACE + (enum tuple)i, err);
	if (e)
		return e;
	r->all = f->job_texts;
	for (int i = 0; i < JOB_TUPLES; i++)
		r->copy[i] = xcalloc(r->all->of[i].n, sizeof *r->copy[i]);
	return 0;
}

void job_reader_close(struct job_reader *r)
{
	for (int i = 0; i < JOB_TUPLES; i++)
		free(r->copy[i]);
}

const struct sv *job_reader_texts(struct job_reader *r, enum tuple t, int64_t id, struct arena *a)
{
	static const struct sv none[TUPLE_TEXTS];
	const struct kept *k = &r->all->of[t - TUPLE_PLACE];
	struct sv **copy = r->copy[t - TUPLE_PLACE];
	size_t width = tuple_texts(t);

	if (id <= 0 || id >= (int64_t)k->n)
		return none;
	if (!copy[id]) {
		copy[id] = arena_alloc(a, width * sizeof **copy);
		for (size_t i = 0; i < width; i++)
			copy[id][i] = arena_keep(a, k->text[(size_t)id * width + i]);
	}
	return copy[id];
}

const struct shape *job_reader_shape(const struct job_reader *r, int64_t id)
{
	static const struct shape none;
	const struct kept *k = &r->all->of[TUPLE_SHAPE - TUPLE_PLACE];

	return id > 0 && id < (int64_t)k->n ? &k->shape[id] : &none;
}
