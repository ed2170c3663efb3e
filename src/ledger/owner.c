#include "ledger/owner.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/near.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/infer.h"
#include "ledger/tagset.h"

/* Tags of many jobs are the same text: read each once. */
struct seen_tags {
	struct tagset set;
};

/* A rule that matched nothing yet: values that a condition did not take, the first so many. */
#define MISSED_MAX 200
struct rule_tried {
	bool matched;
	const struct vtag_cond *missed;
	struct intern value;
};

struct owner_resolver {
	const struct conf *conf;
	struct arena mem;
	struct intern raw_tags;
	VEC(struct seen_tags) tags; /* by number in raw_tags */
	struct intern results;      /* all fields of an owner as one text */
	VEC(struct owner *) owner;  /* by number in results */
	struct str key;
	struct rule_tried *rule; /* [conf->virtual_tags.n] */
	bool tried;
};

/* Tag keys that fill a field without being configured. */
static const struct {
	enum owner_field field;
	const char *key;
} builtin_tag[] = {
	{ OWNER_TEAM, "team" },         { OWNER_PROJECT, "project" },
	{ OWNER_ENV, "env" },           { OWNER_ENV, "environment" },
	{ OWNER_WORKLOAD, "workload" }, { OWNER_WORKLOAD, "workload_type" },
	{ OWNER_USER, "user" },
};

struct owner_resolver *owner_resolver_new(const struct conf *c)
{
	struct owner_resolver *r = xcalloc(1, sizeof *r);
	r->conf = c;
	r->rule = xcalloc(c->virtual_tags.n + 1, sizeof *r->rule);
	return r;
}

void owner_resolver_free(struct owner_resolver *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->tags.n; i++)
		tagset_free(&r->tags.v[i].set);
	for (size_t i = 0; i < r->conf->virtual_tags.n; i++)
		intern_free(&r->rule[i].value);
	free(r->rule);
	vec_free(&r->tags);
	vec_free(&r->owner);
	intern_free(&r->raw_tags);
	intern_free(&r->results);
	str_free(&r->key);
	arena_free(&r->mem);
	free(r);
}

static const struct tagset *read_tags(struct owner_resolver *r, struct sv json)
{
	static const struct tagset none;
	if (!json.n)
		return &none;
	uint32_t id = intern_add(&r->raw_tags, json);
	if (id == r->tags.n)
		tagset_read(&r->mem, json, &vec_push(&r->tags)->set);
	return &r->tags.v[id].set;
}

struct sv owner_tags_normalise(struct owner_resolver *r, struct sv json)
{
	return read_tags(r, json)->json;
}

static int field_of(const char *name)
{
	for (int f = 0; f < OWNER_N; f++)
		if (strcmp(owner_field_name((enum owner_field)f), name) == 0)
			return f;
	return -1;
}

static void set_field(struct owner *o, enum owner_field f, struct sv value, enum owner_source from)
{
	value = sv_trim(value);
	if (!value.n)
		return;
	o->field[f] = value;
	o->source[f] = from;
}

const char *owner_tag_key(const struct conf *c, enum owner_field f, size_t i)
{
	for (size_t k = 0; k < c->tag_alias.n; k++)
		if (field_of(c->tag_alias.v[k].field) == (int)f && !i--)
			return c->tag_alias.v[k].glob;
	for (size_t k = 0; k < sizeof builtin_tag / sizeof *builtin_tag; k++)
		if (builtin_tag[k].field == f && !i--)
			return builtin_tag[k].key;
	return NULL;
}

/* What a rule sees under a name; fields of the owner as they are by now. */
static struct sv rule_value(const char *name, const struct owner *o, const struct owner_evidence *e,
			    const struct tagset *t)
{
	const struct {
		const char *name;
		struct sv value;
	} of[] = {
		{ "namespace", e->namespace_ }, { "name", e->name },   { "node", e->node },
		{ "cluster", e->cluster },      { "queue", e->queue }, { "service", e->service },
		{ "gpu_model", e->gpu_model },
	};
	if (strncmp(name, "tag:", 4) == 0)
		return tagset_get(t, sv_of(name + 4));
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strcmp(of[i].name, name) == 0)
			return of[i].value;
	int f = field_of(name);
	if (f >= 0)
		return o->field[f];
	return SV_NULL;
}

/* People know an account by its number or its name, and reports call the sub account one too. */
static bool account_fits(const char *field, const struct owner_evidence *e, struct sv glob)
{
	const struct sv v[] = { e->sub_account, e->sub_account_name, e->account };
	size_t n = 2;

	if (strcmp(field, "account") == 0)
		n = 3;
	for (size_t i = 0; i < n; i++)
		if (v[i].n && sv_glob(v[i], glob))
			return true;
	return false;
}

