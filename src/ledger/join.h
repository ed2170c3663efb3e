#ifndef TARE_LEDGER_JOIN_H
#define TARE_LEDGER_JOIN_H
/*
 * Which bill resource is which node. Bills say i-0abc..., Slurm gpu-01, Kubernetes
 * ip-10-0-3-17.ec2.internal. Tried in this order, the first that gives exactly one partner wins:
 * the user's map; node.resource_id against the id, its ARN tail or providerID tail; node name
 * against resource name, ARN tail, Azure/GCP path tail ("projects/p/zones/z/instances/gpu-01");
 * private DNS names ("ip-10-0-3-17" in name or tags); tags Name, hostname, node, k8s.io/node...,
 * kubernetes.io/hostname.
 */
#include "base/mem.h"
#include "ledger/conf.h"
#include "model/machine_id.h"
#include "model/model.h"

struct join_node {
	struct sv node, provider, resource_id, instance_type, zone;
	bool told; /* the id is what jobs on the node say, not its record */
};
struct join_resource {
	struct sv provider, resource_id, resource_name, tags;
};
/* index of the node or -1, and the rule that matched */
struct join_match {
	long node;
	const char *how;
	bool several; /* it is a set of machines, some of which are known: join_is_member() */
};
/* Puts nodes in the order of their names, as the rest takes them, several rows of one behind each
 * other. Returns how many stay: an id that is told of a node is that of the node whose record has
 * it. */
size_t join_settle_nodes(struct join_node *node, size_t n);
/* ret [nres]. O((nodes + resources) x ids) with hashing; for each set once more all nodes. */
void join_match(const struct conf *c, const struct join_node *node, size_t nnode,
		const struct join_resource *res, size_t nres, struct join_match *ret);
/*
 * Whether the node is of the machines that a bill names together by this id: the user maps it to
 * the id; its own resource id is this, or that of a machine in this scale set; Azure's or GKE's
 * name of it is made of that of its scale set ("aks-gpu-1-vmss00000a") or managed instance group
 * ("gke-lab-gpu-1a2b-x7y8" of "gke-lab-gpu-1a2b-grp").
 */
bool join_is_member(const struct conf *c, const struct join_node *n, const struct join_resource *r);
/* What of the time of machines that one source alone tells of (v[n], by kind and day) may be the
 * same time as that of others: of the same day and of one GPU, as far as that is said. */
struct join_twice {
	int64_t ms;
	struct sv named, paid; /* one of each kind; views of v */
};
struct catalog;
struct join_twice join_twice(const struct catalog *c, const struct machine_time *v, size_t n,
			     struct arena *mem);
/* As a sentence; NULL: there is no such time. */
char *join_twice_words(struct arena *mem, const struct join_twice *t);
/* The part of an ARN, providerID, self link or path that names the machine:
 * "arn:aws:ec2:r:a:instance/i-0ab" -> "i-0ab". */
struct sv join_tail(struct sv id);
/* What is said of GPUs of no known machine beside recorded ones; ms: their time, 0 = it is not
 * said. */
char *join_nameless_words(struct arena *mem, int64_t ms, size_t ngpu, size_t nmachine);
#endif
