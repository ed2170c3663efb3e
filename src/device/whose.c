/* Owners and processes: who is behind a pid. What others are asked (Slurm, Kubernetes, engines) is
 * in whose_ask.c. */
#include "device/whose.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "device/whose_in.h"

/* A process is read again so long after the first time, as it is often put into its cgroup just
 * after its start; then it counts so long. */
#define AGAIN_MS (10 * MS_SECOND)
#define FRESH_MS (5 * MS_MINUTE)

#define REFRESH_MS (15 * MS_SECOND) /* of what is asked of others, where the caller says nothing */
#define ID_SHOWN   12               /* hex digits of a container's id that engines print */

/* ---- owners ----------------------------------------------------------------------------- */

static uint64_t hash_of(const char *p, size_t n) /* FNV-1a */
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 1099511628211u;
	return h;
}

void owner_set(struct proc_owner *h, struct sv *field, struct sv text)
{
	char clean[CLEAN_MAX + 1];
	struct sv c = { clean, sv_clean(text, clean, sizeof clean) };

	if (!c.n || sv_eq(c, *field) || h->mem.used_bytes > WHOSE_OWNER_BYTES)
		return;
	*field = (struct sv){ arena_strn(&h->mem, c.p, c.n), c.n };
}

void owner_fill(struct proc_owner *h, struct sv *field, struct sv text)
{
	if (!field->n)
		owner_set(h, field, text);
}

static void owner_free(struct proc_owner *h)
{
	arena_free(&h->mem);
	free(h->key);
	free(h);
}

struct proc_owner *whose_owner(struct whose *w, enum owner_is kind, struct sv key, int64_t now_ms,
			       bool *ret_new)
{
	uint64_t hash = hash_of(key.p, key.n) + (uint64_t)kind;
	struct proc_owner *h = w->owners[hash % WHOSE_BUCKETS];

	while (h && (h->retired || h->hash != hash || h->kind != kind || !sv_is(key, h->key)))
		h = h->next;
	*ret_new = !h;
	if (!h) {
		h = xcalloc(1, sizeof *h);
		h->a = (struct allocation){ .gpus_milli = 1000,
					    .share_ppb = -1,
					    .mig_start = -1,
					    .submit_ms = UNKNOWN_MS,
					    .start_ms = UNKNOWN_MS,
					    .end_ms = UNKNOWN_MS,
					    .limit_ms = UNKNOWN_MS,
					    .checkpointable = -1 };
		h->kind = kind;
		h->key = xstrndup(key.p, key.n);
		h->hash = hash;
		owner_set(h, &h->a.node, sv_of(w->node));
		h->next = w->owners[hash % WHOSE_BUCKETS];
		w->owners[hash % WHOSE_BUCKETS] = h;
	}
	h->used_ms = now_ms;
	return h;
}

/* ---- users ------------------------------------------------------------------------------- */

#define NAME_AGAIN_MS MS_MINUTE /* a directory that does not answer now may do so later */

static const char *user_name(struct whose *w, uint32_t uid, int64_t now_ms)
{
	struct passwd pw, *found = NULL;
	char buf[4096];
	size_t i = 0;

	while (i < w->nuser && w->user[i].uid != uid)
		i++;
	if (i < w->nuser && now_ms < w->user[i].again_ms)
		return w->user[i].name;
	if (i == w->nuser) {
		if (w->nuser < sizeof w->user / sizeof *w->user)
			w->nuser++;
		else
			i = uid % (sizeof w->user / sizeof *w->user);
	}
	w->user[i].uid = uid;
	w->user[i].again_ms = INT64_MAX;
	if (getpwuid_r(uid, &pw, buf, sizeof buf, &found) || !found ||
	    !sv_clean(sv_of(pw.pw_name), w->user[i].name, sizeof w->user[i].name)) {
		/* nobody knows a name: the number is */
		snprintf(w->user[i].name, sizeof w->user[i].name, "%u", uid);
		w->user[i].again_ms = now_ms + NAME_AGAIN_MS;
	}
	return w->user[i].name;
}

