/* What the sources answered, joined: facts of jobs, pods and containers go to their owners, and who
 * holds which device. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"
#include "feed/tags.h"
#include "device/whose_in.h"
#include "ledger/share.h"

#define TAGS_JSON_BYTES 4096 /* of one owner */
#define DEVICE_MAX      4096 /* a larger number is none of a device */

/* ---- texts of owners -------------------------------------------------------------------- */

static void add_tag(struct tags *t, struct sv key, struct sv value)
{
	char k[CLEAN_MAX + 1], v[CLEAN_MAX + 1];
	struct sv ck = { k, sv_clean(key, k, sizeof k) }, cv = { v, sv_clean(value, v, sizeof v) };

	if (ck.n && cv.n && t->mem.used_bytes < TAGS_JSON_BYTES)
		tags_add(t, ck, cv);
}

static void set_tags(struct proc_owner *h, struct tags *t)
{
	struct sv json;

	owner_set(h, &h->a.team, tags_get(t, tags_team));
	owner_set(h, &h->a.project, tags_get(t, tags_project));
	owner_set(h, &h->a.env, tags_get(t, tags_env));
	owner_set(h, &h->a.workload, tags_get(t, tags_workload));
	json = tags_json(t);
	if (json.n && json.n <= 4 * TAGS_JSON_BYTES && !sv_eq(json, h->a.tags) &&
	    h->mem.used_bytes <= WHOSE_OWNER_BYTES)
		h->a.tags = (struct sv){ arena_strn(&h->mem, json.p, json.n), json.n };
	tags_free(t);
}

/* Labels, and one tag more that is no label of theirs. */
static void set_labels(struct proc_owner *h, const struct sv *key, const struct sv *value, size_t n,
		       struct sv more_key, struct sv more)
{
	struct tags *t = xcalloc(1, sizeof *t);

	for (size_t i = 0; i < n; i++) {
		/* "tare.io/team" counts as "team" too */
		if (sv_starts(key[i], SV("tare.io/")))
			add_tag(t, sv_from(key[i], 8), value[i]);
		add_tag(t, key[i], value[i]);
	}
	add_tag(t, more_key, more);
	owner_set(h, &h->a.user, tags_get(t, tags_user));
	set_tags(h, t);
	free(t);
}

/* The same fields and tags as an import of sacct gives the job. */
void owner_set_job(struct whose *w, struct proc_owner *h, const struct slurm_job *j)
{
	struct tags *t = xcalloc(1, sizeof *t);
	struct sv wckey = j->wckey;
	char id[64], raw[24];

	snprintf(raw, sizeof raw, "%" PRId64, j->id);
	snprintf(id, sizeof id, "%" PRId64, j->id);
	if (j->array_task >= 0 && j->array_job > 0)
		snprintf(id, sizeof id, "%" PRId64 "_%" PRId64, j->array_job, j->array_task);
	owner_set(h, &h->a.job_id, sv_of(id));
	owner_set(h, &h->a.user, j->user);
	owner_set(h, &h->a.account, j->account);
	owner_set(h, &h->a.queue, j->partition);
	owner_set(h, &h->a.state, j->state);
	owner_set(h, &h->a.name, j->name);
	/* a comment may be pairs "key=value" */
	char sep = j->comment.n && memchr(j->comment.p, ';', j->comment.n) ? ';' : ',';
	bool pairs = false;
	for (struct sv text = j->comment, rest; text.n; text = rest) {
		struct sv value, key = sv_cut(sv_cut(text, sep, &rest), '=', &value);
		if (!value.p || !sv_trim(key).n)
			continue;
		add_tag(t, key, value);
		pairs = true;
	}
	if (!pairs)
		add_tag(t, SV("comment"), j->comment);
	if (wckey.n && wckey.p[0] == '*') /* the default, not chosen */
		wckey = sv_from(wckey, 1);
	add_tag(t, SV("wckey"), wckey);
	add_tag(t, SV("qos"), j->qos);
	if (j->array_task >= 0 && j->array_job > 0) {
		char array[24];
		snprintf(array, sizeof array, "%" PRId64, j->array_job);
		add_tag(t, SV("array_job"), sv_of(array));
		add_tag(t, SV("slurm_job_id"), sv_of(raw));
	}
	set_tags(h, t);
	free(t);
	owner_fill(h, &h->a.project, wckey);
	h->a.submit_ms = j->submit_ms;
	h->a.start_ms = j->start_ms;
	h->a.limit_ms = j->limit_ms;
	if (j->restarts >= 0)
		h->a.attempt = j->restarts;
	h->confirmed = true;
}

