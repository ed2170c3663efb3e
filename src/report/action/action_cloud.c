/* Actions in the words of the clouds: aws, gcloud, az; and a comment for anything else. */
#include <ctype.h>

#include "base/str.h"
#include "base/tm.h"
#include "model/machine_id.h"
#include "report/action/action_in.h"

/* What a cloud has lines for; NULL: a comment says what is to be done. */
struct cloud {
	const char *name;
	bool by_resource; /* machines are known by the id of the bill, not by name */
	void (*power)(struct lines *l, const struct machine_ref *m, bool on);
	/* all machines of a timetable in one command, for a line of cron */
	const char *(*power_all)(struct lines *l, const struct action_timetable *t, bool on);
	void (*reserve)(struct lines *l, const struct action_commit *c);
	/* a group of machines that grows from none when pods ask */
	void (*pool)(struct lines *l, const struct action_pool *p, const char *name, bool undo);
	/* a machine leaves its node pool, which becomes smaller by it */
	void (*leave_pool)(struct lines *l, const struct machine_ref *m);
	/* a node pool has so many machines (a word of ours, or a number) from now on */
	const char *(*resize_pool)(struct lines *l, const struct pool_size *p,
				   struct raw_name region, const char *machines);
};

static struct raw_name zone_or_region(struct raw_name zone, struct raw_name region)
{
	if (name_is_told(zone))
		return zone;
	return region;
}

static const char *power_all_of(struct lines *l, enum quote how, const struct action_timetable *t)
{
	if (t->nnode)
		return quote_names(l, how, t->node, t->nnode, "MACHINES");
	return quote_names(l, how, &t->cluster, 1, "MACHINES");
}

/* The word that AWS and Google have for it. */
static const char *power_word(bool on)
{
	return on ? "start" : "stop";
}

/* Its id as the commands of its cloud take it. */
static struct raw_name own_id(struct lines *l, struct raw_name id)
{
	return raw_name(arena_sv(l->mem, machine_id_own(sv_of(text_or(id.z, "")))));
}

/* ---- AWS --------------------------------------------------------------------------------- */

/* "ip-10-0-3-45.ec2.internal": the name that the cloud itself gave it, by which it is found. */
static bool is_aws_host(struct raw_name node)
{
	struct sv name = sv_of(text_or(node.z, ""));

	for (size_t i = 0; i < name.n; i++)
		if (!isalnum((unsigned char)name.p[i]) && name.p[i] != '-' && name.p[i] != '.')
			return false;
	return sv_starts(name, SV("ip-")) && sv_ends(name, SV(".internal"));
}

static void aws_power(struct lines *l, const struct machine_ref *m, bool on)
{
	const char *region = quoted(l, QUOTE_CLOUD, m->region, "REGION");

	line_add(l, "# %s", quoted(l, QUOTE_NOTE, m->node, ""));
	if (!name_is_told(m->resource) && is_aws_host(m->node)) {
		line_add(
			l,
			"aws ec2 %s-instances --region %s --instance-ids $(aws ec2 describe-instances --region %s --filters Name=private-dns-name,Values=%s "
			"--query 'Reservations[].Instances[].InstanceId' --output text)",
			power_word(on), region, region, quoted(l, QUOTE_HOST, m->node, "MACHINE"));
		return;
	}
	line_add(l, "aws ec2 %s-instances --region %s --instance-ids %s", power_word(on), region,
		 quoted(l, QUOTE_CLOUD, own_id(l, m->resource), "ID"));
}

static const char *own_ids(struct lines *l, const struct action_timetable *t)
{
	struct raw_name *id = arena_alloc(l->mem, (t->nresource + 1) * sizeof *id);

	for (size_t i = 0; i < t->nresource; i++)
		id[i] = own_id(l, t->resource[i]);
	return quote_names(l, QUOTE_IDS, id, t->nresource, "IDS");
}

static const char *aws_power_all(struct lines *l, const struct action_timetable *t, bool on)
{
	const char *region = quoted(l, QUOTE_CLOUD, t->region, "REGION");

	if (t->nresource)
		return arena_printf(l->mem, "aws ec2 %s-instances --region %s --instance-ids %s",
				    power_word(on), region, own_ids(l, t));
	return arena_printf(
		l->mem,
		"aws ec2 %s-instances --region %s --instance-ids $(aws ec2 describe-instances --region %s --filters %s "
		"--query 'Reservations[].Instances[].InstanceId' --output text)",
		power_word(on), region, region, power_all_of(l, QUOTE_TAGS, t));
}