static bool is_account(const char *field)
{
	return strcmp(field, "account") == 0 || strcmp(field, "sub_account") == 0;
}

/* Does the rule hold? Until it did once, what its first condition that does not take is kept. */
static bool rule_holds(const struct vtag_rule *rule, struct rule_tried *tried,
		       const struct owner *o, const struct owner_evidence *e,
		       const struct tagset *t)
{
	for (size_t i = 0; i < rule->when.n; i++) {
		const struct vtag_cond *cond = &rule->when.v[i];
		struct sv glob = sv_of(cond->glob),
			  v[] = { e->sub_account_name, e->sub_account, e->account };
		bool account = is_account(cond->field);
		if (account && account_fits(cond->field, e, glob))
			continue;
		if (!account) {
			v[0] = rule_value(cond->field, o, e, t);
			v[1] = v[2] = SV_NULL;
			if (v[0].n && sv_glob(v[0], glob))
				continue;
		}
		bool keep = !tried->matched && (!tried->missed || tried->missed == cond);
		for (size_t k = 0; keep && k < sizeof v / sizeof *v; k++)
			if (v[k].n && tried->value.n < MISSED_MAX) {
				tried->missed = cond;
				intern_add(&tried->value, v[k]);
			}
		return false;
	}
	tried->matched = true;
	return true;
}

/* What a rule sets: a text, or what the rules see under a field; of an account its name first. */
static struct sv set_value(const struct vtag_cond *set, const struct owner *o,
			   const struct owner_evidence *e, const struct tagset *t)
{
	if (!set->from)
		return sv_of(set->glob);
	if (!is_account(set->from))
		return rule_value(set->from, o, e, t);
	if (e->sub_account_name.n)
		return e->sub_account_name;
	if (e->sub_account.n || strcmp(set->from, "account") != 0)
		return e->sub_account;
	return e->account;
}

struct owner_evidence owner_evidence_of_bill(const struct bill_line *l)
{
	return (struct owner_evidence){
		.name = l->resource_name,
		.account = l->account,
		.sub_account = l->sub_account,
		.sub_account_name = l->sub_account_name,
		.service = l->service_name,
		.tags = l->tags,
		.duration_ms = UNKNOWN_MS,
		.gpus_milli = UNKNOWN_I64,
	};
}

/* Under which tags clouds say whose part of a machine a line of the bill is: GKE, EKS, ECS, AKS. */
static const char *const
	namespace_tag[] = { "k8s-namespace", "aws:eks:namespace", "aws_eks_namespace", NULL },
	*const cluster_tag[] = { "goog-k8s-cluster-name",    "aws:eks:cluster-name",
				 "aws_eks_cluster_name",     "eks:cluster-name",
				 "eks_cluster_name",         "aws:ecs:clusterName",
				 "aks-managed-cluster-name", NULL },
	*const name_tag[] = { "k8s-workload-name", "aws:eks:workload-name", "aws_eks_workload_name",
			      "aws:ecs:serviceName", NULL };

static struct sv first_tag(const struct tagset *t, const char *const *key)
{
	struct sv v = SV_NULL;

	for (; *key && t->tag.n && !v.n; key++)
		v = tagset_get(t, sv_of(*key));
	return v;
}

struct sv owner_tag_cluster(const struct tagset *t)
{
	return first_tag(t, cluster_tag);
}

static struct owner_evidence with_part(const struct owner_evidence *e, const struct tagset *t)
{
	struct owner_evidence x = *e;

	if (!x.namespace_.n)
		x.namespace_ = first_tag(t, namespace_tag);
	if (!x.cluster.n)
		x.cluster = owner_tag_cluster(t);
	if (!x.name.n)
		x.name = first_tag(t, name_tag);
	return x;
}