/* ---- a process -> its owner ------------------------------------------------------------- */

static struct sv read_var(const struct whose *w, enum procinfo_var v)
{
	if (w->info.var[v][0])
		return sv_of(w->info.var[v]);
	return SV_NULL;
}

static int64_t var_number(const struct whose *w, enum procinfo_var v)
{
	int64_t n;

	if (w->info.var[v][0] && sv_i64(read_var(w, v), &n) == 0 && n >= 0)
		return n;
	return -1;
}

/* Wall clock at which the process started, from ticks since the machine did. */
static int64_t start_ms(const struct whose *w)
{
	if (w->boot_ms == UNKNOWN_MS || w->info.start_ticks > (uint64_t)INT64_MAX / 2000)
		return UNKNOWN_MS;
	return w->boot_ms + (int64_t)(w->info.start_ticks * 1000 / (uint64_t)w->ticks_per_s);
}

/* The number of the job that the environment names, believed or not; -1: none. */
static int64_t read_env_job(const struct whose *w)
{
	int64_t id = var_number(w, VAR_SLURM_JOB_ID);

	if (id <= 0)
		id = var_number(w, VAR_SLURM_JOBID); /* its older name */
	if (id <= 0 || id >= UINT32_MAX)
		return -1;
	return id;
}

/*
 * The job an environment names: believed only where the user it names is the process's own, and
 * where Slurm, as far as it can be asked, has that job running here for that user. What outlived
 * its job, or only pretends, is not the job's.
 */
static int64_t env_job(const struct whose *w, int64_t now_ms)
{
	int64_t id = read_env_job(w), uid = var_number(w, VAR_SLURM_JOB_UID);
	const struct slurm_job *j;

	if (id < 0)
		return -1;
	if (uid >= 0 && uid != (int64_t)w->info.uid)
		return -1;
	if (!whose_answer(w, ASK_SLURM, now_ms))
		return id;
	j = whose_find_job(w, id, now_ms);
	if (j && (j->uid < 0 || j->uid == (int64_t)w->info.uid))
		return id;
	return -1;
}

static struct proc_owner *slurm_owner(struct whose *w, int64_t id, int64_t now_ms)
{
	char key[64];
	bool fresh;

	snprintf(key, sizeof key, "%" PRId64, id);
	struct proc_owner *h = whose_owner(w, OWNER_IS_SLURM, sv_of(key), now_ms, &fresh);
	if (fresh)
		owner_set(h, &h->a.job_id, sv_of(key));
	const struct slurm_job *j = whose_find_job(w, id, now_ms);
	if (j)
		owner_set_job(w, h, j);
	if (env_job(w, now_ms) == id) {
		int64_t task = var_number(w, VAR_SLURM_ARRAY_TASK_ID),
			array = var_number(w, VAR_SLURM_ARRAY_JOB_ID),
			restarts = var_number(w, VAR_SLURM_RESTART_COUNT);
		if (array > 0 && task >= 0 && !sv_has(h->a.job_id, SV("_"))) {
			snprintf(key, sizeof key, "%" PRId64 "_%" PRId64, array, task);
			owner_set(h, &h->a.job_id, sv_of(key));
		}
		owner_fill(h, &h->a.user, read_var(w, VAR_SLURM_JOB_USER));
		owner_fill(h, &h->a.account, read_var(w, VAR_SLURM_JOB_ACCOUNT));
		owner_fill(h, &h->a.queue, read_var(w, VAR_SLURM_JOB_PARTITION));
		owner_fill(h, &h->a.name, read_var(w, VAR_SLURM_JOB_NAME));
		owner_fill(h, &h->a.cluster, read_var(w, VAR_SLURM_CLUSTER_NAME));
		if (restarts > 0 && restarts < INT32_MAX && !h->a.attempt)
			h->a.attempt = (int)restarts;
	}
	if (w->info.cgroup.slurm_uid >= 0)
		owner_fill(h, &h->a.user,
			   sv_of(user_name(w, (uint32_t)w->info.cgroup.slurm_uid, now_ms)));
	else if (w->info.uid) /* Slurm's own step manager runs as root in everybody's job */
		owner_fill(h, &h->a.user, sv_of(user_name(w, w->info.uid, now_ms)));
	return h;
}

