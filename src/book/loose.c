/*
 * GPUs of readings that name no machine: a uuid, a container. Where the readings name a job, or a
 * job names the GPU, its time is that job's, and there once: the scope of the job, which is a
 * machine or a pool, closes the GPU. By itself a GPU is closed of which no job is known, and one
 * whose readings name jobs of several scopes: a GPU is in one machine, so names are not what they
 * seem.
 */
#include "base/num.h"
#include "base/sort.h"
#include "book/in.h"
#include "ledger/infer.h"
#include "store/machines.h"

struct name_link {
	size_t row, next;
};
/* Names of jobs and GPUs, and the rows of each. */
struct names {
	struct intern text;
	VEC(size_t) first; /* [text.n] link, SIZE_MAX: none */
	VEC(struct name_link) link;
};

static void add_name(struct names *m, const struct intern *read, struct sv text, size_t row)
{
	if (!text.n || intern_find(read, text) < 0)
		return;
	uint32_t i = intern_add(&m->text, text);
	if (i == m->first.n)
		*vec_push(&m->first) = SIZE_MAX;
	*vec_push(&m->link) = (struct name_link){ row, m->first.v[i] };
	m->first.v[i] = m->link.n - 1;
}

static bool is_place(struct sv gpu)
{
	int64_t place;

	return sv_i64(gpu, &place) == 0;
}

/* What the readings name, and which jobs these are. */
static void index_jobs(const struct series *s, size_t n, const struct job_name *job, size_t njob,
		       struct names *ret)
{
	struct intern read = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (s[i].key.job_id.n)
			intern_add(&read, s[i].key.job_id);
		if (!is_place(s[i].key.gpu))
			intern_add(&read, s[i].key.gpu);
	}
	for (size_t i = 0; i < njob; i++) {
		add_name(ret, &read, job[i].job_id, i);
		add_name(ret, &read, job_pod(job[i].job_id, job[i].namespace_), i);
		for (struct sv rest = job[i].gpu_ids; rest.n;) {
			struct sv id = sv_trim(sv_cut(rest, ';', &rest));
			if (!is_place(id))
				add_name(ret, &read, id, i);
		}
	}
	intern_free(&read);
}

/* The scopes of the jobs of that name in the time of the series, added to `keys`. */
static void find_scopes(const struct names *m, const struct job_name *job, const struct series *s,
			struct sv name, struct intern *keys)
{
	int64_t i = name.n ? intern_find(&m->text, name) : -1;

	for (size_t k = i < 0 ? SIZE_MAX : m->first.v[i]; k != SIZE_MAX; k = m->link.v[k].next) {
		const struct job_name *j = &job[m->link.v[k].row];
		if (j->from_ms < s->to_ms && j->to_ms > s->from_ms)
			intern_add(keys, j->scope);
	}
}

/* Whose jobs the readings of one GPU name; it is no home of its own. */
static void find_home(const struct names *m, const struct job_name *job, const struct series *s,
		      size_t n, struct arena *mem, struct loose_home *ret)
{
	const struct scope gpu = { .kind = SCOPE_GPU, .name = s->key.gpu };
	struct intern keys = { 0 };

	*ret = (struct loose_home){ .gpu = s->key.gpu };
	for (size_t i = 0; i < n; i++) {
		find_scopes(m, job, &s[i], s[i].key.job_id, &keys);
		if (!is_place(s[i].key.gpu))
			find_scopes(m, job, &s[i], s[i].key.gpu, &keys);
	}
	if (keys.n == 1)
		ret->key = sv_of(arena_sv(mem, keys.text[0]));
	if (!keys.n || sv_is(ret->key, scope_key_in(&gpu, mem)))
		ret->gpu = SV_NULL;
	intern_free(&keys);
}

int loose_homes(struct book *b, struct arena *mem, struct loose_home **ret, size_t *ret_n,
		struct err *err)
{
	struct series *s;
	struct job_name *job;
	struct names names = { 0 };
	VEC(struct loose_home) home = { 0 };
	size_t n, njob;
	int rc = store_series(b->store, "", mem, &s, &n, err);

	*ret_n = 0;
	if (rc || !n)
		return rc;
	if ((rc = store_job_names(b->store, mem, &job, &njob, err)))
		return rc;
	index_jobs(s, n, job, njob, &names);
	for (size_t i = 0, same; i < n; i += same) {
		struct loose_home x;
		for (same = 1; i + same < n && sv_eq(s[i + same].key.gpu, s[i].key.gpu);)
			same++;
		find_home(&names, job, &s[i], same, mem, &x);
		if (x.gpu.n)
			*vec_push(&home) = x;
	}
	*ret = arena_copy(mem, home.v, home.n, sizeof *home.v);
	*ret_n = home.n;
	vec_free(&home);
	vec_free(&names.first);
	vec_free(&names.link);
	intern_free(&names.text);
	return 0;
}
