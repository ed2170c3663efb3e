/*
 * Give back what does nothing: machines that nobody holds any more, machines that wait between two jobs, works that never used their card, notebooks
 * that idle for hours, services without requests. Only what is measured or known to be free counts; unknown is never idle.
 *
 * A machine goes back only when nobody else is on it, and only where it is paid by the hour.
 */
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "opt/idle.h"
#include "plan/levers.h"

#define FORGOTTEN_MS (7 * MS_DAY)	/* free for so long at its end, or for half the window if that is shorter */
#define COVERED_FRAC 0.9		/* readings cover at least this part: else it is not known to be idle */
#define NOTEBOOK_IDLE_MS (4 * MS_HOUR) /* Princeton's jobstats warns of interactive jobs idle for 8 h, JupyterHub's culler stops after 1 h */
#define WORTH_PART 5000 /* of the fleet's cost: below 1/5000 the effort is not worth it */
#define UNUSED_MIN_MS MS_HOUR
/* What a machine without cards costs of one with: r5.2xlarge (8 vCPU, 64 GiB) 0.504 to p3.2xlarge 3.06 $/h, us-east-1 on demand. */
#define HOST_FRAC 0.17
#define HOST_HI_FRAC 0.34

struct lever_state {
	const struct lever_in *in;
	struct rec_list *out;
	size_t *order; /* [norder] jobs and services by node */
	size_t norder;
	bool tracked; /* some job list is there at all */
};

/* ---- machines -------------------------------------------------------------------------------------------------------------------------------- */

static int by_node(const void *pa, const void *pb, void *ctx)
{
	const struct fleet *f = ctx;
	const struct work *a = &f->work.v[*(const size_t *)pa], *b = &f->work.v[*(const size_t *)pb];
	int d = strcmp(a->node, b->node);

	return d ? d : a < b ? -1 : a > b;
}

static void sort_works(struct lever_state *s)
{
	const struct fleet *f = s->in->fleet;

	s->order = xcalloc(f->work.n + 1, sizeof *s->order);
	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		s->tracked |= w->kind == WORK_JOB && *w->job;
		if (w->kind != WORK_FREE && w->kind != WORK_LINE && *w->node)
			s->order[s->norder++] = i;
	}
	qsort_r(s->order, s->norder, sizeof *s->order, by_node, (void *)f);
}