static void aws_reserve(struct lines *l, const struct action_commit *c)
{
	const char *region = quoted(l, QUOTE_CLOUD, c->region, "REGION");
	long long term_s = (long long)c->term_h * 3600;

	line_add(
		l,
		"aws ec2 describe-reserved-instances-offerings --region %s --instance-type %s --product-description 'Linux/UNIX' --min-duration %lld --max-duration %lld",
		region, quoted(l, QUOTE_CLOUD, c->instance_type, "TYPE"), term_s, term_s);
	line_add(
		l,
		"aws ec2 purchase-reserved-instances-offering --region %s --instance-count %.0f --reserved-instances-offering-id ID",
		region, c->machines);
}

static void aws_pool(struct lines *l, const struct action_pool *p, const char *name, bool undo)
{
	const char *cluster = quoted(l, QUOTE_CLOUD, p->cluster, "CLUSTER"),
		   *region = quoted(l, QUOTE_CLOUD, p->region, "REGION");

	if (undo)
		line_add(
			l,
			"aws eks delete-nodegroup --region %s --cluster-name %s --nodegroup-name %s",
			region, cluster, name);
	else
		line_add(
			l,
			"aws eks create-nodegroup --region %s --cluster-name %s --nodegroup-name %s --instance-types %s --capacity-type %s "
			"--scaling-config minSize=0,maxSize=%lld,desiredSize=0 --subnets SUBNETS --node-role ROLE",
			region, cluster, name, quoted(l, QUOTE_CLOUD, p->instance_type, "TYPE"),
			p->spot ? "SPOT" : "ON_DEMAND", (long long)(p->now - p->was));
}

static void aws_leave_pool(struct lines *l, const struct machine_ref *m)
{
	const char *region = quoted(l, QUOTE_CLOUD, m->region, "REGION");

	if (name_is_told(m->resource))
		line_add(
			l,
			"aws autoscaling terminate-instance-in-auto-scaling-group --region %s --should-decrement-desired-capacity --instance-id %s",
			region, quoted(l, QUOTE_CLOUD, own_id(l, m->resource), "ID"));
	else
		line_add(
			l,
			"aws autoscaling terminate-instance-in-auto-scaling-group --region %s --should-decrement-desired-capacity --instance-id "
			"$(aws ec2 describe-instances --region %s --filters Name=private-dns-name,Values=%s --query 'Reservations[].Instances[].InstanceId' --output text)",
			region, region, quoted(l, QUOTE_HOST, m->node, "MACHINE"));
}

static const char *aws_resize_pool(struct lines *l, const struct pool_size *p,
				   struct raw_name region, const char *machines)
{
	return arena_printf(
		l->mem,
		"aws eks update-nodegroup-config --region %s --cluster-name %s --nodegroup-name %s --scaling-config minSize=0,desiredSize=%s",
		quoted(l, QUOTE_CLOUD, region, "REGION"),
		quoted(l, QUOTE_CLOUD, p->cluster, "CLUSTER"),
		quoted(l, QUOTE_CLOUD, p->pool, "POOL"), machines);
}

/* ---- Google ------------------------------------------------------------------------------ */

static void gcp_power(struct lines *l, const struct machine_ref *m, bool on)
{
	line_add(l, "gcloud compute instances %s %s --zone %s", power_word(on),
		 quoted(l, QUOTE_HOST, m->node, "MACHINE"),
		 quoted(l, QUOTE_CLOUD, zone_or_region(m->zone, m->region), "ZONE"));
}

static const char *gcp_power_all(struct lines *l, const struct action_timetable *t, bool on)
{
	return arena_printf(l->mem, "gcloud compute instances %s --zone %s %s", power_word(on),
			    quoted(l, QUOTE_CLOUD, zone_or_region(t->zone, t->region), "ZONE"),
			    power_all_of(l, QUOTE_HOSTS, t));
}

/* What Google calls the GPUs of a model; NULL: not known. */
static const char *gcp_accelerator(const struct action_commit *c)
{
	static const struct {
		const char *model, *type;
	} known[] = { { "T4", "nvidia-tesla-t4" },
		      { "L4", "nvidia-l4" },
		      { "P4", "nvidia-tesla-p4" },
		      { "V100-SXM2-16GB", "nvidia-tesla-v100" },
		      { "P100-PCIE-16GB", "nvidia-tesla-p100" },
		      { "A100-SXM4-40GB", "nvidia-tesla-a100" },
		      { "A100-SXM4-80GB", "nvidia-a100-80gb" },
		      { "H100-SXM5-80GB", "nvidia-h100-80gb" },
		      { "H200-SXM5-141GB", "nvidia-h200-141gb" },
		      { "B200", "nvidia-b200" },
		      { "GB200", "nvidia-gb200" } };

	if (sv_starts(sv_of(text_or(c->instance_type.z, "")), SV("a3-megagpu")))
		return "nvidia-h100-mega-80gb";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (name_is(c->gpu_model, known[i].model))
			return known[i].type;
	return NULL;
}