/* Units and users: processes that say different things of themselves are different owners. */
static struct proc_owner *plain_owner(struct whose *w, int64_t now_ms)
{
	const char *unit = w->info.cgroup.unit, *user = user_name(w, w->info.uid, now_ms);
	struct str key = { 0 };
	bool fresh;

	str_addf(&key, "%s\n%s\n%s", unit, user, unit[0] ? "" : w->info.comm);
	for (int v = VAR_TARE_TEAM; v <= VAR_TARE_USER; v++)
		str_addf(&key, "\n%s", w->info.var[v]);
	struct proc_owner *h = whose_owner(w, unit[0] ? OWNER_IS_UNIT : OWNER_IS_USER, str_sv(&key),
					   now_ms, &fresh);
	if (fresh) {
		str_clear(&key);
		if (unit[0])
			str_addz(&key, unit);
		else
			str_addf(&key, "%s/%s", user, w->info.comm);
		for (int v = VAR_TARE_TEAM; v < VAR_TARE_JOB; v++)
			if (read_var(w, v).n)
				str_addf(&key, "/%s", w->info.var[v]);
		owner_set(h, &h->a.name, unit[0] ? sv_of(unit) : sv_of(w->info.comm));
		owner_fill(h, &h->a.job_id, read_var(w, VAR_TARE_JOB));
		owner_fill(h, &h->a.job_id, str_sv(&key));
		owner_fill(h, &h->a.user, read_var(w, VAR_TARE_USER));
		owner_fill(h, &h->a.user, sv_of(user));
	}
	str_free(&key);
	return h;
}

static struct proc_owner *owner_of(struct whose *w, int64_t now_ms)
{
	const struct cgroup_who *g = &w->info.cgroup;
	int64_t job = g->slurm_job, env = env_job(w, now_ms);
	struct proc_owner *h;
	bool fresh;

	if (job < 0 && !g->pod[0] && !g->container[0] && env > 0)
		job = env;
	if (job > 0) {
		h = slurm_owner(w, job, now_ms);
	} else if (g->pod[0]) {
		h = whose_owner(w, OWNER_IS_POD, sv_of(g->pod), now_ms, &fresh);
		if (fresh) {
			char id[64];
			snprintf(id, sizeof id, "pod %s", g->pod);
			owner_set(h, &h->a.job_id, sv_of(id));
		}
		const struct kube_pod *p = whose_find_pod(w, sv_of(g->pod), now_ms);
		if (p)
			owner_set_pod(h, p);
	} else if (g->container[0]) {
		h = whose_owner(w, OWNER_IS_CONTAINER, sv_of(g->container), now_ms, &fresh);
		if (fresh)
			owner_set(h, &h->a.job_id, (struct sv){ g->container, ID_SHOWN });
		const struct engine_container *b = whose_find_container(w, sv_of(g->container),
									now_ms);
		if (b)
			owner_set_container(h, b);
	} else {
		h = plain_owner(w, now_ms);
	}
	owner_fill(h, &h->a.user, read_var(w, VAR_TARE_USER));
	owner_fill(h, &h->a.team, read_var(w, VAR_TARE_TEAM));
	owner_fill(h, &h->a.project, read_var(w, VAR_TARE_PROJECT));
	owner_fill(h, &h->a.env, read_var(w, VAR_TARE_ENV));
	owner_fill(h, &h->a.workload, read_var(w, VAR_TARE_WORKLOAD));
	/* a process under MPS that may use a part of the GPU only: the part is its owner's share */
	double pct = 0;
	if (h->a.share_kind == SHARE_WHOLE &&
	    sv_f64(read_var(w, VAR_CUDA_MPS_ACTIVE_THREAD_PERCENTAGE), &pct) < 0)
		pct = 0;
	if (pct > 0 && pct < 100) {
		h->a.share_kind = SHARE_MPS;
		h->a.share_ppb = (int64_t)(pct * 1e7 + 0.5);
	}
	int64_t start = start_ms(w);
	if (start == UNKNOWN_MS || h->kind == OWNER_IS_SLURM || h->kind == OWNER_IS_POD)
		return h; /* Slurm and the API server say when */
	if (h->a.start_ms == UNKNOWN_MS || start < h->a.start_ms)
		h->a.start_ms = start;
	return h;
}