static size_t first_on(const struct lever_state *s, const char *node)
{
	size_t lo = 0, hi = s->norder;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcmp(s->in->fleet->work.v[s->order[mid]].node, node) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_on(const struct lever_state *s, size_t k, const char *node)
{
	return k < s->norder && !strcmp(s->in->fleet->work.v[s->order[k]].node, node);
}

/* When somebody held the machine; malloc'ed. */
static struct idle_span *held(const struct lever_state *s, const char *node, size_t *ret_n)
{
	size_t k = first_on(s, node), n = 0;
	struct idle_span *v;

	while (is_on(s, k + n, node))
		n++;
	v = xcalloc(n + 1, sizeof *v);
	for (size_t i = 0; i < n; i++) {
		const struct use *u = &s->in->use[s->order[k + i]];
		v[i] = (struct idle_span){ u->start_ms, u->end_ms };
	}
	*ret_n = idle_union(v, n);
	return v;
}

struct freed { int64_t nano, ms, boots, boot_ms, tail_ms; };

/* Money of free hours inside the spans; free time has one price within an hour. */
static void add_freed(const struct fleet *f, const struct work *w, int64_t gpus_milli, const struct idle_span *v, size_t n, struct freed *ret)
{
	size_t k = 0;

	for (size_t i = 0; i < w->nhour; i++) {
		const struct work_hour *h = &f->hour.v[w->hour0 + i];
		int64_t ms = 0;
		while (k < n && v[k].to_ms <= h->hour_ms)
			k++;
		for (size_t j = k; j < n && v[j].from_ms < h->hour_ms + MS_HOUR; j++) {
			int64_t a = v[j].from_ms > h->hour_ms ? v[j].from_ms : h->hour_ms, b = v[j].to_ms < h->hour_ms + MS_HOUR ? v[j].to_ms : h->hour_ms + MS_HOUR;
			ms += b > a ? b - a : 0;
		}
		ms = ms * gpus_milli / 1000;
		ms = ms > h->ms ? h->ms : ms;
		if (!ms)
			continue;
		ret->ms += ms;
		ret->nano += (int64_t)div_half_even((__int128)h->nano * ms, h->ms);
	}
}

static int64_t minutes(double m)
{
	return (int64_t)(m * 60000);
}

/* What one machine's free time gives back; tail_ms: how long it had been free at the end of its last paid stretch. */
static struct freed machine(const struct lever_state *s, const struct work *w)
{
	const struct fleet *f = s->in->fleet;
	const struct plan_conf *c = s->in->conf;
	struct freed r = { 0 };
	size_t n;
	struct idle_span *busy = held(s, w->node, &n), *out = xcalloc(n + 1, sizeof *out);

	for (size_t k = w->node_index; k < f->node.n && f->node.v[k].node == f->node.v[w->node_index].node; k++) {
		const struct fleet_node *m = &f->node.v[k];
		size_t i = 0, to = 0;
		while (i < n && busy[i].to_ms <= m->from_ms)
			i++;
		for (to = i; to < n && busy[to].from_ms < m->to_ms;)
			to++;
		size_t got = idle_release(busy + i, to - i, m->from_ms, m->to_ms, minutes(c->idle_release_minutes), minutes(c->boot_minutes), out);
		r.tail_ms = m->to_ms - (to > i ? busy[to - 1].to_ms : m->from_ms);
		for (size_t g = 0; g < got; g++)
			r.boots += out[g].to_ms < m->to_ms;
		add_freed(f, w, m->gpus_milli, out, got, &r);
	}
	free(busy);
	free(out);
	return r;
}

static bool is_forgotten(const struct lever_in *in, const struct work *w, const struct freed *r)
{
	const struct fleet *f = in->fleet;
	int64_t window = f->until_ms - f->since_ms, need = window / 2 < FORGOTTEN_MS ? window / 2 : FORGOTTEN_MS;

	return r->tail_ms >= need && w->end_ms >= f->until_ms - MS_HOUR && window >= MS_DAY;
}

/* Is it known that a machine that no job list names does nothing? 1 measured, 0 not known, -1 it works. */
static int seen_idle(const struct work *w)
{
	if (w->stats.covered_frac < COVERED_FRAC || isnan(w->stats.idle_frac))
		return 0;
	return w->stats.idle_frac >= 0.99 ? 1 : -1;
}

static struct rec *find_rec(const struct rec_list *out, size_t first, const char *id)
{
	for (size_t i = first; i < out->v.n; i++)
		if (!strcmp(out->v.v[i]->id, id))
			return out->v.v[i];
	return NULL;
}

static struct rec *rec_for(struct lever_state *s, size_t first, const char *tail)
{
	struct rec_list probe = { 0 };
	struct rec *r = rec_new(s->in, &probe, "stop_idle", tail), *old = find_rec(s->out, first, r->id);

	vec_free(&probe.v);
	if (old)
		return old;
	r->effort_days = 1;
	r->within_days = 1;
	r->confidence_frac = 0.95;
	*vec_push(&s->out->v) = r;
	return r;
}

static const char *group_of(const struct work *w)
{
	return *w->cluster ? w->cluster : *w->team ? w->team : w->node;
}

static void change_cost(struct lever_state *s, struct rec *r, size_t work, int64_t cost, bool gone)
{
	struct rec_change *c = rec_change(s->in, r, (uint32_t)work);
	const struct use *u = &s->in->use[work];

	c->after.cost_nano = cost < 0 ? 0 : cost;
	if (gone)
		c->after.end_ms = c->after.start_ms;
	else if (u->cost_nano > 0)
		c->after.off_frac = 1 - (1 - u->off_frac) * (double)c->after.cost_nano / (double)u->cost_nano;
}

/* Free time of a machine whose state was already touched by an earlier choice is scaled the same way. */
static int64_t left_after(const struct work *w, const struct use *u, int64_t freed)
{
	return w->cost_nano > 0 ? u->cost_nano - (int64_t)div_half_even((__int128)freed * u->cost_nano, w->cost_nano) : u->cost_nano;
}

static void propose_machines(struct lever_state *s)
{
	const struct fleet *f = s->in->fleet;
	size_t first = s->out->v.n;

	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		if (w->kind != WORK_FREE || w->node_index == SIZE_MAX || w->cost_nano <= 0 || work_is_frozen(s->in, w, "stop_idle"))
			continue;
		struct freed r = machine(s, w);
		int idle = seen_idle(w);
		if (!r.nano)
			continue;
		if (idle < 0 || (idle == 0 && !s->tracked)) {
			plan_note(s->in, "'%s' is held by nobody as far as is known, but %s: it is left alone", w->node,
				  idle < 0 ? "its cards work" : "there is no job list and no telemetry");
			continue;
		}
		bool gone = is_forgotten(s->in, w, &r);
		struct rec *rec = rec_for(s, first, arena_printf(s->in->mem, "%s%s", group_of(w), gone ? "" : "-between-jobs"));
		change_cost(s, rec, i, left_after(w, &s->in->use[i], gone && r.boots == 0 ? w->cost_nano : r.nano), gone && r.boots == 0);
		rec->replay.jobs += r.boots;
		if (!idle && gone && rec->risk < RISK_MEDIUM)
			rec->risk = RISK_MEDIUM;
	}
}

