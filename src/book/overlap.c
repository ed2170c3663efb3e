/* Machine time that stands on the bill without a machine's name and in the node list with one. */
#include "base/tm.h"
#include "book/in.h"

static size_t count_nodes(const struct node *node, size_t n, const struct unnamed_gpu *u)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++) {
		const struct node *x = &node[i];
		if (i && sv_eq(x->node, node[i - 1].node)) /* a later record of the same */
			continue;
		if (x->from_ms >= u->to_ms || (x->to_ms != UNKNOWN_MS && x->to_ms <= u->from_ms))
			continue;
		bool same_provider = !x->provider.n || sv_ieq(x->provider, u->provider);
		same += same_provider && sv_ieq(x->instance_type, u->instance_type);
	}
	return same;
}

int overlap_note(struct book *b, struct err *err)
{
	struct feed_report *report = book_first_report(b);
	struct unnamed_gpu *u;
	struct node *node;
	size_t nu = 0, n = 0;
	int rc;

	if (!b->saw_machines || !report)
		return 0;
	rc = store_unnamed_gpu(b->store, &b->mem, &u, &nu, err);
	if (!rc && nu)
		rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);
	for (size_t i = 0; i < nu && n && !rc; i++) {
		size_t same = count_nodes(node, n, &u[i]);
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
