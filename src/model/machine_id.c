/* See machine_id.h. */
#include "model/machine_id.h"

#include "base/num.h"

#define AKS_SUFFIX 8 /* digits between the pool and "-vmss" */

/* What stands behind the last '/', and before it. */
static struct sv last_part(struct sv id, struct sv *ret_before)
{
	size_t n = id.n;

	while (n && id.p[n - 1] != '/')
		n--;
	*ret_before = (struct sv){ id.p, n ? n - 1 : 0 };
	return sv_from(id, n);
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
	if (sv_starts(id, SV("azure://")) || sv_starts(id, SV("/subscriptions/")))
		return SV("azure");
	/* "i-0feed": of EC2 alone */
	if (id.n < 6 || !sv_starts(id, SV("i-")))
		return SV_NULL;
	for (size_t i = 2; i < id.n; i++)
		if (!within_int(id.p[i], '0', '9') && !within_int(id.p[i], 'a', 'f'))
			return SV_NULL;
	return SV("aws");
}

bool machine_id_in_set(struct sv id, struct sv *ret_set, struct sv *ret_number)
{
	struct sv own = machine_id_own(id), set, sets, rest;
	struct sv number = last_part(own, &rest);
	struct sv machines = last_part(rest, &set);

	if (!number.n || !sv_ieq(machines, SV("virtualMachines")))
		return false;
	last_part(set, &rest);
	sets = last_part(rest, &rest);
	if (!sv_ieq(sets, SV("virtualMachineScaleSets")))
		return false;
	*ret_set = set;
	*ret_number = number;
	return true;
}

struct sv machine_id_aks_pool(struct sv id)
{
	struct sv set, number, rest;
	size_t n = 0;

	if (machine_id_in_set(id, &set, &number))
		id = last_part(set, &rest);
	if (!sv_starts(id, SV("aks-")))
		return SV_NULL;
	struct sv pool = sv_cut(sv_from(id, 4), '-', &rest);
	while (n < rest.n && within_int(rest.p[n], '0', '9'))
		n++;
	if (n != AKS_SUFFIX || !sv_starts(sv_from(rest, n), SV("-vmss")))
		return SV_NULL;
	return pool;
}
