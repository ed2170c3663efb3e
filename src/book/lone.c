/* One scrape a file: when the same GPU or instance was read before, by an earlier file of this call
 * or by what the store has, whatever job had it then. */
#include "base/num.h"
#include "base/str.h"
#include "book/in.h"
#include "feed/readings/series.h"

static uint32_t add_key(struct intern *in, const struct sample_key *k)
{
	struct str s = { 0 };

	str_addf(&s, "%.*s\x1f%.*s\x1f%.*s", SVF(k->node), SVF(k->gpu), SVF(k->mig));
	uint32_t id = intern_add(in, str_sv(&s));
	str_free(&s);
	return id;
}

/* The first link of a key of the store; SIZE_MAX: it has none. */
static size_t first_stored(struct lone *l, const struct sample_key *k)
{
	uint32_t id = add_key(&l->stored, k);

	if (id == l->first.n)
		*vec_push(&l->first) = SIZE_MAX;
	return l->first.v[id];
}

static void link_series(struct lone *l, struct sv node, size_t i)
{
	struct sample_key k = l->series[i].key;

	k.node = node;
	*vec_push(&l->link) = (struct lone_link){ i, first_stored(l, &k) };
	l->first.v[add_key(&l->stored, &k)] = l->link.n - 1;
}

/* The series of the store by node, GPU and instance; those known by uuid also without their
 * node. */
static int load_series(struct book *b, struct store *store, struct err *err)
{
	struct lone *l = &b->lone;
	int rc = store_series(store, NULL, &b->mem, &l->series, &l->nseries, err);

	for (size_t i = 0; i < l->nseries && !rc; i++) {
		link_series(l, l->series[i].key.node, i);
		if (l->series[i].by_uuid && l->series[i].key.node.n)
			link_series(l, SV_NULL, i);
	}
	l->loaded = !rc;
	return rc;
}

static int last_stored(struct book *b, struct store *store, const struct sample_key *k,
		       int64_t t_ms, int64_t *ret_ms, struct err *err)
{
	struct lone *l = &b->lone;
	VEC(struct series) of = { 0 };
	struct sample_cursor *c = NULL;
	struct sample s;
	size_t i;
	int rc = 0;

	if (!l->loaded)
		rc = load_series(b, store, err);
	if (rc)
		return rc;
	for (i = first_stored(l, k); i != SIZE_MAX; i = l->link.v[i].next) {
		const struct series *x = &l->series[l->link.v[i].series];
		if (x->from_ms < t_ms && x->to_ms > t_ms - SERIES_STALE_MS)
			*vec_push(&of) = *x;
	}
	if (of.n)
		rc = store_samples(store, of.v, of.n, (struct span){ t_ms - SERIES_STALE_MS, t_ms },
				   &c, err);
	while (!rc && c && (rc = sample_cursor_next(c, &i, &s, err)) > 0) {
		if (s.t_ms < t_ms)
			*ret_ms = max_i64(s.t_ms, *ret_ms);
		rc = 0;
	}
	if (c)
		sample_cursor_close(c);
	vec_free(&of);
	return rc;
}

int lone_before(void *ctx, const struct sample_key *k, int64_t t_ms, int64_t *ret_ms,
		struct err *err)
{
	struct book *b = ctx;
	struct store *store = b->store ? b->store : b->opt.look;
	uint32_t id = add_key(&b->lone.key, k);
	int rc = 0;

	*ret_ms = 0;
	if (id == b->lone.last_ms.n) {
		int64_t *last = vec_push(&b->lone.last_ms);
		*last = INT64_MIN;
		if (store)
			rc = last_stored(b, store, k, t_ms, last, err);
	}
	int64_t *last = &b->lone.last_ms.v[id];
	if (rc)
		return rc;
	if (*last != INT64_MIN && *last < t_ms)
		*ret_ms = t_ms - *last;
	*last = max_i64(t_ms, *last);
	return 0;
}

void lone_free(struct lone *l)
{
	intern_free(&l->key);
	vec_free(&l->last_ms);
	intern_free(&l->stored);
	vec_free(&l->first);
	vec_free(&l->link);
}