void owner_set_pod(struct proc_owner *h, const struct kube_pod *p)
{
	struct str id = { 0 };

	str_addf(&id, "%.*s/%.*s", SVF(p->namespace_), SVF(p->name));
	owner_set(h, &h->a.job_id, str_sv(&id));
	str_free(&id);
	owner_set(h, &h->a.namespace_, p->namespace_);
	owner_set(h, &h->a.name, sv_or(p->owner_name, p->name));
	set_labels(h, p->key, p->value, p->nlabel, SV("controller_kind"), p->owner_kind);
	h->a.submit_ms = p->created_ms;
	h->a.start_ms = p->start_ms != UNKNOWN_MS ? p->start_ms : p->created_ms;
	h->confirmed = true;
}

void owner_set_container(struct proc_owner *h, const struct engine_container *b)
{
	owner_set(h, &h->a.job_id, b->name);
	owner_set(h, &h->a.name, b->name);
	set_labels(h, b->key, b->value, b->nlabel, SV("image"), b->image);
	h->a.submit_ms = b->created_ms;
	if (b->start_ms != UNKNOWN_MS)
		h->a.start_ms = b->start_ms;
	h->confirmed = true;
}

/* ---- what was answered ------------------------------------------------------------------- */

const struct ask_answer *whose_answer(const struct whose *w, enum ask_source s, int64_t now_ms)
{
	const struct ask_answer *t = w->answer[s];

	if (t && (t->at_ms > now_ms || now_ms - t->at_ms <= WHOSE_STALE_MS))
		return t;
	return NULL;
}

const struct slurm_job *whose_find_job(const struct whose *w, int64_t id, int64_t now_ms)
{
	const struct ask_answer *t = whose_answer(w, ASK_SLURM, now_ms);

	for (size_t i = 0; t && i < t->njob; i++)
		if (t->job[i].id == id)
			return &t->job[i];
	return NULL;
}

const struct kube_pod *whose_find_pod(const struct whose *w, struct sv uid, int64_t now_ms)
{
	const struct ask_answer *t = whose_answer(w, ASK_PODS, now_ms);

	for (size_t i = 0; t && i < t->npod; i++)
		if (sv_ieq(t->pod[i].uid, uid) ||
		    (t->pod[i].alias.n && sv_ieq(t->pod[i].alias, uid)))
			return &t->pod[i];
	return NULL;
}

const struct engine_container *whose_find_container(const struct whose *w, struct sv id,
						    int64_t now_ms)
{
	const struct ask_answer *t = whose_answer(w, ASK_ENGINE, now_ms);

	for (size_t i = 0; t && i < t->ncontainer; i++)
		if (sv_eq(t->container[i].id, id))
			return &t->container[i];
	return NULL;
}

/* A job that started again is another attempt: who ran before keeps his seconds. */
static void retire_attempt(struct whose *w, const struct slurm_job *j)
{
	char key[24];

	if (j->start_ms == UNKNOWN_MS)
		return;
	snprintf(key, sizeof key, "%" PRId64, j->id);
	for (size_t i = 0; i < WHOSE_BUCKETS; i++)
		for (struct proc_owner *h = w->owners[i]; h; h = h->next)
			if (h->kind == OWNER_IS_SLURM && h->confirmed && !strcmp(h->key, key))
				h->retired |= h->a.start_ms != UNKNOWN_MS &&
					      h->a.start_ms != j->start_ms;
}

static struct proc_owner *job_owner(struct whose *w, const struct slurm_job *j, int64_t now_ms)
{
	char key[24];
	bool fresh;

	snprintf(key, sizeof key, "%" PRId64, j->id);
	struct proc_owner *h = whose_owner(w, OWNER_IS_SLURM, sv_of(key), now_ms, &fresh);
	if (fresh || !h->confirmed)
		owner_set_job(w, h, j);
	return h;
}

