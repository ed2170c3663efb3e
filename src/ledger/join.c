#include "ledger/join.h"
#include "base/clean.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"

#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "catalog/catalog.h"
#include "ledger/tagset.h"
#include "model/machine_id.h"

#define FAMILY_MAX 32 /* GPUs that a word may mean */
#define GKE_SUFFIX 5  /* "-x7y8" behind the group's name in that of a machine */

/* Keys of nodes under one rule: several nodes may have the same one, then it decides nothing. */
struct entry_of {
	struct sv key; /* lower case */
	size_t node;
};
struct index {
	VEC(struct entry_of) e;
};

struct joiner {
	struct arena mem;
	const struct join_node *node;
	size_t nnode;
	struct index by_id, by_name, by_dns;
	struct index shared; /* ends of ids that several nodes have, each once */
};

static struct sv lower_text(struct arena *mem, struct sv s)
{
	char *p = arena_strn(mem, text_or(s.p, ""), s.n);
	for (size_t i = 0; i < s.n; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] - 'A' + 'a');
	return (struct sv){ p, s.n };
}

static struct sv after_last(struct sv s, char c)
{
	for (size_t i = s.n; i-- > 0;)
		if (s.p[i] == c)
			return (struct sv){ s.p + i + 1, s.n - i - 1 };
	return s;
}

struct sv join_tail(struct sv id)
{
	while (id.n && id.p[id.n - 1] == '/')
		id.n--;
	/* A machine of an Azure scale set is only known with its set:
	 * "<set>/virtualMachines/<n>". */
	static const char sets[] = "/virtualmachinescalesets/";
	for (size_t i = 0; i + sizeof sets - 1 < id.n; i++)
		if (sv_ieq((struct sv){ id.p + i, sizeof sets - 1 }, sv_of(sets)))
			return (struct sv){ id.p + i + sizeof sets - 1,
					    id.n - i - (sizeof sets - 1) };
	if (memchr(text_or(id.p, ""), '/', id.n))
		return after_last(id, '/');
	if (sv_starts(id, SV("arn:")))
		return after_last(id, ':');
	return id;
}

