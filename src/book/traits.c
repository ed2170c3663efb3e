/*
 * What a machine is, whatever span of time is being posted: which cluster and model its jobs say,
 * whether they name GPUs and which, what its readings name, whether records or bills pay for it.
 * A part of its time is posted by the traits of all of it; where a batch changes them, all of its
 * time is posted again. So the ledger does not hang on the order in which files came.
 */
#include <stdlib.h>

#include "book/in.h"
#include "base/search.h"
#include "base/sort.h"
#include "ledger/owner.h"
#include "ledger/tagset.h"
#include "store/machines.h"

struct trait_row {
	struct trait trait;
	struct str print; /* all of it that is not in the trait, as text: to be compared */
};
struct traits {
	struct intern scope; /* keys */
	VEC(struct trait_row) row;
	struct loose_home *home; /* [nhome] by GPU */
	size_t nhome;
	struct arena mem;
};

void traits_free(struct traits *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->row.n; i++)
		str_free(&t->row.v[i].print);
	intern_free(&t->scope);
	vec_free(&t->row);
	arena_free(&t->mem);
	free(t);
}

static struct trait_row *row_of(struct traits *t, struct sv key)
{
	uint32_t i = intern_add(&t->scope, key);

	if (i == t->row.n)
		*vec_push(&t->row) = (struct trait_row){ 0 };
	return &t->row.v[i];
}

static const struct trait_row *find_row(const struct traits *t, struct sv key)
{
	int64_t i = intern_find(&t->scope, key);

	if (i < 0)
		return NULL;
	return &t->row.v[i];
}

const struct trait *traits_of(const struct traits *t, struct sv key)
{
	static const struct trait none;
	const struct trait_row *r = find_row(t, key);

	if (r)
		return &r->trait;
	return &none;
}

struct sv traits_tagged(const struct traits *t, size_t *at, struct sv *ret_cluster)
{
	for (; *at < t->row.n; ++*at)
		if (t->row.v[*at].trait.tagged) {
			*ret_cluster = t->row.v[*at].trait.cluster;
			return t->scope.text[(*at)++];
		}
	return SV_NULL;
}

static struct trait_row *row_of_node(struct traits *t, struct sv node)
{
	struct scope s = scope_node(node);

	return row_of(t, sv_of(scope_key_in(&s, &t->mem)));
}

/* ---- where they come from ---------------------------------------------------------------- */

static int from_jobs(struct book *b, struct traits *t, struct err *err)
{
	struct job_traits *job;
	size_t n;
	int rc = store_job_traits(b->store, &t->mem, &job, &n, err);

	for (size_t i = 0; i < n && !rc; i++) {
		struct trait *x = &row_of(t, job[i].scope)->trait;
		if (!x->cluster.n)
			x->cluster = job[i].cluster;
		if (!x->gpu_model.n)
			x->gpu_model = job[i].gpu_model;
		x->names_gpus |= job[i].names_gpus;
	}
	return rc;
}

/* The GPUs that one scope's jobs name, each once, in the order of their names. */
static void set_gpus(struct traits *t, struct trait *x, const struct job_gpus *c, size_t n)
{
	VEC(struct sv) id = { 0 };

	for (size_t i = 0; i < n; i++)
		for (struct sv rest = c[i].gpu_ids; rest.n;) {
			struct sv one = sv_trim(sv_cut(rest, ';', &rest));
			if (one.n)
				*vec_push(&id) = one;
		}
	if (id.n)
		sort_items(id.v, id.n, sizeof *id.v, rising_sv);
	for (size_t i = 0; i < id.n; i++)
		if (!i || !sv_eq(id.v[i], id.v[i - 1]))
			id.v[x->ngpu++] = id.v[i];
	x->gpu = arena_copy(&t->mem, id.v, x->ngpu, sizeof *id.v);
	vec_free(&id);
}