static void apply_answer(struct whose *w, enum ask_source s, int64_t now_ms)
{
	const struct ask_answer *t = w->answer[s];

	for (size_t i = 0; s == ASK_SLURM && i < t->njob; i++) {
		retire_attempt(w, &t->job[i]);
		owner_set_job(w, job_owner(w, &t->job[i], now_ms), &t->job[i]);
	}
	/* owners that processes brought: what the sources say of them meanwhile */
	for (size_t i = 0; i < WHOSE_BUCKETS; i++)
		for (struct proc_owner *h = w->owners[i]; h; h = h->next) {
			const struct kube_pod *pod = NULL;
			const struct engine_container *container = NULL;
			if (s == ASK_PODS && h->kind == OWNER_IS_POD)
				pod = whose_find_pod(w, sv_of(h->key), now_ms);
			if (s == ASK_ENGINE && h->kind == OWNER_IS_CONTAINER)
				container = whose_find_container(w, sv_of(h->key), now_ms);
			if (pod)
				owner_set_pod(h, pod);
			if (container)
				owner_set_container(h, container);
		}
}

static void read_answers(struct whose *w, int64_t now_ms)
{
	for (int s = 0; s < ASK_N; s++) {
		struct ask_answer *t = NULL;
		if (asker_has(w->asker, (enum ask_source)s))
			t = asker_answer(w->asker, (enum ask_source)s);
		if (!t)
			continue;
		w->works[s] = t->ok;
		snprintf(w->why[s], sizeof w->why[s], "%s", t->why);
		if (!t->ok) { /* the one before counts until it is too old */
			ask_answer_free(t);
			continue;
		}
		ask_answer_free(w->answer[s]);
		w->answer[s] = t;
		apply_answer(w, (enum ask_source)s, now_ms);
	}
}

void whose_refresh(struct whose *w, int64_t now_ms)
{
	int64_t age = INT64_MAX;

	if (w->poked_ms != UNKNOWN_MS)
		age = now_ms - w->poked_ms;
	if (age < 0 || age >= w->refresh_ms || (w->hurry && age >= WHOSE_HURRY_MS)) {
		w->poked = asker_poke(w->asker, now_ms);
		w->poked_ms = now_ms;
		w->hurry = false;
		if (!w->met || w->wait)
			asker_wait(w->asker, w->poked, WHOSE_FIRST_MS);
		w->met = true;
	}
	read_answers(w, now_ms);
}

/* ---- who holds which device -------------------------------------------------------------- */

static struct whose_hold *add_hold(struct whose *w, struct proc_owner *h)
{
	struct whose_hold *n = vec_push(&w->hold);

	*n = (struct whose_hold){
		.held = &h->a, .gpu = SV(""), .index = -1, .minor = -1, .gi = -1, .share_ppb = -1
	};
	return n;
}

/* An answer may be freed before the caller is done with his holds. */
static struct sv copy_text(struct whose *w, struct sv v)
{
	return (struct sv){ arena_strn(&w->hold_mem, v.p, v.n), v.n };
}

static void add_job_device(struct whose *w, const struct ask_answer *t, struct proc_owner *h,
			   const struct slurm_gres *g, int idx)
{
	struct whose_hold *n = add_hold(w, h);
	int64_t per = 0, part = g->count;

	if (g->kind == GRES_MPS)
		per = t->mps_per_gpu;
	else if (g->kind == GRES_SHARD)
		per = t->shards_per_gpu;

	if ((size_t)idx < t->ndevice && t->device[idx].minor >= 0) {
		n->minor = t->device[idx].minor;
		n->gi = t->device[idx].gi;
	} else {
		n->index = idx;
	}
	struct sv model, profile = g->type;
	bool named = share_mig_name(g->type, &model, &profile);
	if (n->gi >= 0 || (g->kind == GRES_GPU && named)) {
		n->share_kind = h->a.share_kind = SHARE_MIG;
		owner_set(h, &h->a.mig_profile, profile);
	}
	if (g->kind == GRES_GPU)
		return;
	n->share_kind = g->kind == GRES_MPS ? SHARE_MPS : SHARE_FRACTION;
	if (g->of[idx] > 0) {
		part = g->part[idx];
		per = g->of[idx];
	}
	if (per > 0 && part > 0)
		n->share_ppb = part >= per ? 1000000000 : part * 1000000000 / per;
	h->a.share_kind = n->share_kind;
	h->a.share_ppb = n->share_ppb;
}