/* Is there a source that could name the job, pod or container of this process, and has not yet? */
static bool lacks_source(const struct whose *w, enum ask_source *ret, int64_t now_ms)
{
	const struct cgroup_who *g = &w->info.cgroup;
	int64_t env = read_env_job(w);

	if (g->slurm_job > 0 || (!g->pod[0] && !g->container[0] && env > 0)) {
		*ret = ASK_SLURM;
		return !whose_find_job(w, g->slurm_job > 0 ? g->slurm_job : env, now_ms);
	}
	*ret = g->pod[0] ? ASK_PODS : ASK_ENGINE;
	if (g->pod[0])
		return !whose_find_pod(w, sv_of(g->pod), now_ms);
	return g->container[0] && !whose_find_container(w, sv_of(g->container), now_ms);
}

/* Has the process no owner yet, as its source is still to be asked? The first call for a process
 * has the source asked (and waits, where w->wait); after an answer, or its time, false
 * permanently. */
static bool await_source(struct whose *w, struct proc_entry *e, int64_t now_ms)
{
	enum ask_source s;

	if (!lacks_source(w, &s, now_ms) || !asker_has(w->asker, s))
		return false;
	if (e->pending_ms == UNKNOWN_MS) {
		if (e->reads)
			return false; /* it had its time */
		e->pending_ms = now_ms;
		e->pending_round = w->poked + 1;
		w->hurry = true;
		if (w->wait) {
			e->pending_round = w->poked = asker_poke(w->asker, now_ms);
			w->poked_ms = now_ms;
			asker_wait(w->asker, e->pending_round, WHOSE_FIRST_MS);
		}
	}
	return asker_done(w->asker) < e->pending_round && now_ms >= e->pending_ms &&
	       now_ms - e->pending_ms < WHOSE_PENDING_MS;
}

/* ---- the cache of processes -------------------------------------------------------------- */

static void forget_proc(struct proc_entry **at)
{
	struct proc_entry *e = *at;

	*at = e->next;
	free(e);
}

const struct allocation *whose_process(struct whose *w, int32_t pid, uint64_t start_ticks,
				       int64_t now_ms)
{
	struct proc_entry **at = &w->procs[(uint32_t)pid % WHOSE_BUCKETS], *e;

	if (!start_ticks)
		return NULL;
	whose_refresh(w, now_ms);
	while (*at && ((*at)->pid != pid || (*at)->start_ticks != start_ticks))
		at = &(*at)->next;
	e = *at;
	int64_t fresh_ms = e && e->reads == 1 ? AGAIN_MS : FRESH_MS;
	if (e && e->reads && within_i64(now_ms - e->read_ms, 0, fresh_ms - 1)) {
		e->used_ms = now_ms;
		if (!e->owner)
			return NULL;
		e->owner->used_ms = now_ms;
		return &e->owner->a;
	}
	int rc = procinfo_read(w->proc, pid, start_ticks, &w->info);
	if (rc == -ESRCH) {
		if (e)
			forget_proc(at);
		return NULL;
	}
	if (!e) {
		e = xcalloc(1, sizeof *e);
		e->pid = pid;
		e->start_ticks = start_ticks;
		e->pending_ms = UNKNOWN_MS;
		e->next = *at;
		*at = e;
	}
	e->used_ms = now_ms;
	if (rc >= 0 && await_source(w, e, now_ms))
		return NULL;
	whose_refresh(w, now_ms);
	e->owner = rc < 0 ? NULL : owner_of(w, now_ms);
	e->pending_ms = UNKNOWN_MS;
	e->read_ms = now_ms;
	e->reads++;
	if (e->owner)
		return &e->owner->a;
	return NULL;
}