static void gcp_reserve(struct lines *l, const struct action_commit *c)
{
	const char *gpu = gcp_accelerator(c);
	bool host_known = c->cpus > 0 && c->ram_gib > 0 && c->machines > 0;
	bool all_known = gpu && host_known;
	const char *resources = "vcpu=VCPUS,memory=GB";
	line_add(l, "# committed use of %.0f x %s with its GPUs, vCPUs and memory, in %s",
		 c->machines, quoted(l, QUOTE_NOTE, c->instance_type, ""),
		 quoted(l, QUOTE_NOTE, c->region, ""));
	if (!all_known)
		line_add(
			l,
			"# GPU is its accelerator, VCPUS and GB are of %.0f such: gcloud compute machine-types describe %s --zone=ZONE",
			c->machines, quoted(l, QUOTE_NOTE, c->instance_type, ""));
	if (host_known)
		resources = arena_printf(l->mem, "vcpu=%.0f,memory=%.0fGB", c->machines * c->cpus,
					 c->machines * c->ram_gib);
	line_add(
		l,
		"gcloud compute commitments create %s --region=%s --plan=%s --resources=%s --resources-accelerator=type=%s,count=%.0f",
		c->id, quoted(l, QUOTE_CLOUD, c->region, "REGION"),
		c->term_h > 365 * 24 ? "36-month" : "12-month", resources, text_or(gpu, "GPU"),
		c->gpus);
}

static void gcp_pool(struct lines *l, const struct action_pool *p, const char *name, bool undo)
{
	const char *cluster = quoted(l, QUOTE_CLOUD, p->cluster, "CLUSTER"),
		   *region = quoted(l, QUOTE_CLOUD, p->region, "REGION");

	if (undo)
		line_add(l, "gcloud container node-pools delete %s --cluster %s --region %s", name,
			 cluster, region);
	else
		line_add(
			l,
			"gcloud container node-pools create %s --cluster %s --region %s --machine-type %s%s --enable-autoscaling --num-nodes 0 "
			"--min-nodes 0 --max-nodes %lld",
			name, cluster, region, quoted(l, QUOTE_CLOUD, p->instance_type, "TYPE"),
			text_if(p->spot, " --spot"), (long long)(p->now - p->was));
}

static void gcp_leave_pool(struct lines *l, const struct machine_ref *m)
{
	line_add(
		l,
		"# GROUP: gcloud container node-pools describe %s --cluster %s --region %s --format='value(instanceGroupUrls)' (--zone of a zonal cluster)",
		quoted(l, QUOTE_NOTE, m->node_pool, ""),
		quoted(l, QUOTE_NOTE, m->pool_cluster, "CLUSTER"),
		quoted(l, QUOTE_NOTE, m->region, "REGION"));
	line_add(
		l,
		"gcloud compute instance-groups managed delete-instances GROUP --zone %s --instances %s",
		quoted(l, QUOTE_CLOUD, zone_or_region(m->zone, m->region), "ZONE"),
		quoted(l, QUOTE_HOST, m->node, "MACHINE"));
}

static const char *gcp_resize_pool(struct lines *l, const struct pool_size *p,
				   struct raw_name region, const char *machines)
{
	return arena_printf(
		l->mem,
		"gcloud container clusters resize %s --node-pool %s --region %s --num-nodes %s --quiet",
		quoted(l, QUOTE_CLOUD, p->cluster, "CLUSTER"),
		quoted(l, QUOTE_CLOUD, p->pool, "POOL"), quoted(l, QUOTE_CLOUD, region, "REGION"),
		machines);
}

/* ---- Azure ------------------------------------------------------------------------------- */

/* "--resource-group G --cluster-name C": the group is asked for by the cluster's name. */
static const char *azure_cluster(struct lines *l, struct raw_name cluster)
{
	const char *name = quoted(l, QUOTE_CLOUD, cluster, "CLUSTER");
	const char *group = "GROUP";

	if (name_is_told(cluster))
		group = arena_printf(
			l->mem, "$(az aks list --query \"[?name=='%s'].resourceGroup\" -o tsv)",
			name);
	return arena_printf(l->mem, "--resource-group %s --cluster-name %s", group, name);
}

static void azure_pool(struct lines *l, const struct action_pool *p, const char *name, bool undo)
{
	const char *cluster = azure_cluster(l, p->cluster);
	/* "tsnc24adsa10": at most twelve small letters and digits, as AKS takes it */
	struct sv type = sv_of(text_or(p->instance_type.z, "type"));
	char pool[13] = "t";
	size_t n = 1;

	(void)name;
	if (sv_starts(type, SV("Standard_")))
		type = sv_from(type, 9);
	if (p->spot)
		pool[n++] = 's';
	for (size_t i = 0; i < type.n && n + 1 < sizeof pool; i++)
		if (isalnum((unsigned char)type.p[i]))
			pool[n++] = (char)tolower((unsigned char)type.p[i]);
	if (undo)
		line_add(l, "az aks nodepool delete %s --name %s", cluster, pool);
	else
		line_add(
			l,
			"az aks nodepool add %s --name %s --node-vm-size %s%s --enable-cluster-autoscaler --node-count 0 --min-count 0 "
			"--max-count %lld",
			cluster, pool, quoted(l, QUOTE_CLOUD, p->instance_type, "TYPE"),
			text_if(p->spot, " --priority Spot"), (long long)(p->now - p->was));
}

