/* Machine time that stands on the bill without a machine's name and in the node list with one. */
#include "base/tm.h"
#include "book/in.h"

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
			"give the jobs their node, or record the machines that no job and no reading "
			"names as nodes (docs/MAPS.md)",
			b->beside_pools.n, b->beside_pools.n == 1 ? "" : "s",
			b->beside_pools.n == 1 ? "is" : "are");
	if (!b->saw_machines || !report)
		return 0;
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