/* ---- the rest ---------------------------------------------------------------------------- */

static int64_t boot_ms(const char *proc)
{
	char path[512], buf[65536];
	int64_t s;
	FILE *f;

	snprintf(path, sizeof path, "%s/stat", proc);
	if (!(f = fopen(path, "re")))
		return UNKNOWN_MS;
	while (fgets(buf, sizeof buf, f))
		if (!strncmp(buf, "btime ", 6) && sv_i64(sv_trim(sv_of(buf + 6)), &s) == 0 &&
		    s > 0 && s < 1LL << 40) {
			fclose(f);
			return s * 1000;
		}
	fclose(f);
	return UNKNOWN_MS;
}

int whose_open(const struct whose_opt *opt, struct whose **ret, struct err *err)
{
	static const struct whose_opt none;
	struct whose *w = xcalloc(1, sizeof *w);
	char host[CLEAN_MAX + 1] = "";

	if (!opt)
		opt = &none;
	w->proc = xstrdup(text_or(opt->proc, "/proc"));
	const char *node = opt->node;
	if (!node)
		node = filled_or(getenv("NODE_NAME"), getenv("SLURMD_NODENAME"));
	if (!node || !*node) {
		gethostname(host, sizeof host - 1);
		node = host;
	}
	w->node = xstrdup(node);
	w->ticks_per_s = sysconf(_SC_CLK_TCK) > 0 ? sysconf(_SC_CLK_TCK) : 100;
	w->boot_ms = boot_ms(w->proc);
	w->refresh_ms = opt->refresh_ms > 0 ? opt->refresh_ms : REFRESH_MS;
	w->wait = opt->wait;
	w->poked_ms = UNKNOWN_MS;
	w->asker = asker_new(opt, w->node, w->proc);
	*ret = w;
	return 0;
}

void whose_close(struct whose *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < WHOSE_BUCKETS; i++) {
		for (struct proc_owner *h = w->owners[i], *next; h; h = next) {
			next = h->next;
			owner_free(h);
		}
		while (w->procs[i])
			forget_proc(&w->procs[i]);
	}
	asker_free(w->asker);
	for (int i = 0; i < ASK_N; i++)
		ask_answer_free(w->answer[i]);
	vec_free(&w->hold);
	arena_free(&w->hold_mem);
	free(w->proc);
	free(w->node);
	free(w);
}

/* Where the wall clock went back it is from then on as if everything was used now, so that a
 * process never outlives its owner here. */
void whose_sweep(struct whose *w, int64_t now_ms)
{
	for (size_t i = 0; i < WHOSE_BUCKETS; i++) {
		for (struct proc_entry **at = &w->procs[i]; *at;) {
			(*at)->used_ms = min_i64((*at)->used_ms, now_ms);
			if (now_ms - (*at)->used_ms >= WHOSE_KEEP_MS / 2)
				forget_proc(at);
			else
				at = &(*at)->next;
		}
		for (struct proc_owner **at = &w->owners[i], *h; (h = *at);) {
			h->used_ms = min_i64(h->used_ms, now_ms);
			if (now_ms - h->used_ms >= WHOSE_KEEP_MS) {
				*at = h->next;
				owner_free(h);
			} else {
				at = &h->next;
			}
		}
	}
}