static void azure_leave_pool(struct lines *l, const struct machine_ref *m)
{
	line_add(l, "az aks nodepool delete-machines %s --name %s --machine-names %s",
		 azure_cluster(l, m->pool_cluster), quoted(l, QUOTE_CLOUD, m->node_pool, "POOL"),
		 quoted(l, QUOTE_HOST, m->node, "MACHINE"));
}

static const char *azure_resize_pool(struct lines *l, const struct pool_size *p,
				     struct raw_name region, const char *machines)
{
	(void)region;
	return arena_printf(l->mem, "az aks nodepool scale %s --name %s --node-count %s",
			    azure_cluster(l, p->cluster), quoted(l, QUOTE_CLOUD, p->pool, "POOL"),
			    machines);
}

/* A machine that is stopped and not deallocated is paid for on. */
static const char *azure_word(bool on)
{
	return on ? "start" : "deallocate";
}

/* Ids of the machines of these names, asked for. */
static const char *azure_named(struct lines *l, const struct raw_name *node, size_t n)
{
	const char *query = "";

	for (size_t i = 0; i < n; i++)
		query = arena_printf(l->mem, "%s%sname=='%s'", query, text_if(i, " || "),
				     quoted(l, QUOTE_HOST, node[i], "MACHINE"));
	return arena_printf(l->mem, "$(az vm list --query \"[?%s].id\" -o tsv)",
			    filled_or(query, "name=='MACHINE'"));
}

/* Those of them that are of no scale set, then the machines of each set, in one line of a shell. */
static const char *azure_power_ids(struct lines *l, const struct raw_name *id, size_t n, bool on)
{
	const char *line = "", *alone = "";
	struct sv set, number, of, other;

	for (size_t i = 0; i < n; i++)
		if (!machine_id_in_set(sv_of(id[i].z), &set, &number))
			alone = arena_printf(l->mem, "%s %s", alone,
					     quoted(l, QUOTE_CLOUD, own_id(l, id[i]), "ID"));
	if (*alone)
		line = arena_printf(l->mem, "az vm %s --ids%s", azure_word(on), alone);
	for (size_t i = 0; i < n; i++) {
		const char *numbers = "";
		bool first = true;

		if (!machine_id_in_set(sv_of(id[i].z), &set, &number))
			continue;
		for (size_t k = 0; k < n; k++) {
			if (!machine_id_in_set(sv_of(id[k].z), &of, &other) || !sv_ieq(of, set))
				continue;
			first &= k >= i;
			numbers = arena_printf(
				l->mem, "%s %s", numbers,
				quoted(l, QUOTE_CLOUD, raw_name(arena_sv(l->mem, other)), "N"));
		}
		if (first)
			line = arena_printf(
				l->mem, "%s%saz vmss %s --ids %s --instance-ids%s", line,
				text_if(*line, "; "), azure_word(on),
				quoted(l, QUOTE_CLOUD, raw_name(arena_sv(l->mem, set)), "SET"),
				numbers);
	}
	return line;
}

/* The id of a machine; of one that has that of its scale set, by its name in the set. */
static struct raw_name azure_machine(struct lines *l, struct raw_name id, struct raw_name node)
{
	struct sv set = machine_id_own(sv_of(text_or(id.z, "")));
	const char *number = "N";

	if (!machine_id_is_set(set))
		return id;
	int64_t n = machine_id_number(set, sv_of(text_or(node.z, "")));
	if (n >= 0)
		number = arena_printf(l->mem, "%lld", (long long)n);
	return raw_name(arena_printf(l->mem, "%.*s/virtualMachines/%s", SVF(set), number));
}

static void azure_power(struct lines *l, const struct machine_ref *m, bool on)
{
	struct raw_name id = azure_machine(l, m->resource, m->node);

	line_add(l, "# %s", quoted(l, QUOTE_NOTE, m->node, ""));
	if (name_is_told(id))
		line_add(l, "%s", azure_power_ids(l, &id, 1, on));
	else
		line_add(l, "az vm %s --ids %s", azure_word(on), azure_named(l, &m->node, 1));
}