/* Kubernetes names such a machine by six digits to the base of 36: "aks-gpu-vmss00000a". */
static struct sv scale_set_host(struct arena *mem, struct sv tail)
{
	struct sv rest, set = sv_cut(tail, '/', &rest), n = after_last(rest, '/');
	int64_t v;
	char digits[7] = "000000";
	if (!rest.p || sv_i64(n, &v) < 0 || v < 0)
		return SV_NULL;
	for (int i = 5; i >= 0; i--, v /= 36)
		digits[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[v % 36];
	return sv_of(arena_printf(mem, "%.*s%s", SVF(set), digits));
}

static struct sv first_label(struct sv host)
{
	struct sv rest;
	return sv_cut(host, '.', &rest);
}

/* "ip-10-0-3-17" or "" */
static struct sv dns_label(struct sv host)
{
	struct sv label = first_label(host);
	int dashes = 0;
	if (!sv_starts(label, SV("ip-")))
		return SV_NULL;
	for (size_t i = 3; i < label.n; i++) {
		dashes += label.p[i] == '-';
		if (label.p[i] != '-' && !(label.p[i] >= '0' && label.p[i] <= '9'))
			return SV_NULL;
	}
	if (dashes == 3)
		return label;
	return SV_NULL;
}

static int entry_cmp(const void *a, const void *b)
{
	const struct entry_of *x = a, *y = b;
	int d = sv_cmp(x->key, y->key);
	if (d)
		return d;
	return cmp_size(x->node, y->node);
}

static void add_key(struct index *ix, struct sv key, size_t node)
{
	if (key.n)
		*vec_push(&ix->e) = (struct entry_of){ key, node };
}

static void sort_index(struct index *ix)
{
	if (ix->e.n)
		sort_items(ix->e.v, ix->e.n, sizeof *ix->e.v, entry_cmp);
}

static void keep_shared(struct joiner *j)
{
	struct index *ix = &j->shared;
	size_t kept = 0;

	sort_index(ix);
	for (size_t i = 0, same; i < ix->e.n; i += same) {
		bool several = false;
		for (same = 1; i + same < ix->e.n && sv_eq(ix->e.v[i + same].key, ix->e.v[i].key);)
			several |= !sv_eq(j->node[ix->e.v[i + same++].node].node,
					  j->node[ix->e.v[i].node].node);
		if (several)
			ix->e.v[kept++] = ix->e.v[i];
	}
	ix->e.n = kept;
}

/* aws, azure, gcp, oci in any spelling of theirs; 0 = not recognised. */
static int cloud_of(struct sv provider)
{
	static const struct {
		const char *part;
		int cloud;
	} of[] = {
		{ "aws", 1 }, { "amazon", 1 }, { "azure", 2 }, { "microsoft", 2 },
		{ "gcp", 3 }, { "google", 3 }, { "oci", 4 },   { "oracle", 4 },
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (sv_ihas(provider, sv_of(of[i].part)))
			return of[i].cloud;
	return 0;
}

/* The one node with this key (rows of the same node count once); -1 none, -2 several. */
static long look_up(const struct joiner *j, const struct index *ix, struct sv key,
		    struct sv provider)
{
	long found = -1;
	if (!key.n)
		return -1;
	size_t at = first_where(i, ix->e.n, sv_cmp(ix->e.v[i].key, key) >= 0);
	for (; at < ix->e.n && sv_eq(ix->e.v[at].key, key); at++) {
		const struct join_node *n = &j->node[ix->e.v[at].node];
		int x = cloud_of(n->provider), y = cloud_of(provider);
		if (x && y && x != y)
			continue;
		if (found >= 0 && !sv_eq(j->node[found].node, n->node))
			return -2;
		if (found < 0)
			found = (long)ix->e.v[at].node;
	}
	return found;
}

static int by_name(const void *a, const void *b)
{
	const struct join_node *x = a, *y = b;
	int d = sv_cmp(x->node, y->node);

	if (d)
		return d;
	if (x->told != y->told)
		return x->told - y->told;
	return sv_cmp(x->resource_id, y->resource_id);
}

size_t join_settle_nodes(struct join_node *node, size_t n)
{
	struct joiner j = { .node = node, .nnode = n };
	size_t kept = 0;

	if (n)
		sort_items(node, n, sizeof *node, by_name);
	for (size_t i = 0; i < n; i++)
		if (!node[i].told)
			add_key(&j.by_id, lower_text(&j.mem, join_tail(node[i].resource_id)), i);
	sort_index(&j.by_id);
	bool *drop = arena_zalloc(&j.mem, n + 1);
	for (size_t i = 0; i < n; i++) {
		struct sv tail = join_tail(node[i].resource_id);
		long of = -1;
		if (node[i].told)
			of = look_up(&j, &j.by_id, lower_text(&j.mem, tail), node[i].provider);
		drop[i] = of == -2 || (of >= 0 && !sv_eq(node[of].node, node[i].node));
	}
	for (size_t i = 0; i < n; i++)
		if (!drop[i])
			node[kept++] = node[i];
	vec_free(&j.by_id.e);
	arena_free(&j.mem);
	return kept;
}

static bool user_maps(struct sv want, const struct join_resource *r)
{
	return sv_ieq(want, r->resource_id) || sv_ieq(want, join_tail(r->resource_id)) ||
	       sv_ieq(want, r->resource_name);
}

/* ---- sets of machines -------------------------------------------------------------------- */

/* "gke-lab-gpu-1a2b" of "gke-lab-gpu-1a2b-grp", as bills and GKE have its managed group. */
static struct sv gke_group(struct sv id)
{
	struct sv tail = join_tail(id), end = SV("-grp");
	bool is_group = tail.n > end.n && sv_starts(tail, SV("gke-")) &&
			sv_eq(sv_from(tail, tail.n - end.n), end);

	if (is_group)
		return (struct sv){ tail.p, tail.n - end.n };
	return SV_NULL;
}

static bool other_cloud(const struct join_node *n, const struct join_resource *r)
{
	int x = cloud_of(n->provider), y = cloud_of(r->provider);

	return x && y && x != y;
}

static struct sv without_ends(struct sv id)
{
	while (id.n && id.p[0] == '/')
		id = sv_from(id, 1);
	while (id.n && id.p[id.n - 1] == '/')
		id.n--;
	return id;
}

/* What an id begins with: "subscriptions", "arn", all of one without a path. */
static struct sv form_of(struct sv id)
{
	size_t n = 0;

	id = without_ends(id);
	while (n < id.n && id.p[n] != '/' && id.p[n] != ':')
		n++;
	return (struct sv){ id.p, n };
}

/* Ids of one form are compared whole: machines of two resource groups or projects may have one
 * name. Of different forms ("arn:...:instance/i-0abc", "i-0abc") their ends are. */
static bool same_id(struct sv x, struct sv y)
{
	x = machine_id_own(x);
	y = machine_id_own(y);
	if (sv_ieq(form_of(x), form_of(y)))
		return sv_ieq(without_ends(x), without_ends(y));
	return sv_ieq(join_tail(x), join_tail(y));
}

/* The user or its record says that it is what has this id. */
static bool has_id(const struct conf *c, const struct join_node *n, const struct join_resource *r)
{
	for (size_t i = 0; i < c->node_map.n; i++)
		if (sv_ieq(sv_of(c->node_map.v[i].field), n->node) &&
		    user_maps(sv_of(c->node_map.v[i].glob), r))
			return true;
	if (other_cloud(n, r) || !r->resource_id.n || !n->resource_id.n)
		return false;
	return same_id(n->resource_id, r->resource_id);
}

bool join_is_member(const struct conf *c, const struct join_node *n, const struct join_resource *r)
{
	struct sv set, number, group = gke_group(r->resource_id);

	if (has_id(c, n, r))
		return true;
	if (other_cloud(n, r) || !r->resource_id.n)
		return false;
	if (machine_id_in_set(n->resource_id, &set, &number))
		return same_id(set, r->resource_id);
	if (machine_id_is_set(r->resource_id))
		return machine_id_number(r->resource_id, n->node) >= 0;
	bool of_group = group.n && n->node.n == group.n + GKE_SUFFIX && n->node.p[group.n] == '-' &&
			sv_starts(n->node, group);
	return of_group && !memchr(n->node.p + group.n + 1, '-', GKE_SUFFIX - 1);
}

/* Several nodes are it; of a set one that is of its machines by id or name is enough, for the lines
 * may be of others too. One alone that is said to be the set has all of it. */
static bool is_several(const struct joiner *j, const struct conf *c, const struct join_resource *r)
{
	struct sv id = r->resource_id, first = SV_NULL;
	bool is_set = machine_id_is_set(id) || gke_group(id).n, maybe = is_set;
	size_t nmapped = 0;

	for (size_t i = 0; i < c->node_map.n && !maybe; i++)
		nmapped += user_maps(sv_of(c->node_map.v[i].glob), r);
	for (size_t i = 0; i < j->shared.e.n && !maybe; i++)
		maybe = sv_ieq(j->shared.e.v[i].key, join_tail(id));
	for (size_t i = 0; i < j->nnode && (maybe || nmapped > 1); i++) {
		struct sv name = j->node[i].node;
		if ((first.n && sv_eq(name, first)) || !join_is_member(c, &j->node[i], r))
			continue;
		if (first.n || (is_set && !has_id(c, &j->node[i], r)))
			return true;
		first = name;
	}
	return false;
}

/* ---- one machine ------------------------------------------------------------------------- */

/* The user's words: node name -> anything the bill calls the machine. */
static long by_user(struct joiner *j, const struct conf *c, const struct join_resource *r)
{
	for (size_t i = 0; i < c->node_map.n; i++) {
		if (!user_maps(sv_of(c->node_map.v[i].glob), r))
			continue;
		return look_up(j, &j->by_name, lower_text(&j->mem, sv_of(c->node_map.v[i].field)),
			       SV_NULL);
	}
	return -1;
}

static long by_tags(struct joiner *j, const struct join_resource *r, const struct tagset *tags)
{
	static const char *const key[] = { "Name",         "hostname",
					   "node",         "kubernetes.io/hostname",
					   "node-name",    "private-dns-name",
					   "aws:eks:node", "aws:ec2:instance-name",
					   "instance-name" };
	for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
		struct sv v = lower_text(&j->mem, tagset_get(tags, sv_of(key[i])));
		long n = look_up(j, &j->by_name, v, r->provider);
		if (n < 0)
			n = look_up(j, &j->by_name, first_label(v), r->provider);
		if (n >= 0)
			return n;
	}
	for (size_t i = 0; i < tags->tag.n; i++) {
		if (!sv_starts(tags->tag.v[i].key, SV("k8s.io/node")))
			continue;
		long n = look_up(j, &j->by_name, lower_text(&j->mem, tags->tag.v[i].value),
				 r->provider);
		if (n >= 0)
			return n;
	}
	return -1;
}

static long by_dns(struct joiner *j, const struct join_resource *r, struct sv name,
		   const struct tagset *tags)
{
	long n = look_up(j, &j->by_dns, dns_label(name), r->provider);
	for (size_t i = 0; i < tags->tag.n && n < 0; i++)
		n = look_up(j, &j->by_dns, dns_label(lower_text(&j->mem, tags->tag.v[i].value)),
			    r->provider);
	return n;
}

/* Each rule in turn; one that finds several nodes decides nothing. */
static struct join_match match_resource(struct joiner *j, const struct conf *c,
					const struct join_resource *r)
{
	struct sv id = lower_text(&j->mem, r->resource_id), tail = join_tail(id),
		  name = lower_text(&j->mem, r->resource_name),
		  host = scale_set_host(&j->mem, tail);
	struct tagset tags;
	struct join_match m = { -1, "", is_several(j, c, r) };

	if (m.several)
		return m;
	tagset_read(&j->mem, r->tags, &tags);
#define TRY(expr, text)                           \
	if (m.node < 0 && (m.node = (expr)) >= 0) \
	m.how = (text)
	TRY(by_user(j, c, r), "user map");
	TRY(look_up(j, &j->by_id, id, r->provider), "resource id");
	TRY(look_up(j, &j->by_id, tail, r->provider), "end of the resource id");
	TRY(look_up(j, &j->by_name, name, r->provider), "resource name");
	TRY(look_up(j, &j->by_name, join_tail(name), r->provider), "end of the resource name");
	TRY(look_up(j, &j->by_name, tail, r->provider), "end of the resource id is the node name");
	TRY(look_up(j, &j->by_name, host, r->provider), "scale set instance");
	TRY(by_dns(j, r, name, &tags), "private DNS name");
	TRY(by_tags(j, r, &tags), "tag");
#undef TRY
	tagset_free(&tags);
	if (m.node < 0)
		m = (struct join_match){ .node = -1, .how = "" };
	return m;
}

void join_match(const struct conf *c, const struct join_node *node, size_t nnode,
		const struct join_resource *res, size_t nres, struct join_match *ret)
{
	struct joiner j = { .node = node, .nnode = nnode };
	for (size_t i = 0; i < nnode; i++) {
		const struct join_node *n = &node[i];
		struct sv id = lower_text(&j.mem, n->resource_id),
			  name = lower_text(&j.mem, n->node), tail = join_tail(id);
		add_key(&j.by_id, id, i);
		add_key(&j.shared, tail, i);
		if (!sv_eq(tail, id))
			add_key(&j.by_id, tail, i);
		add_key(&j.by_name, name, i);
		if (!sv_eq(first_label(name), name))
			add_key(&j.by_name, first_label(name), i);
		add_key(&j.by_dns, dns_label(name), i);
	}
	sort_index(&j.by_id);
	sort_index(&j.by_name);
	sort_index(&j.by_dns);
	keep_shared(&j);
	for (size_t i = 0; i < nres; i++)
		ret[i] = match_resource(&j, c, &res[i]);
	vec_free(&j.shared.e);
	vec_free(&j.by_id.e);
	vec_free(&j.by_name.e);
	vec_free(&j.by_dns.e);
	arena_free(&j.mem);
}

/* "a100" may be any of its family, and a GPU of which nothing is said any one. */
static bool may_be_gpu(const struct catalog *c, struct sv a, struct sv b)
{
	const struct gpu_spec *x[FAMILY_MAX], *y[FAMILY_MAX];
	size_t nx, ny;

	if (!a.n || !b.n || sv_ieq(a, b))
		return true;
	nx = min_size(catalog_gpu_family(c, a, x, FAMILY_MAX), FAMILY_MAX);
	ny = min_size(catalog_gpu_family(c, b, y, FAMILY_MAX), FAMILY_MAX);
	for (size_t i = 0; i < nx; i++)
		for (size_t k = 0; k < ny; k++)
			if (x[i] == y[k])
				return true;
	return false;
}

struct join_twice join_twice(const struct catalog *c, const struct machine_time *v, size_t n,
			     struct arena *mem)
{
	struct join_twice t = { 0 };
	size_t npaid = 0, at = 0;
	int64_t *left = arena_alloc(mem, (n + 1) * sizeof *left);
	const struct machine_time **paid = arena_alloc(mem, (n + 1) * sizeof(void *));