static void add_job_holds(struct whose *w, int64_t now_ms)
{
	const struct ask_answer *t = whose_answer(w, ASK_SLURM, now_ms);

	for (size_t i = 0; t && i < t->njob; i++) {
		const struct slurm_job *j = &t->job[i];
		struct proc_owner *h = job_owner(w, j, now_ms);
		int64_t gpus = 0;
		for (size_t g = 0; g < j->ngres; g++) {
			for (int idx = 0; idx < SLURM_IDX_MAX; idx++)
				if (j->gres[g].idx >> idx & 1)
					add_job_device(w, t, h, &j->gres[g], idx);
			if (j->gres[g].kind == GRES_GPU)
				gpus += j->gres[g].count;
		}
		if (gpus)
			h->a.gpus_milli = gpus * 1000;
	}
}

/* A pod's owner: by its uid where the pods are known, else by its name. */
static struct proc_owner *owner_of_pod(struct whose *w, const struct podres *r, int64_t now_ms)
{
	const struct ask_answer *t = whose_answer(w, ASK_PODS, now_ms);
	struct str key = { 0 };
	bool fresh;

	for (size_t i = 0; t && i < t->npod; i++) {
		const struct kube_pod *p = &t->pod[i];
		if (!sv_eq(p->name, r->pod) || !sv_eq(p->namespace_, r->namespace_))
			continue;
		/* the kubelet lists it a while longer */
		if (sv_is(p->phase, "Succeeded") || sv_is(p->phase, "Failed"))
			return NULL;
		struct proc_owner *h = whose_owner(w, OWNER_IS_POD, sv_or(p->alias, p->uid), now_ms,
						   &fresh);
		if (!h->confirmed)
			owner_set_pod(h, p);
		return h;
	}
	str_addf(&key, "%.*s/%.*s", SVF(r->namespace_), SVF(r->pod));
	struct proc_owner *h = whose_owner(w, OWNER_IS_POD, str_sv(&key), now_ms, &fresh);
	owner_set(h, &h->a.job_id, str_sv(&key));
	owner_set(h, &h->a.namespace_, r->namespace_);
	owner_set(h, &h->a.name, r->pod);
	str_free(&key);
	return h;
}

/* Replicas of a device are equal parts of it; those that nobody holds are no part: a GPU shared in
 * time is its users' alone. */
struct replica {
	size_t at; /* position in w->hold */
	int n;
	int64_t all;
};

static bool same_device(const struct whose_hold *a, const struct whose_hold *b)
{
	if (!sv_eq(a->gpu, b->gpu) || !sv_eq(a->mig, b->mig) || a->minor != b->minor)
		return false;
	return a->gi == b->gi && a->index == b->index;
}

static void add_pod_holds(struct whose *w, int64_t now_ms)
{
	const struct ask_answer *t = whose_answer(w, ASK_PODRES, now_ms);
	VEC(struct replica) rep = { 0 };
	size_t first = w->hold.n;
	struct podres_device d;

	for (size_t i = 0; t && i < t->nres; i++) {
		struct proc_owner *h = NULL;
		if (podres_device_of(t->res[i].resource, t->res[i].device, &d))
			h = owner_of_pod(w, &t->res[i], now_ms);
		if (!h)
			continue;
		struct whose_hold *n = add_hold(w, h);
		bool mig = sv_starts(d.uuid, SV("MIG-"));
		n->gpu = !mig && d.uuid.n ? copy_text(w, d.uuid) : SV("");
		n->mig = mig ? copy_text(w, d.uuid) : SV_NULL;
		n->minor = d.minor;
		n->gi = d.gi;
		if (d.replica)
			n->share_kind = SHARE_TIMESLICE;
		else if (mig || d.gi >= 0)
			n->share_kind = SHARE_MIG;
		else
			n->share_kind = SHARE_WHOLE;
		size_t k = first;
		while (k + 1 < w->hold.n &&
		       (w->hold.v[k].held != n->held || !same_device(&w->hold.v[k], n)))
			k++;
		if (k + 1 < w->hold.n)
			w->hold.n--; /* the same pod's next replica, or next container */
		else
			*vec_push(&rep) = (struct replica){ .at = k };
		for (size_t r = 0; r < rep.n; r++)
			rep.v[r].n += rep.v[r].at == k;
	}
	for (size_t r = 0; r < rep.n; r++)
		for (size_t o = 0; o < rep.n; o++)
			if (same_device(&w->hold.v[rep.v[r].at], &w->hold.v[rep.v[o].at]))
				rep.v[r].all += rep.v[o].n;
	for (size_t i = first; i < w->hold.n; i++)
		((struct proc_owner *)(uintptr_t)w->hold.v[i].held)->a.gpus_milli = 0;
	for (size_t i = first; i < w->hold.n; i++)
		((struct proc_owner *)(uintptr_t)w->hold.v[i].held)->a.gpus_milli += 1000;
	for (size_t r = 0; r < rep.n; r++) {
		struct whose_hold *n = &w->hold.v[rep.v[r].at];
		if (n->share_kind == SHARE_TIMESLICE)
			n->share_ppb = rep.v[r].n * INT64_C(1000000000) / rep.v[r].all;
	}
	vec_free(&rep);
}