static const char *azure_power_all(struct lines *l, const struct action_timetable *t, bool on)
{
	struct raw_name *id = arena_alloc(l->mem, (t->nresource + 1) * sizeof *id);

	for (size_t i = 0; i < t->nresource; i++)
		id[i] = azure_machine(l, t->resource[i], t->node[i]);
	if (t->nresource)
		return azure_power_ids(l, id, t->nresource, on);
	return arena_printf(l->mem, "az vm %s --ids %s", azure_word(on),
			    azure_named(l, t->node, t->nnode));
}

static void azure_reserve(struct lines *l, const struct action_commit *c)
{
	char *name = arena_printf(l->mem, "%s", c->id);

	for (char *z = name; *z; z++)
		if (*z == '.')
			*z = '-';
	const char *what = arena_printf(
		l->mem,
		"--reserved-resource-type VirtualMachines --sku %s --location %s --quantity %.0f --term %s --billing-plan Monthly "
		"--applied-scope-type Shared --billing-scope $(az account show --query id -o tsv) --display-name %s",
		quoted(l, QUOTE_CLOUD, c->instance_type, "SKU"),
		quoted(l, QUOTE_CLOUD, c->region, "REGION"), c->machines,
		c->term_h > 365 * 24 ? "P3Y" : "P1Y", name);

	line_add(l, "# its price; the subscription that az is logged in to is billed");
	line_add(
		l,
		"ORDER=$(az reservations reservation-order calculate %s --query properties.reservationOrderId -o tsv)",
		what);
	line_add(l, "az reservations reservation-order purchase --reservation-order-id $ORDER %s",
		 what);
}

/* ---- which ------------------------------------------------------------------------------- */

static const struct cloud *cloud_of(struct raw_name provider)
{
	static const struct cloud clouds[] = {
		{ "aws", true, aws_power, aws_power_all, aws_reserve, aws_pool, aws_leave_pool,
		  aws_resize_pool },
		{ "gcp", false, gcp_power, gcp_power_all, gcp_reserve, gcp_pool, gcp_leave_pool,
		  gcp_resize_pool },
		{ "azure", false, azure_power, azure_power_all, azure_reserve, azure_pool,
		  azure_leave_pool, azure_resize_pool },
	}, other = { 0 };

	for (size_t i = 0; i < sizeof clouds / sizeof *clouds; i++)
		if (name_is(provider, clouds[i].name))
			return &clouds[i];
	return &other;
}

void cloud_pool(struct lines *l, const struct action_pool *p, bool undo)
{
	const struct cloud *c = cloud_of(p->provider);

	if (c->pool) {
		/* "tare-g6-xlarge-spot": letters, digits and dashes, as all clouds take it. */
		char *name = arena_printf(l->mem, "tare-%s%s",
					  quoted(l, QUOTE_CLOUD, p->instance_type, "type"),
					  text_if(p->spot, "-spot"));
		for (char *z = name; *z; z++)
			if (*z == '.' || *z == '_')
				*z = '-';
		c->pool(l, p, name, undo);
	} else
		line_add(l, "# %s a group of up to %lld x %s%s that grows from none when pods ask",
			 undo ? "delete" : "create", (long long)(p->now - p->was),
			 quoted(l, QUOTE_NOTE, p->instance_type, ""), text_if(p->spot, " spot"));
}

void cloud_pool_less(struct lines *l, const struct action_pool *p, bool undo)
{
	if (undo) {
		line_add(l, "# the group of %s, if they are in one: size %lld again",
			 quoted(l, QUOTE_NOTE, p->instance_type, ""), (long long)p->was);
		return;
	}
	line_add(
		l,
		"# %s in a group: it would start others for those that are stopped below; make it smaller with each, %lld in the end",
		quoted(l, QUOTE_NOTE, p->instance_type, ""), (long long)p->now);
	if (name_is(p->provider, "aws"))
		line_add(
			l,
			"# instead of a stop: aws autoscaling terminate-instance-in-auto-scaling-group --should-decrement-desired-capacity --instance-id ID");
}

/* A node pool keeps its size: what is stopped there is started or made again. */
static void stop_in_pool(struct lines *l, const struct machine_ref *m, bool undo)
{
	const struct cloud *c = cloud_of(m->provider);
	const struct pool_size p = { .pool = m->node_pool, .cluster = m->pool_cluster };

	if (undo) {
		line_add(l, "# N: machines of node pool %s now, and one more",
			 quoted(l, QUOTE_NOTE, m->node_pool, ""));
		if (c->resize_pool)
			line_add(l, "%s", c->resize_pool(l, &p, m->region, "N"));
		return;
	}
	line_add(
		l,
		"# %s is of node pool %s of cluster %s: stopped alone it would be started again. It leaves the pool, which is one smaller then (its minimum must allow that)",
		quoted(l, QUOTE_NOTE, m->node, ""), quoted(l, QUOTE_NOTE, m->node_pool, ""),
		quoted(l, QUOTE_NOTE, m->pool_cluster, "CLUSTER"));
	if (c->leave_pool)
		c->leave_pool(l, m);
	else
		line_add(l, "# take %s out of the pool: its cloud has a command for that",
			 quoted(l, QUOTE_NOTE, m->node, ""));
}