struct owner owner_evaluate(struct owner_resolver *r, const struct owner_evidence *e)
{
	const struct conf *c = r->conf;
	const struct tagset *t = read_tags(r, e->tags);
	const struct owner_evidence told = with_part(e, t);
	struct owner o = { .tags = t->json };
	r->tried = true;
	set_field(&o, OWNER_USER, e->user, FROM_MEASURED);
	set_field(&o, OWNER_TEAM, e->team, FROM_MEASURED);
	set_field(&o, OWNER_PROJECT, e->project, FROM_MEASURED);
	set_field(&o, OWNER_ENV, e->env, FROM_MEASURED);
	set_field(&o, OWNER_WORKLOAD, e->workload, FROM_MEASURED);
	set_field(&o, OWNER_JOB, e->job, FROM_MEASURED);
	/* what the tags say of the others, */
	for (size_t i = 0; i < c->tag_alias.n && t->tag.n; i++) {
		int f = field_of(c->tag_alias.v[i].field);
		if (f >= 0 && !o.field[f].n)
			set_field(&o, (enum owner_field)f,
				  tagset_get(t, sv_of(c->tag_alias.v[i].glob)), FROM_TAG);
	}
	for (size_t i = 0; i < sizeof builtin_tag / sizeof *builtin_tag && t->tag.n; i++)
		if (!o.field[builtin_tag[i].field].n)
			set_field(&o, builtin_tag[i].field,
				  tagset_get(t, sv_of(builtin_tag[i].key)), FROM_TAG);
	/* and the rules, over all of it where they say so */
	for (size_t i = 0; i < c->virtual_tags.n; i++) {
		const struct vtag_rule *rule = &c->virtual_tags.v[i];
		if (!rule_holds(rule, &r->rule[i], &o, &told, t))
			continue;
		for (size_t k = 0; k < rule->set.n; k++) {
			int f = field_of(rule->set.v[k].field);
			struct sv v = set_value(&rule->set.v[k], &o, &told, t);
			bool may_set = f >= 0 && (rule->override || !o.field[f].n);
			if (may_set && v.n)
				set_field(&o, (enum owner_field)f, v, FROM_RULE);
		}
	}
	if (c->infer_workload && !o.field[OWNER_WORKLOAD].n)
		set_field(&o, OWNER_WORKLOAD, infer_workload(e), FROM_INFERENCE);
	return o;
}

/* The nearest of what a condition did not take: the same but for capitals, else nearly the same
 * word (begin, where the pattern says how it begins). NULL: none. */
static const char *nearest_tried(const struct rule_tried *tried, struct arena *a)
{
	const char *glob = tried->missed->glob;
	char *low = arena_strn(a, glob, strlen(glob)), *word = low;
	size_t stem = strcspn(glob, "*?"), n = tried->value.n;
	const char **begin = arena_alloc(a, (n + 1) * sizeof *begin);

	for (char *c = low; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (size_t i = 0; i < n; i++) {
		struct sv v = tried->value.text[i];
		char *text = arena_strn(a, v.p, v.n);
		for (char *c = text; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		if (sv_glob(sv_of(text), sv_of(low)))
			return intern_z(&tried->value, (uint32_t)i);
		if (glob[stem] && v.n > stem + 1)
			text[stem + 1] = 0;
		begin[i] = text;
	}
	bool simple = !glob[stem] || !strcmp(glob + stem, "*");
	word[stem] = 0;
	const char *near = simple ? near_word(word, begin, n) : NULL;
	for (size_t i = 0; near && i < n; i++)
		if (begin[i] == near)
			return intern_z(&tried->value, (uint32_t)i);
	return NULL;
}

bool owner_rule_tried(struct owner_resolver *r, size_t i, struct arena *a, bool *ret_matched,
		      const char **ret_near)
{
	const struct rule_tried *t = &r->rule[i];
	const char *near = NULL;

	if (!t->matched && t->missed)
		near = nearest_tried(t, a);
	*ret_matched = t->matched;
	*ret_near = NULL;
	if (near)
		*ret_near = arena_printf(
			a,
			"no %s is '%s', but there is '%.100s' (capitals count, * stands for any text)",
			t->missed->field, t->missed->glob, near);
	return r->tried;
}

const struct owner *owner_resolve(struct owner_resolver *r, const struct owner_evidence *e)
{
	struct owner o = owner_evaluate(r, e);

	str_clear(&r->key);
	for (int f = 0; f < OWNER_N; f++) {
		str_addsv(&r->key, o.field[f]);
		str_addc(&r->key, '\0');
		str_addc(&r->key, (char)('0' + o.source[f]));
	}
	str_addsv(&r->key, o.tags);
	uint32_t id = intern_add(&r->results, str_sv(&r->key));
	if (id == r->owner.n) {
		/* The texts of a new owner move into the resolver. */
		struct owner *k = arena_alloc(&r->mem, sizeof *k);
		*k = o;
		for (int f = 0; f < OWNER_N; f++)
			k->field[f].p = k->field[f].n ? arena_sv(&r->mem, o.field[f]) : NULL;
		*vec_push(&r->owner) = k;
	}
	return r->owner.v[id];
}

bool owner_accounts_are_teams(const struct conf *c)
{
	for (size_t i = 0; c && i < c->virtual_tags.n; i++) {
		const struct vtag_rule *r = &c->virtual_tags.v[i];
		bool asks = false, sets = false;
		for (size_t k = 0; k < r->when.n; k++)
			asks |= !strcmp(r->when.v[k].field, "account");
		for (size_t k = 0; k < r->set.n; k++)
			sets |= !strcmp(r->set.v[k].field, "team");
		if (asks && sets)
			return true;
	}
	return false;
}