/* By uuid, by the number of its file, or by its index. */
static bool set_device(struct whose *w, struct whose_hold *n, struct sv id)
{
	static const struct sv file = { "/dev/nvidia", 11 };
	bool is_file = sv_starts(id, file);
	int64_t number;

	if (sv_starts(id, SV("GPU-"))) {
		n->gpu = copy_text(w, id);
		return true;
	}
	if (sv_starts(id, SV("MIG-"))) {
		n->mig = copy_text(w, id);
		n->share_kind = SHARE_MIG;
		return true;
	}
	if (sv_i64(is_file ? sv_from(id, file.n) : id, &number) < 0 ||
	    !within_i64(number, 0, DEVICE_MAX - 1))
		return false;
	if (is_file)
		n->minor = (int)number;
	else
		n->index = (int)number;
	return true;
}

static void add_container_holds(struct whose *w, int64_t now_ms)
{
	const struct ask_answer *t = whose_answer(w, ASK_ENGINE, now_ms);
	bool fresh;

	for (size_t i = 0; t && i < t->ncontainer; i++) {
		const struct engine_container *b = &t->container[i];
		bool of_a_pod = false;
		for (size_t k = 0; k < b->nlabel; k++)
			of_a_pod |= sv_is(b->key[k], "io.kubernetes.pod.uid");
		if (!b->ndevice || of_a_pod)
			continue;
		struct proc_owner *h = whose_owner(w, OWNER_IS_CONTAINER, b->id, now_ms, &fresh);
		if (!h->confirmed)
			owner_set_container(h, b);
		h->a.gpus_milli = (int64_t)b->ndevice * 1000;
		for (size_t d = 0; d < b->ndevice; d++)
			if (!set_device(w, add_hold(w, h), b->device[d]))
				w->hold.n--;
	}
}

int whose_holds(struct whose *w, int64_t now_ms, const struct whose_hold **ret, size_t *ret_n,
		struct err *err)
{
	whose_refresh(w, now_ms);
	vec_clear(&w->hold);
	arena_free(&w->hold_mem);
	add_job_holds(w, now_ms);
	add_pod_holds(w, now_ms);
	add_container_holds(w, now_ms);
	*ret = w->hold.v;
	*ret_n = w->hold.n;
	return 0;
}

bool whose_sees_holds(const struct whose *w, int64_t now_ms)
{
	return whose_answer(w, ASK_SLURM, now_ms) || whose_answer(w, ASK_PODRES, now_ms);
}

/* ---- for people -------------------------------------------------------------------------- */

size_t whose_sources(struct whose *w, struct whose_source *ret, size_t max)
{
	size_t n = 0;

	read_answers(w, w->poked_ms);
	if (n < max)
		ret[n++] = (struct whose_source){ "processes", true,
						  "cgroup, environment and user of processes" };
	if (n && geteuid() != 0)
		snprintf(
			ret[0].why, sizeof ret[0].why,
			"cgroup and user of all processes, environment of your own only: run as root for all");
	for (int s = 0; s < ASK_N && n < max; s++) {
		struct whose_source *o = &ret[n++];
		*o = (struct whose_source){ .name = ask_source_name((enum ask_source)s),
					    .works = w->works[s] };
		const char *why = filled_or(w->why[s], "did not answer yet");
		if (!asker_has(w->asker, (enum ask_source)s))
			why = asker_why_not(w->asker, (enum ask_source)s);
		snprintf(o->why, sizeof o->why, "%s", why);
	}
	return n;
}