void cloud_stop(struct lines *l, const struct action *a, bool undo)
{
	const struct machine_ref *m = &a->machine;
	const struct cloud *c = cloud_of(m->provider);

	if (name_is_told(m->node_pool)) {
		stop_in_pool(l, m, undo);
		return;
	}

	bool has_own_name = c->power == aws_power && is_aws_host(m->node);
	bool found = name_is_told(m->resource) || !c->by_resource || has_own_name;

	if (c->power && found)
		c->power(l, m, undo);
	else
		line_add(l, "# %s %s, %s %s", power_word(undo), quoted(l, QUOTE_NOTE, m->node, ""),
			 quoted(l, QUOTE_NOTE, m->instance_type, ""),
			 quoted(l, QUOTE_NOTE, zone_or_region(m->zone, m->region), ""));
}

/* ---- timetables -------------------------------------------------------------------------- */

static const char *power_command(struct lines *l, const struct action_timetable *t, bool on)
{
	const struct cloud *c = cloud_of(t->provider);

	if (c->power_all)
		return c->power_all(l, t, on);
	return arena_printf(l->mem, "scontrol update NodeName=%s State=%s",
			    power_all_of(l, QUOTE_NODES, t), on ? "POWER_UP" : "POWER_DOWN_ASAP");
}

/* A cluster of Kubernetes whose cloud nobody told: empty machines are given back by its
 * autoscaler, and pods that wait in the morning bring others. */
static const char *kube_command(struct lines *l, const struct action_timetable *t, bool on)
{
	/* one by one: a machine that is gone ends the command for all of them */
	return arena_printf(
		l->mem, "for n in %s; do kubectl %s; done", power_all_of(l, QUOTE_HOSTS, t),
		on ? "uncordon $n" : "drain $n --ignore-daemonsets --delete-emptydir-data --force");
}

static const char *pool_command(struct lines *l, const struct action_timetable *t,
				const struct pool_size *p, bool on)
{
	int64_t machines = on ? p->all : p->all - p->these;

	return cloud_of(t->provider)
		->resize_pool(l, p, t->region, arena_printf(l->mem, "%lld", (long long)machines));
}

/* Days with the same hour in one line. */
static void put_cron(struct lines *l, const struct action_timetable *t, const char *command,
		     bool on)
{
	for (int h = 0; h < 24; h++) {
		struct str days = { 0 };

		/* "1,2,5": the days, as cron counts them, on which this happens at this hour */
		for (size_t i = 0; i < t->nevent; i++)
			if (t->event[i].on == on && t->event[i].hour == h)
				str_addf(&days, "%s%d", text_if(days.n, ","),
					 (t->event[i].weekday + 1) % 7);
		if (days.n)
			line_add(l, "0 %d * * %s root %s", h, str_z(&days), command);
		str_free(&days);
	}
}

enum timetable_how {
	BY_POOL,  /* the size of its node pools */
	BY_KUBE,  /* machines are drained, and their autoscaler gives them back */
	BY_POWER, /* machines are switched, by their cloud or by Slurm */
	BY_HAND,  /* neither who runs the work nor the cloud is known */
};

static enum timetable_how how_switched(const struct action_timetable *t)
{
	const struct cloud *c = cloud_of(t->provider);

	if (t->to & TO_KUBERNETES || t->npool)
		return c->resize_pool ? BY_POOL : BY_KUBE;
	return c->power_all || t->to & TO_SLURM ? BY_POWER : BY_HAND;
}

/* Where no label tells the pool: a pool of these machines alone. */
static void pool_not_told(struct lines *l, const struct action_timetable *t, struct pool_size *ret)
{
	*ret = (struct pool_size){ .cluster = t->cluster,
				   .all = (int64_t)t->nnode,
				   .these = (int64_t)t->nnode };
	line_add(
		l,
		"# POOL: the node pool of %s: kubectl get node %s --show-labels. Stopped alone its machines would be started again; others in it need a pool of their own first",
		quote_names(l, QUOTE_NOTE, t->node, t->nnode, "these machines"),
		quote_names(l, QUOTE_HOSTS, t->node, t->nnode ? 1 : 0, "MACHINE"));
}

