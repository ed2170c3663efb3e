/* See machine_id.h. */
#include "model/machine_id.h"

#include "base/num.h"

#define AKS_SUFFIX  8  /* digits between the pool and "-vmss" */
#define GROUP_MAX   80 /* AKS cuts the names of groups there */
#define HOST_DIGITS 6  /* behind the set's name in that of a machine */

/* What stands behind the last '/', and before it. */
static struct sv last_part(struct sv id, struct sv *ret_before)
{
	size_t n = id.n;

	while (n && id.p[n - 1] != '/')
		n--;
	*ret_before = (struct sv){ id.p, n ? n - 1 : 0 };
	return sv_from(id, n);
}

static bool starts_ieq(struct sv id, struct sv with)
{
	return id.n >= with.n && sv_ieq((struct sv){ id.p, with.n }, with);
}

struct sv machine_id_own(struct sv id)
{
	struct sv before;

	if (sv_starts(id, SV("azure://")))
		return sv_from(id, 8);
	if (sv_starts(id, SV("aws://")) || sv_starts(id, SV("gce://")) ||
	    sv_starts(id, SV("arn:aws")))
		return last_part(id, &before);
	return id;
}

struct sv machine_id_provider(struct sv id)
{
	if (sv_starts(id, SV("aws://")) || sv_starts(id, SV("arn:aws")))
		return SV("aws");
	if (sv_starts(id, SV("gce://")))
		return SV("gcp");
	if (sv_starts(id, SV("azure://")) || starts_ieq(id, SV("/subscriptions/")))
		return SV("azure");
	/* "i-0feed": of EC2 alone */
	if (id.n < 6 || !sv_starts(id, SV("i-")))
		return SV_NULL;
	for (size_t i = 2; i < id.n; i++)
		if (!within_int(id.p[i], '0', '9') && !within_int(id.p[i], 'a', 'f'))
			return SV_NULL;
	return SV("aws");
}

bool machine_id_is_set(struct sv id)
{
	struct sv before, rest;

	last_part(machine_id_own(id), &before);
	return sv_ieq(last_part(before, &rest), SV("virtualMachineScaleSets"));
}

bool machine_id_in_set(struct sv id, struct sv *ret_set, struct sv *ret_number)
{
	struct sv own = machine_id_own(id), set, rest;
	struct sv number = last_part(own, &rest);
	struct sv machines = last_part(rest, &set);

	if (!number.n || !sv_ieq(machines, SV("virtualMachines")) || !machine_id_is_set(set))
		return false;
	*ret_set = set;
	*ret_number = number;
	return true;
}

int64_t machine_id_number(struct sv set, struct sv node)
{
	struct sv rest, name = last_part(machine_id_own(set), &rest);
	int64_t number = 0;

	if (node.n != name.n + HOST_DIGITS || !starts_ieq(node, name))
		return -1;
	for (size_t i = name.n; i < node.n; i++) {
		char c = (char)(node.p[i] | 0x20); /* a digit stays one */
		if (within_int(c, '0', '9'))
			number = number * 36 + (c - '0');
		else if (within_int(c, 'a', 'z'))
			number = number * 36 + (c - 'a') + 10;
		else
			return -1;
	}
	return number;
}

struct sv machine_id_aks_pool(struct sv id)
{
	struct sv set, number, rest;
	size_t n = 0;

	if (machine_id_in_set(id, &set, &number))
		id = last_part(set, &rest);
	else if (machine_id_is_set(id))
		id = last_part(machine_id_own(id), &rest);
	if (!sv_starts(id, SV("aks-")))
		return SV_NULL;
	struct sv pool = sv_cut(sv_from(id, 4), '-', &rest);
	while (n < rest.n && within_int(rest.p[n], '0', '9'))
		n++;
	if (n != AKS_SUFFIX || !sv_starts(sv_from(rest, n), SV("-vmss")))
		return SV_NULL;
	return pool;
}

struct sv machine_id_aks_cluster(struct sv id)
{
	struct sv part, rest = machine_id_own(id), cluster, region;

	do
		part = sv_cut(rest, '/', &rest);
	while (rest.n && !sv_ieq(part, SV("resourceGroups")));
	part = sv_cut(rest, '/', &rest);
	if (!starts_ieq(part, SV("MC_")) || part.n >= GROUP_MAX)
		return SV_NULL;
	sv_cut(sv_from(part, 3), '_', &rest);
	cluster = sv_cut(rest, '_', &region);
	/* a name with '_' in it may be the group's or the cluster's */
	if (!region.n || memchr(region.p, '_', region.n))
		return SV_NULL;
	return cluster;
}