/* ---- what a recommendation about machines says ---------------------------------------------------------------------------------------------- */

static double gpu_hours(const struct fleet *f, const struct rec *r)
{
	double h = 0;

	for (size_t i = 0; i < r->change.n; i++)
		h += (double)f->work.v[r->change.v[i].work].ms / MS_HOUR;
	return h;
}

/* Jobs that would begin a boot later than they did: do they still end in time? */
static void count_waits(struct lever_state *s, struct rec *r)
{
	const struct fleet *f = s->in->fleet;
	int64_t boot = minutes(s->in->conf->boot_minutes);

	r->replay.jobs = 0;
	for (size_t i = 0; i < r->change.n; i++) {
		const char *node = f->work.v[r->change.v[i].work].node;
		for (size_t k = first_on(s, node); is_on(s, k, node); k++) {
			const struct work *w = &f->work.v[s->order[k]];
			if (w->deadline_ms == UNKNOWN_MS)
				continue;
			r->replay.jobs++;
			r->replay.deadline_misses += s->in->use[s->order[k]].end_ms + boot > w->deadline_ms;
		}
	}
	if (r->replay.deadline_misses * 100 > r->replay.jobs)
		r->risk = RISK_HIGH;
	else if (r->replay.deadline_misses)
		r->risk = r->risk < RISK_MEDIUM ? RISK_MEDIUM : r->risk;
}

/* Stop it, and start it again; the machine's disks stay. */
static void switch_lines(const struct lever_in *in, struct rec *r, const struct work *w)
{
	const char *place = *w->zone ? w->zone : w->region;

	if (!strcmp(w->provider, "aws") && *w->resource) {
		rec_apply(in, r, "aws ec2 stop-instances --region %s --instance-ids %s  # %s", w->region, w->resource, w->node);
		rec_undo(in, r, "aws ec2 start-instances --region %s --instance-ids %s  # %s", w->region, w->resource, w->node);
	} else if (!strcmp(w->provider, "gcp")) {
		rec_apply(in, r, "gcloud compute instances stop %s --zone %s", w->node, place);
		rec_undo(in, r, "gcloud compute instances start %s --zone %s", w->node, place);
	} else if (!strcmp(w->provider, "azure") && *w->resource) {
		rec_apply(in, r, "az vm deallocate --ids %s  # %s", w->resource, w->node);
		rec_undo(in, r, "az vm start --ids %s  # %s", w->resource, w->node);
	} else {
		rec_apply(in, r, "# stop %s (%s %s)", w->node, w->instance_type, place);
		rec_undo(in, r, "# start %s (%s %s)", w->node, w->instance_type, place);
	}
}

static void tell_forgotten(struct lever_state *s, struct rec *r, const struct work *w)
{
	const struct lever_in *in = s->in;
	double days = 0;

	for (size_t i = 0; i < r->change.n; i++) {
		const struct work *x = &in->fleet->work.v[r->change.v[i].work];
		struct freed m = machine(s, x);
		double d = (double)m.tail_ms / MS_DAY;
		days = i == 0 || d < days ? d : days;
		switch_lines(in, r, x);
	}
	r->title = arena_printf(in->mem, "stop %s: %zu machine%s that no job has held for %.0f days", group_of(w), r->change.n, r->change.n == 1 ? "" : "s", floor(days));
	rec_evidence(in, r, QUALITY_MEASURED, "days without a job", "d", "job list, node list", "%.1f", days);
	if (seen_idle(w) > 0)
		rec_evidence(in, r, QUALITY_MEASURED, "readings at or below the idle bound", "frac", "telemetry", "%.4f", w->stats.idle_frac);
	rec_risk(in, r, "Somebody may keep data on its disks: stop first, delete later.");
}