static void put_pools(struct lines *l, const struct action_timetable *t)
{
	for (size_t i = 0; i < t->npool; i++)
		line_add(
			l,
			"# node pool %s, %lld machine%s of %lld: stopped alone they would be started again, so its size changes, and pods are drained by that%s",
			quoted(l, QUOTE_NOTE, t->pool[i].pool, ""), (long long)t->pool[i].these,
			plural((size_t)t->pool[i].these), (long long)t->pool[i].all,
			text_if(t->pool[i].these < t->pool[i].all,
				". Which machines go is the cloud's choice: cordon and drain these before, or give them a pool of their own"));
}

static void put_by_hand(struct lines *l, const struct action_timetable *t, bool undo)
{
	const char *who = quote_names(l, QUOTE_NOTE, t->node, t->nnode, "these machines");

	if (undo) {
		line_add(l, "# the timetable of %s out again, and they on", who);
		return;
	}
	line_add(
		l,
		"# who runs the work and the cloud are not known: a timetable of your own for %s%s. Kubernetes: the size of their node pool; Slurm: scontrol update NodeName=... State=POWER_DOWN_ASAP, POWER_UP",
		who, text_if(t->nnode > 1, " and the others"));
	static const char *const day[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };

	for (size_t i = 0; i < t->nevent; i++)
		line_add(l, "# %s %02d:00 UTC: %s", day[t->event[i].weekday], t->event[i].hour,
			 t->event[i].on ? "on" : "off");
}

void cloud_timetable(struct lines *l, const struct action *a, bool undo)
{
	const struct action_timetable *t = &a->timetable;
	enum timetable_how how = how_switched(t);
	const struct pool_size *pool = t->pool;
	struct pool_size whole;
	size_t npool = t->npool;

	if (how == BY_HAND) {
		put_by_hand(l, t, undo);
		return;
	}
	if (how == BY_POOL && !npool) {
		pool_not_told(l, t, &whole);
		pool = &whole;
		npool = 1;
	}
	if (how != BY_POOL)
		npool = 0;
	if (undo) {
		line_add(l, "rm /etc/cron.d/tare-%s", t->id);
		for (size_t i = 0; i < npool; i++)
			line_add(l, "%s", pool_command(l, t, &pool[i], true));
		if (how == BY_KUBE)
			line_add(l, "%s", kube_command(l, t, true));
		if (how == BY_POWER)
			line_add(l, "%s", power_command(l, t, true));
		return;
	}
	if (how == BY_POOL)
		put_pools(l, t);
	if (how == BY_KUBE)
		line_add(
			l,
			"# the cloud of this cluster is not known: its machines are drained, and its autoscaler gives empty ones back (Cluster Autoscaler, Karpenter); without one their pool is to be made smaller at these hours. Pods without a controller, as JupyterHub's, end by --force");
	line_add(l, "cat > /etc/cron.d/tare-%s <<'END'", t->id);
	line_add(l, "CRON_TZ=UTC");
	for (int on = 1; on >= 0; on--) {
		for (size_t i = 0; i < npool; i++)
			put_cron(l, t, pool_command(l, t, &pool[i], on), on);
		if (how == BY_KUBE)
			put_cron(l, t, kube_command(l, t, on), on);
		if (how == BY_POWER)
			put_cron(l, t, power_command(l, t, on), on);
	}
	line_add(l, "END");
	if (how == BY_POOL)
		line_add(
			l,
			"# where the pool autoscales by itself, its minimum must not be above these sizes");
	if (how == BY_POWER)
		line_add(
			l,
			"# Slurm that powers nodes up and down by itself: SuspendTime=900 ResumeTimeout=600 in slurm.conf does it without a timetable");
}

/* ---- storage ----------------------------------------------------------------------------- */

/* What stands behind the last `c` of an id. */
static struct raw_name last_part(struct lines *l, struct raw_name id, char c)
{
	struct sv rest, tail = sv_of(text_or(id.z, ""));

	while (sv_cut(tail, c, &rest).p && rest.p)
		tail = rest;
	return raw_name(arena_sv(l->mem, tail));
}

void cloud_archive(struct lines *l, const struct action *a, bool undo)
{
	const struct action_archive *s = &a->archive;
	struct raw_name id = last_part(l, s->resource, '/');
	const char *name = quoted(l, QUOTE_NOTE, s->name, "");

	if (name_is(s->provider, "aws") && sv_starts(sv_of(id.z), SV("vol-"))) {
		const char *volume = quoted(l, QUOTE_CLOUD, id, "VOLUME");
		const char *region = quoted(l, QUOTE_CLOUD, s->region, "REGION");

		if (undo) {
			line_add(
				l,
				"aws ec2 restore-snapshot-tier --snapshot-id SNAPSHOT --permanent-restore && aws ec2 create-volume --snapshot-id SNAPSHOT --availability-zone ZONE");
			return;
		}
		line_add(
			l,
			"# it must not be attached to a machine: aws ec2 detach-volume --volume-id %s",
			volume);
		line_add(
			l,
			"SNAPSHOT=$(aws ec2 create-snapshot --region %s --volume-id %s --description 'before deletion' --query SnapshotId --output text)",
			region, volume);
		line_add(
			l,
			"aws ec2 wait snapshot-completed --region %s --snapshot-ids $SNAPSHOT && aws ec2 modify-snapshot-tier --region %s --snapshot-id $SNAPSHOT --storage-tier archive && aws ec2 delete-volume --region %s --volume-id %s",
			region, region, region, volume);
		if (s->kept_days > 0)
			line_add(l, "# the snapshot is kept for %g days at least", s->kept_days);
	} else if (undo)
		line_add(l, "# restore %s from the archive", name);
	else
		line_add(
			l,
			"# copy %s, %s, into the archive tier of the provider, wait until that is done, then delete it; keep the copy for %g days at least",
			name, quoted(l, QUOTE_NOTE, s->resource, "no resource id"), s->kept_days);
}