	for (size_t i = 0; i < n; i++)
		if (v[i].paid) {
			left[npaid] = v[i].ms;
			paid[npaid++] = &v[i];
		}
	for (size_t i = 0; i < n; i++) {
		int64_t ms = v[i].ms;
		if (v[i].paid)
			continue;
		at = first_where(k, npaid, paid[k]->day >= v[i].day);
		for (size_t k = at; k < npaid && paid[k]->day == v[i].day; k++) {
			int64_t both = min_i64(ms, left[k]);
			if (both <= 0 || !may_be_gpu(c, v[i].gpu_model, paid[k]->gpu_model))
				continue;
			ms -= both;
			left[k] -= both;
			t.ms += both;
			if (t.named.n)
				continue;
			t.named = v[i].machine;
			t.paid = paid[k]->machine;
		}
	}
	return t;
}

char *join_twice_words(struct arena *mem, const struct join_twice *t)
{
	char named[CLEAN_MAX + 1], paid[CLEAN_MAX + 1];

	if (t->ms < MS_HOUR / 20) /* it would be told as 0.0 */
		return NULL;
	sv_clean(t->named, named, sizeof named);
	sv_clean(t->paid, paid, sizeof paid);
	return arena_printf(
		mem,
		"%.1f GPU·h may stand twice: of machines that jobs or readings name and no bill or node "
		"list knows (such as %s), beside machines with the same GPU, paid on the same days, "
		"that no job or reading names (such as %s); a node list says which is which: import "
		"one with each node's resource_id as on the bill",
		(double)t->ms / MS_HOUR, filled_or(named, "-"), filled_or(paid, "-"));
}

char *join_nameless_words(struct arena *mem, int64_t ms, size_t ngpu, size_t nmachine)
{
	const char *hours = "";

	if (ms)
		hours = arena_printf(mem, " (%.1f GPU·h)", (double)ms / MS_HOUR);
	return arena_printf(
		mem,
		"readings of %zu GPU%s%s name no machine that is known, beside %zu recorded: "
		"their time may stand twice; say whose they are (--replace --set node=NAME), "
		"or which GPUs a machine has (gpu_ids of the node list)",
		ngpu, text_if(ngpu != 1, "s"), hours, nmachine);
}
