/* Instance types and providers' names. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include "base/search.h"
#include "base/str.h"
#include "catalog/in.h"
#include "base/sort.h"

static int instance_cmp(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;
	int r = strcasecmp(x->t.name, y->t.name);
	if (r)
		return r;
	return strcmp(x->t.provider, y->t.provider);
}

static int read_row(struct catalog *c, const struct table *t, struct instance *ret, struct err *err)
{
	struct instance_type *i = &ret->t;
	*i = (struct instance_type){ .provider = t->cell[0],
				     .name = t->cell[1],
				     .gpu_model = filled_or(t->cell[2], NULL),
				     .accelerator = filled_or(t->cell[4], NULL),
				     .source = t->cell[10] };
	ret->num = 0;
	ret->den = 1;
	if (*t->cell[3] && count_parse(sv_of(t->cell[3]), &ret->num, &ret->den) < 0)
		return table_bad(t, "gpu_count", t->cell[3], err);
	i->gpu_milli = i->gpu_model ? count_milli(ret->num, ret->den) : 0;
	if (i->gpu_model && !catalog_gpu(c, sv_of(i->gpu_model)))
		return table_bad(t, "gpu_model", i->gpu_model, err);
	double *f[] = { &i->gpu_memory_gib, &i->vcpu, &i->ram_gib, &i->network_gbps,
			&i->local_nvme_gb };
	for (int k = 0; k < 5; k++)
		if (table_f64(t, 5 + k, f[k], err) < 0)
			return -EBADMSG;
	return 0;
}

int instance_load(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "provider",      "instance_type", "gpu_model",
					   "gpu_count",     "accelerator",   "gpu_memory_gib",
					   "vcpu",          "ram_gib",       "network_gbps",
					   "local_nvme_gb", "source",        NULL };
	struct table t;
	VEC(struct instance) all = { 0 };
	int r = table_open(&t, c->dir, "instance_types.csv", col, err);
	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	while ((r = table_next(&t, err)) > 0) {
		struct instance i;
		if ((r = read_row(c, &t, &i, err)) < 0)
			break;
		i.t.source = source_name(c, i.t.source);
		*vec_push(&all) = i;
	}
	if (all.n)
		sort_items(all.v, all.n, sizeof *all.v, instance_cmp);
	c->instance = all.v;
	c->ninstance = all.n;
	if (r < 0)
		return r;
	return 0;
}

const struct instance *instance_find(const struct catalog *c, const char *provider, struct sv name)
{
	/* Azure's meters write "NC24ads A100 v4" and its APIs "Standard_NC24ads_A100_v4". */
	char buf[2][96];
	if (!name.p || !name.n || name.n > sizeof buf[0] - 10)
		return NULL;
	memcpy(buf[0], name.p, name.n);
	buf[0][name.n] = 0;
	memcpy(buf[1], "Standard_", 9);
	for (size_t i = 0; i <= name.n; i++)
		buf[1][9 + i] = buf[0][i] == ' ' ? '_' : buf[0][i];
	for (int k = 0; k < 2; k++) {
		size_t at = first_where(i, c->ninstance,
					strcasecmp(c->instance[i].t.name, buf[k]) >= 0);
		for (; at < c->ninstance && !strcasecmp(c->instance[at].t.name, buf[k]); at++)
			if (!provider || !*provider ||
			    !strcmp(c->instance[at].t.provider, provider))
				return &c->instance[at];
	}
	return NULL;
}

const struct instance_type *catalog_instance(const struct catalog *c, struct sv provider,
					     struct sv name)
{
	const struct instance *i =
		instance_find(c, provider.n ? catalog_provider(c, provider) : NULL, name);
	if (i)
		return &i->t;
	return NULL;
}

const struct instance_type *catalog_instance_at(const struct catalog *c, size_t i)
{
	if (i < c->ninstance)
		return &c->instance[i].t;
	return NULL;
}

static const struct {
	const char *name, *id;
} provider_names[] = {
	{ "aws", "aws" },
	{ "amazon", "aws" },
	{ "amazon web services", "aws" },
	{ "amazon web services, inc.", "aws" },
	{ "ec2", "aws" },
	{ "azure", "azure" },
	{ "microsoft", "azure" },
	{ "microsoft azure", "azure" },
	{ "gcp", "gcp" },
	{ "google", "gcp" },
	{ "google cloud", "gcp" },
	{ "google cloud platform", "gcp" },
	{ "gce", "gcp" },
	{ "oracle", "oracle" },
	{ "oracle cloud", "oracle" },
	{ "oci", "oracle" },
	{ "lambda labs", "lambda" },
	{ "lambda cloud", "lambda" },
	{ "vast.ai", "vast" },
	{ "runpod community cloud", "runpod" },
	{ "runpod secure cloud", "runpod" },
};

const char *catalog_provider(const struct catalog *c, struct sv name)
{
	char low[128];
	name = sv_trim(name);
	if (!name.n)
		return "";
	for (size_t i = 0; i < sizeof provider_names / sizeof *provider_names; i++)
		if (sv_ieq(name, sv_of(provider_names[i].name)))
			return provider_names[i].id;
	size_t n = name.n < sizeof low ? name.n : sizeof low - 1;
	for (size_t i = 0; i < n; i++)
		low[i] = (char)tolower((unsigned char)name.p[i]);
	/* a cache: the catalogue as its users see it does not change */
	struct intern *names = (struct intern *)&c->names;
	return intern_z(names, intern_add(names, (struct sv){ low, n }));
}