static void tell_between(struct lever_state *s, struct rec *r, const struct work *w)
{
	const struct lever_in *in = s->in;
	const struct plan_conf *c = in->conf;

	count_waits(s, r);
	r->within_days = 3;
	r->effort_days = 2;
	r->title = arena_printf(in->mem, "%s: give free machines back after %g minutes, boot them when a job asks", group_of(w), c->idle_release_minutes);
	rec_evidence(in, r, QUALITY_MEASURED, "GPU time nobody held", "GPU·h", "job list, node list", "%.0f", gpu_hours(in->fleet, r));
	rec_evidence(in, r, QUALITY_ASSUMED, "boot of a machine, paid and waited for", "min", "settings", "%g", c->boot_minutes);
	rec_apply(in, r, "# slurm.conf: SuspendTime=%.0f ResumeTimeout=%.0f SuspendProgram and ResumeProgram of your cloud", c->idle_release_minutes * 60,
		  fmax(60, c->boot_minutes * 120));
	rec_apply(in, r, "# Kubernetes: cluster-autoscaler --scale-down-unneeded-time=%gm --scale-down-enabled=true, minimum size of the group 0",
		  c->idle_release_minutes);
	rec_undo(in, r, "# slurm.conf: SuspendTime=-1; Kubernetes: set the minimum size of the group to %zu again", r->change.n);
	rec_risk(in, r, "A job that finds no machine waits %g minutes for one; the provider may have none at that time.", c->boot_minutes);
}

static void tell_machines(struct lever_state *s, size_t first)
{
	for (size_t i = first; i < s->out->v.n; i++) {
		struct rec *r = s->out->v.v[i];
		const struct work *w = &s->in->fleet->work.v[r->change.v[0].work];
		rec_subject(s->in, r, "cluster", w->cluster);
		if (sv_ends(sv_of(r->id), SV("-between-jobs")))
			tell_between(s, r, w);
		else
			tell_forgotten(s, r, w);
	}
}

/* ---- works ----------------------------------------------------------------------------------------------------------------------------------- */

/* Does the machine go when the work goes: it holds all of it, or is itself what is paid for. */
static bool frees_machine(const struct fleet *f, const struct work *w)
{
	return w->node_index == SIZE_MAX || w->gpus_milli >= f->node.v[w->node_index].gpus_milli;
}

static bool candidate(const struct lever_in *in, size_t i)
{
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];

	return w->stats.covered_frac >= COVERED_FRAC && w->cost_nano > 0 && u->cost_nano > 0 && w->end_ms - w->start_ms >= UNUSED_MIN_MS &&
	       !work_is_frozen(in, w, "stop_idle") && frees_machine(in->fleet, w);
}

static const char *owner_of(const struct work *w)
{
	return *w->team ? w->team : *w->user ? w->user : "nobody";
}

static void propose_unused(struct lever_state *s, size_t i)
{
	const struct work *w = &s->in->fleet->work.v[i];
	struct rec *r = rec_for(s, 0, arena_printf(s->in->mem, "unused-%s", owner_of(w)));
	struct rec_change *c = rec_change(s->in, r, (uint32_t)i);
	int64_t cost = s->in->use[i].cost_nano;

	c->after.cost_nano = (int64_t)((double)cost * HOST_FRAC);
	c->lo_nano = 0;
	c->hi_nano = (int64_t)((double)cost * HOST_HI_FRAC);
	c->after.gpus_milli = 0;
	r->risk = RISK_MEDIUM;
	r->replay.jobs++;
}

static void propose_notebook(struct lever_state *s, size_t i)
{
	const struct fleet *f = s->in->fleet;
	const struct work *w = &f->work.v[i];
	struct idle_hour *h = xcalloc(w->nhour + 1, sizeof *h);

	for (size_t k = 0; k < w->nhour; k++) {
		const struct work_hour *x = &f->hour.v[w->hour0 + k];
		h[k] = (struct idle_hour){ x->hour_ms, x->ms, x->idle_ms, x->nano };
	}
	struct idle_cull cull = idle_cull(h, w->nhour, NOTEBOOK_IDLE_MS);
	free(h);
	if (!cull.saved_nano)
		return;
	struct rec *r = rec_for(s, 0, arena_printf(s->in->mem, "notebooks-%s", owner_of(w)));
	change_cost(s, r, i, left_after(w, &s->in->use[i], cull.saved_nano), false);
	r->risk = RISK_MEDIUM;
	r->replay.jobs++;
	r->replay.interruptions += (double)cull.restarts;
}

static bool has_requests(const struct fleet *f, const char *service)
{
	for (size_t i = 0; i < f->service.n; i++)
		if (f->service.v[i].service == service && f->service.v[i].requests)
			return true;
	return false;
}