static int from_job_gpus(struct book *b, struct traits *t, struct err *err)
{
	struct job_gpus *c;
	size_t n;
	int rc = store_job_gpus(b->store, &t->mem, &c, &n, err);

	for (size_t i = 0, same; i < n && !rc; i += same) {
		for (same = 1; i + same < n && sv_eq(c[i + same].scope, c[i].scope);)
			same++;
		set_gpus(t, &row_of(t, c[i].scope)->trait, c + i, same);
	}
	return rc;
}

/* Only what of a record holds for all of the node's time, as paid.c takes it: of the last one. */
static int from_records(struct book *b, struct traits *t, struct err *err)
{
	struct node *node;
	size_t n;
	int rc = store_nodes(b->store, NULL, &t->mem, &node, &n, err);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct node *x = &node[i];
		struct trait_row *r = row_of_node(t, x->node);
		r->trait.recorded = true;
		str_clear(&r->print);
		str_addf(&r->print, "%.*s\n%.*s\n%.*s\n%lld\n%.*s\n", SVF(x->cluster),
			 SVF(x->gpu_model), SVF(x->instance_type), (long long)x->gpu_milli,
			 SVF(x->gpu_ids));
	}
	return rc;
}

static int from_incidents(struct book *b, struct traits *t, struct err *err)
{
	struct sv *node;
	size_t n;
	int rc = store_incident_nodes(b->store, &t->mem, &node, &n, err);

	for (size_t i = 0; i < n && !rc; i++)
		row_of_node(t, node[i])->trait.told = true;
	return rc;
}

static void tag_cluster(struct trait *x, struct sv cluster)
{
	if (!cluster.n || (x->cluster.n && !x->tagged))
		return;
	x->cluster = cluster;
	x->tagged = true;
}

/* Of lines that differ the latest one's word is taken, as of records. */
static int from_cluster_tags(struct book *b, struct traits *t, struct err *err)
{
	struct bill_cluster_tags *told;
	size_t n;
	int rc = store_bill_cluster_tags(b->store, &t->mem, &told, &n, err);

	for (size_t i = 0; i < n && !rc; i++) {
		struct tagset tags;
		if (tagset_read(&t->mem, told[i].tags, &tags))
			tag_cluster(&row_of(t, told[i].scope)->trait, owner_tag_cluster(&tags));
		tagset_free(&tags);
	}
	return rc;
}

static int from_bills(struct book *b, const struct sets *sets, struct traits *t, struct err *err)
{
	struct sv *scope;
	size_t n;
	int rc = store_bill_scopes(b->store, &t->mem, &scope, &n, err);

	for (size_t i = 0; i < n && !rc; i++)
		row_of(t, scope[i])->trait.billed = true;
	if (!rc)
		rc = from_cluster_tags(b, t, err);
	for (size_t i = 0; sets && i < sets_count(sets) && !rc; i++) {
		struct sv cluster = SV_NULL;
		for (size_t k = 0; sets_key(sets, i, k); k++) {
			struct sv key = sv_of(arena_sv(&t->mem, sv_of(sets_key(sets, i, k))));
			struct trait *x = &row_of(t, key)->trait;
			x->billed = true;
			if (!k && x->tagged)
				cluster = x->cluster;
			if (!x->tagged)
				tag_cluster(x, cluster);
		}
	}
	return rc;
}

static bool same_gpu(const struct sample_key *a, const struct sample_key *b)
{
	if (!sv_eq(a->node, b->node) || !sv_eq(a->gpu, b->gpu))
		return false;
	return sv_eq(a->gpu_model, b->gpu_model) && sv_eq(a->cluster, b->cluster);
}

