/* Machine time that stands on the bill without a machine's name and in the node list with one. */
#include "base/num.h"
#include "base/tm.h"
#include "book/in.h"
#include "store/machines.h"

/* Readings of GPUs that are of no machine, beside recorded ones; --covers of a cluster that nothing
 * is of. */
static int note_nameless(struct book *b, struct feed_report *report, struct err *err)
{
	struct intern gpu = { 0 }, machine = { 0 }, cluster = { 0 };
	struct witness_jobs *jobs;
	struct node *node;
	size_t n = 0, njobs = 0;
	int rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);

	for (size_t i = 0; i < b->nloose; i++) {
		struct scope s = { .kind = SCOPE_GPU, .name = b->loose[i].key.gpu };
		struct sv key = sv_of(scope_key_in(&s, &b->mem));
		if (traits_home(b->traits, b->loose[i].key.gpu).n)
			continue;
		if (!b->loose[i].by_uuid && intern_find(&b->dirty.scope, key) >= 0)
			intern_add(&gpu, key);
	}
	if (b->opt.ncovers && !rc)
		rc = store_witness_jobs(b->store, &b->mem, &jobs, &njobs, err);
	for (size_t i = 0; i < n && !rc; i++) {
		intern_add(&machine, node[i].node);
		intern_add(&cluster, node[i].cluster);
	}
	for (size_t i = 0; i < njobs && !rc; i++)
		intern_add(&cluster, jobs[i].cluster);
	struct sv tagged;
	for (size_t at = 0; traits_tagged(b->traits, &at, &tagged).n;)
		intern_add(&cluster, tagged);
	if (gpu.n && machine.n)
		feed_note(report, "%s", join_nameless_words(&b->mem, 0, gpu.n, machine.n));
	for (size_t i = 0; i < b->opt.ncovers && !rc; i++)
		if (intern_find(&cluster, sv_of(b->opt.covers[i])) < 0)
			feed_note(
				report,
				"--covers %s: no machine and no job here is of a cluster of this name, "
				"so it covers nothing; give them one (column cluster, --set cluster=%s)",
				b->opt.covers[i], b->opt.covers[i]);
	intern_free(&gpu);
	intern_free(&machine);
	intern_free(&cluster);
	return rc;
}

/* Machines of jobs and readings beside machines of bills and node lists, in the days of this
 * batch. */
static int note_twice(struct book *b, struct feed_report *report, struct err *err)
{
	struct span days = { INT64_MAX, INT64_MIN };
	struct machine_time *v;
	size_t n = 0;

	for (size_t i = 0; i < b->posted.n; i++) {
		if (scope_of_key(sv_of(b->posted.v[i].scope), &b->mem).kind == SCOPE_BILL)
			continue;
		days.from_ms = min_i64(b->posted.v[i].from_ms, days.from_ms);
		days.to_ms = max_i64(b->posted.v[i].to_ms, days.to_ms);
	}
	if (days.from_ms >= days.to_ms)
		return 0;
	int rc = store_machine_times(b->store, days, &b->mem, &v, &n, err);
	if (rc || !n)
		return rc;
	struct join_twice t = join_twice(b->catalog, v, n, &b->mem);
	const char *words = join_twice_words(&b->mem, &t);
	if (words)
		feed_note(report, "%s", words);
	return 0;
}

int overlap_note(struct book *b, struct err *err)
{
	struct feed_report *report = book_first_report(b);
	struct unnamed_gpu *u;
	struct node *node;
	size_t nu = 0, n = 0;
	int rc;

	if (report && b->beside_pools.n)
		feed_note(
			report,
			"jobs that name no machine may be of %zu machine%s that %s closed without "
			"them: this time may stand twice in GPU·h, and nobody is called idle by it; "
			"give the jobs their node, or record the machines that no job names as nodes "
			"(docs/MAPS.md)",
			b->beside_pools.n, b->beside_pools.n == 1 ? "" : "s",
			b->beside_pools.n == 1 ? "is" : "are");
	if (report && b->read_in_pools.n)
		feed_note(
			report,
			"jobs that name no machine hold GPUs of %zu machine%s with readings: on which of "
			"them they ran is not known, so their time is theirs and unknown in what it did, "
			"and the readings tell of the rest; give the jobs their node",
			b->read_in_pools.n, b->read_in_pools.n == 1 ? "" : "s");
	size_t homeless = traits_homeless(b->traits);
	if (report && homeless)
		feed_note(
			report,
			"readings of %zu GPU%s name no machine and jobs of several machines or clusters: "
			"which of them has this time is not known, and it may stand twice; give the "
			"readings their node (tare import --set node=NAME)",
			homeless, plural(homeless));
	if (report && (b->nloose || b->opt.ncovers)) {
		rc = note_nameless(b, report, err);
		if (rc)
			return rc;
	}
	rc = report ? note_twice(b, report, err) : 0;
	if (rc || !b->saw_machines || !report)
		return rc;
	rc = store_unnamed_gpu(b->store, &b->mem, &u, &nu, err);
	if (!rc && nu)
		rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);
	for (size_t i = 0; i < nu && n && !rc; i++) {
		size_t same = 0;
		for (size_t k = 0; k < n; k++) {
			const struct node *x = &node[k];
			if (k && sv_eq(x->node, node[k - 1].node)) /* a later record of the same */
				continue;
			bool ended = x->to_ms != UNKNOWN_MS && x->to_ms <= u[i].from_ms;
			if (x->from_ms >= u[i].to_ms || ended)
				continue;
			bool same_provider = !x->provider.n || sv_ieq(x->provider, u[i].provider);
			same += same_provider && sv_ieq(x->instance_type, u[i].instance_type);
		}
		if (same)
			feed_note(
				report,
				"%.1f GPU·h of %.*s stand on bill lines without a resource id, and %zu recorded "
				"node%s of that type: the same machines may stand twice, in GPU·h and at their "
				"own price; export the bill with resource ids, then lines find their nodes",
				(double)u[i].ms / MS_HOUR, SVF(u[i].instance_type), same,
				same == 1 ? " is" : "s are");
	}
	return rc;
}