static void propose_server(struct lever_state *s, size_t i)
{
	const struct work *w = &s->in->fleet->work.v[i];
	struct rec *r = rec_for(s, 0, arena_printf(s->in->mem, "server-%s", w->service));

	change_cost(s, r, i, 0, true);
	r->risk = RISK_MEDIUM;
}

static void propose_works(struct lever_state *s)
{
	const struct fleet *f = s->in->fleet;

	for (size_t i = 0; i < f->work.n; i++) {
		const struct work *w = &f->work.v[i];
		if ((w->kind != WORK_JOB && w->kind != WORK_SERVICE) || !candidate(s->in, i))
			continue;
		if (w->kind == WORK_SERVICE && w->stats.idle_frac >= 0.999 && !has_requests(f, w->service))
			propose_server(s, i);
		else if (w->kind == WORK_JOB && w->notebook)
			propose_notebook(s, i);
		else if (w->kind == WORK_JOB && w->stats.first_busy_ms == UNKNOWN_MS)
			propose_unused(s, i);
	}
}

static void tell_works(struct lever_state *s, size_t first)
{
	const struct lever_in *in = s->in;

	for (size_t i = first; i < s->out->v.n; i++) {
		struct rec *r = s->out->v.v[i];
		const struct work *w = &in->fleet->work.v[r->change.v[0].work];
		rec_subject(in, r, "team", w->team);
		r->team = w->team;
		r->within_days = 3;
		rec_evidence(in, r, QUALITY_MEASURED, "GPU time of these works", "GPU·h", "ledger", "%.0f", gpu_hours(in->fleet, r));
		rec_evidence(in, r, QUALITY_MEASURED, "share of it that was idle, mean of the largest", "frac", "telemetry", "%.3f", w->stats.idle_frac);
		if (w->kind == WORK_SERVICE) {
			rec_subject(in, r, "service", w->service);
			r->title = arena_printf(in->mem, "stop %s: warm and without a request", w->service);
			rec_apply(in, r, "kubectl scale deployment %s --replicas=0", w->service);
			rec_undo(in, r, "kubectl scale deployment %s --replicas=%zu", w->service, r->change.n);
			rec_risk(in, r, "A service that is asked once a month is cold then.");
		} else if (w->notebook) {
			r->title = arena_printf(in->mem, "%s: stop notebooks that idle for %lld hours", owner_of(w), (long long)(NOTEBOOK_IDLE_MS / MS_HOUR));
			rec_apply(in, r, "# JupyterHub: c.JupyterHub.services = [{'name': 'cull', 'command': [sys.executable, '-m', 'jupyterhub_idle_culler', '--timeout=%lld']}]",
				  (long long)(NOTEBOOK_IDLE_MS / MS_SECOND));
			rec_undo(in, r, "# JupyterHub: remove the service 'cull'");
			rec_risk(in, r, "What a stopped notebook held in memory is gone; in replay %.0f were wanted again.", r->replay.interruptions);
		} else {
			r->title = arena_printf(in->mem, "%s: %zu job%s that never used a card, run on machines without one", owner_of(w), r->change.n, r->change.n == 1 ? "" : "s");
			rec_apply(in, r, "#SBATCH --gres=none");
			rec_undo(in, r, "#SBATCH --gres=gpu:%lld", (long long)((w->gpus_milli + 999) / 1000));
			rec_risk(in, r, "The cost of a machine without cards is estimated: %.0f %% of the one with.", HOST_FRAC * 100);
			r->confidence_frac = 0.8;
		}
	}
}

static void drop_trifles(struct lever_state *s, size_t first)
{
	size_t k = first;

	for (size_t i = first; i < s->out->v.n; i++) {
		struct rec *r = s->out->v.v[i];
		int64_t saved = 0;
		for (size_t c = 0; c < r->change.n; c++)
			saved += s->in->use[r->change.v[c].work].cost_nano - r->change.v[c].after.cost_nano;
		if (saved > s->in->fleet->cost_nano / WORTH_PART)
			s->out->v.v[k++] = r;
		else
			rec_free(r);
	}
	s->out->v.n = k;
}

int lever_stop_idle_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct lever_state s = { .in = in, .out = out };
	size_t first = out->v.n;

	(void)err;
	sort_works(&s);
	propose_machines(&s);
	tell_machines(&s, first);
	size_t works = out->v.n;
	propose_works(&s);
	tell_works(&s, works);
	drop_trifles(&s, first);
	free(s.order);
	return 0;
}