/* Series come by node and GPU. */
static int from_readings(struct book *b, struct traits *t, struct err *err)
{
	struct series *s;
	size_t n;
	int rc = store_series(b->store, NULL, &t->mem, &s, &n, err);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct sample_key *k = &s[i].key;
		bool same = i && same_gpu(k, &s[i - 1].key);
		if (s[i].by_uuid && !same) { /* then it is no machine of its own */
			struct scope gpu = { .kind = SCOPE_GPU, .name = k->gpu };
			struct sv key = sv_of(scope_key_in(&gpu, &t->mem));
			str_addz(&row_of(t, key)->print, "of a node\n");
		}
		if (k->node.n && !same)
			str_addf(&row_of_node(t, k->node)->print, "%.*s\t%.*s\t%.*s\n", SVF(k->gpu),
				 SVF(k->gpu_model), SVF(k->cluster));
	}
	return rc;
}

/* A GPU without a machine that a job's scope closes is touched with that, and that with it. */
static int from_homes(struct book *b, struct traits *t, struct err *err)
{
	int rc = loose_homes(b, &t->mem, &t->home, &t->nhome, err);

	for (size_t i = 0; i < t->nhome && !rc; i++) {
		const struct loose_home *h = &t->home[i];
		struct scope gpu = { .kind = SCOPE_GPU, .name = h->gpu };
		struct sv key = sv_of(scope_key_in(&gpu, &t->mem));
		str_addf(&row_of(t, key)->print, "of %.*s\n", SVF(h->key));
		if (h->key.n)
			str_addf(&row_of(t, h->key)->print, "%.*s\n", SVF(h->gpu));
	}
	return rc;
}

struct sv traits_home(const struct traits *t, struct sv gpu)
{
	size_t i = first_where(k, t->nhome, sv_cmp(t->home[k].gpu, gpu) >= 0);

	if (i == t->nhome || !sv_eq(t->home[i].gpu, gpu))
		return SV_NULL;
	return t->home[i].key;
}

size_t traits_homeless(const struct traits *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nhome; i++)
		n += !t->home[i].key.n;
	return n;
}

int traits_load(struct book *b, const struct sets *sets, struct traits **ret, struct err *err)
{
	struct traits *t = xcalloc(1, sizeof *t);
	int rc = from_jobs(b, t, err);

	if (!rc)
		rc = from_job_gpus(b, t, err);
	if (!rc)
		rc = from_records(b, t, err);
	if (!rc)
		rc = from_incidents(b, t, err);
	if (!rc)
		rc = from_bills(b, sets, t, err);
	if (!rc)
		rc = from_readings(b, t, err);
	if (!rc)
		rc = from_homes(b, t, err);
	if (rc)
		traits_free(t);
	else
		*ret = t;
	return rc;
}

/* ---- what a batch changed ---------------------------------------------------------------- */

static bool same_row(const struct trait_row *x, const struct trait_row *y)
{
	static const struct trait_row none;
	const struct trait *a, *b;

	if (!x)
		x = &none;
	if (!y)
		y = &none;
	a = &x->trait;
	b = &y->trait;
	if (!sv_eq(a->cluster, b->cluster) || !sv_eq(a->gpu_model, b->gpu_model))
		return false;
	if (a->tagged != b->tagged || a->told != b->told)
		return false;
	if (a->names_gpus != b->names_gpus || a->recorded != b->recorded)
		return false;
	if (a->billed != b->billed || a->ngpu != b->ngpu)
		return false;
	for (size_t i = 0; i < a->ngpu; i++)
		if (!sv_eq(a->gpu[i], b->gpu[i]))
			return false;
	return sv_eq(str_sv(&x->print), str_sv(&y->print));
}

static void mark_changed(struct book *b, const struct traits *some, const struct traits *others)
{
	for (size_t i = 0; i < some->scope.n; i++) {
		struct sv key = some->scope.text[i];
		if (!same_row(&some->row.v[i], find_row(others, key)))
			dirty_mark_key(&b->dirty, key, b->ledger_from_ms, b->ledger_to_ms);
	}
}

int traits_mark(struct book *b, struct err *err)
{
	int rc = traits_load(b, b->sets, &b->traits, err);

	if (rc || b->ledger_from_ms == UNKNOWN_MS)
		return rc;
	mark_changed(b, b->traits, b->traits_before);
	mark_changed(b, b->traits_before, b->traits);
	return 0;
}