void cloud_expire(struct lines *l, const struct action *a, bool undo)
{
	const char *bucket = quoted(l, QUOTE_BUCKET, last_part(l, a->expire.bucket, ':'), "BUCKET");

	if (undo) {
		line_add(l, "# what has expired is gone");
		line_add(l, "aws s3api delete-bucket-lifecycle --bucket %s", bucket);
		return;
	}
	line_add(
		l,
		"# measure first: the age and size of its objects, and which runs still resume from them");
	line_add(
		l,
		"aws s3api put-bucket-lifecycle-configuration --bucket %s --lifecycle-configuration "
		"'{\"Rules\":[{\"ID\":\"old-checkpoints\",\"Status\":\"Enabled\",\"Filter\":{\"Prefix\":\"\"},\"Expiration\":{\"Days\":%d}}]}'",
		bucket, a->expire.days);
}

/* ---- commitments ------------------------------------------------------------------------- */

void cloud_commit(struct lines *l, const struct action *a, bool undo)
{
	const struct action_commit *c = &a->commit;
	const struct cloud *at = cloud_of(c->provider);
	char day[TM_BUF];

	if (undo) {
		line_add(l, "# a commitment runs until its end, %s: do not renew it",
			 tm_format_date(day, c->ends_ms));
		return;
	}
	if (!strcmp(c->purchase, "savings_plan")) {
		line_add(l,
			 "# Instance savings plan, %s: commit %.2f %s an hour: %s GPUs of %s in %s",
			 c->term, (double)c->plan_hour_nano / 1e9,
			 quoted(l, QUOTE_NOTE, c->currency, ""),
			 arena_printf(l->mem, "%.*f", c->gpus == (double)(int64_t)c->gpus ? 0 : 2,
				      c->gpus),
			 quoted(l, QUOTE_NOTE, c->instance_type, ""),
			 quoted(l, QUOTE_NOTE, c->region, ""));
		if (name_is(c->provider, "aws")) {
			const char *type = text_or(c->instance_type.z, "");
			struct raw_name family =
				raw_name(arena_strn(l->mem, type, strcspn(type, ".")));

			line_add(
				l,
				"aws savingsplans describe-savings-plans-offerings --plan-types EC2Instance --durations %lld --filters name=region,values=%s name=instanceFamily,values=%s",
				(long long)c->term_h * 3600,
				quoted(l, QUOTE_CLOUD, c->region, "REGION"),
				quoted(l, QUOTE_CLOUD, family, "FAMILY"));
			line_add(
				l,
				"aws savingsplans create-savings-plan --commitment %.2f --savings-plan-offering-id ID",
				(double)c->plan_hour_nano / 1e9);
		} else if (name_is(c->provider, "azure"))
			line_add(
				l,
				"az billing-benefits savings-plan-order-aliases create --order-alias-name %s --display-name %s --sku Compute_Savings_Plan --term %s "
				"--billing-plan P1M --applied-scope-type Shared --billing-scope-id /subscriptions/$(az account show --query id -o tsv) "
				"--commitment \"{amount:%.2f,currency-code:%s,grain:Hourly}\"",
				c->id, c->id, c->term_h > 365 * 24 ? "P3Y" : "P1Y",
				(double)c->plan_hour_nano / 1e9,
				quoted(l, QUOTE_CLOUD, c->currency, "CURRENCY"));
	} else if (at->reserve)
		at->reserve(l, c);
	else
		line_add(l, "# reserve %.0f x %s in %s for %s at %s", c->machines,
			 quoted(l, QUOTE_NOTE, c->instance_type, ""),
			 quoted(l, QUOTE_NOTE, c->region, ""), c->term,
			 quoted(l, QUOTE_NOTE, c->provider, ""));
	if (c->in_parts)
		line_add(
			l,
			"# in four weekly parts the ends are spread, and a change of mind costs less");
}
