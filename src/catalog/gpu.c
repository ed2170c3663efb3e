/* GPUs, their spellings, MIG geometry. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include "base/str.h"
#include "catalog/in.h"
#include "base/sort.h"

#define KEY_MAX 80

/* Words that say nothing about which GPU it is. */
static const char *const noise[] = { "nvidia",  "tesla",    "amd",         "instinct", "geforce",
				     "gpu",     "gpus",     "corporation", "inc",      "oam",
				     "shared",  "graphics", "card",        "hgx",      "dgx",
				     "tensor",  "core",     "ati",         "advanced", "micro",
				     "devices", "gres",     "accelerator" };

/*
 * The spelling without case, separators and noise words; "40g" and "40gib" become "40gb". False
 * when it is a MIG slice or nothing is left of it.
 */
static bool name_key(struct sv name, char key[KEY_MAX])
{
	size_t n = 0, i = 0;
	while (i < name.n) {
		char word[KEY_MAX];
		size_t w = 0, digits = 0;
		for (; i < name.n && isalnum((unsigned char)name.p[i]) && w < KEY_MAX - 4; i++) {
			word[w++] = (char)tolower((unsigned char)name.p[i]);
			if (isdigit((unsigned char)name.p[i]))
				digits += 1;
		}
		if (!w) {
			i++;
			continue;
		}
		word[w] = 0;
		if (!strcmp(word, "mig") || (w == 2 && digits == 1 && word[1] == 'g'))
			/* "1g.10gb" is cut into "1g" and "10gb": a slice, not a GPU */
			return false;
		if (w > 1 && digits == w - 1 && word[w - 1] == 'g')
			memcpy(word + w++, "b", 2);
		else if (w > 2 && digits == w - 3 && !strcmp(word + w - 3, "gib"))
			memcpy(word + --w - 1, "b", 2);
		bool says_nothing = false;
		for (size_t k = 0; k < sizeof noise / sizeof *noise && !says_nothing; k++)
			says_nothing = !strcmp(word, noise[k]);
		if (says_nothing)
			continue;
		if (n + w >= KEY_MAX)
			return false;
		memcpy(key + n, word, w);
		n += w;
	}
	key[n] = 0;
	return n > 0;
}

static int alias_cmp(const void *a, const void *b)
{
	return strcmp(((const struct alias *)a)->key, ((const struct alias *)b)->key);
}

static const struct gpu_spec *by_model(const struct catalog *c, struct sv model)
{
	for (size_t i = 0; i < c->ngpu; i++)
		if (sv_is(model, c->gpu[i].model))
			return &c->gpu[i];
	return NULL;
}

const char *source_name(const struct catalog *c, const char *id)
{
	for (size_t i = 0; i < c->sources.n; i++)
		if (!strcmp(c->sources.v[i].id, id))
			return c->sources.v[i].name;
	return id;
}

static int load_gpus(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "model",
					   "vendor",
					   "arch",
					   "memory_gib",
					   "bandwidth_gb_s",
					   "tdp_w",
					   "fp64_tflops",
					   "fp32_tflops",
					   "tf32_tflops",
					   "fp16_tflops",
					   "bf16_tflops",
					   "fp8_tflops",
					   "int8_tops",
					   "mig_compute_slices",
					   "mig_memory_slices",
					   "mig_set",
					   "source",
					   NULL };
	struct table t;
	int r = table_open(&t, c->dir, "gpus.csv", col, err);
	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	VEC(struct gpu_spec) gpus = { 0 };
	VEC(char *) sets = { 0 };
	while ((r = table_next(&t, err)) > 0) {
		struct gpu_spec g = { .model = t.cell[0],
				      .vendor = t.cell[1],
				      .arch = t.cell[2],
				      .source = source_name(c, t.cell[16]) };
		double *f[] = { &g.memory_gib,  &g.bandwidth_gb_s, &g.tdp_w,       &g.fp64_tflops,
				&g.fp32_tflops, &g.tf32_tflops,    &g.fp16_tflops, &g.bf16_tflops,
				&g.fp8_tflops,  &g.int8_tops };
		for (int i = 0; i < 10 && r > 0; i++)
			if (table_f64(&t, 3 + i, f[i], err) < 0)
				r = -EBADMSG;
		if (r < 0 || table_int(&t, 13, &g.mig_compute_slices, err) < 0 ||
		    table_int(&t, 14, &g.mig_memory_slices, err) < 0) {
			r = -EBADMSG;
			break;
		}
		*vec_push(&gpus) = g;
		*vec_push(&sets) = arena_strn(&c->mem, t.cell[15], strlen(t.cell[15]));
	}
	c->gpu = gpus.v;
	c->ngpu = gpus.n;
	c->mig_set = sets.v;
	return r;
}

static void add_alias(struct catalog *c, struct alias *a, const char *spelling)
{
	char key[KEY_MAX];
	if (!name_key(sv_of(spelling), key))
		return;
	a->key = arena_strn(&c->mem, key, strlen(key));
	c->alias = xrealloc(c->alias, (c->nalias + 1) * sizeof *c->alias);
	c->alias[c->nalias++] = *a;
}

static int load_aliases(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "alias", "models", NULL };
	struct table t;
	int r = table_open(&t, c->dir, "gpu_aliases.csv", col, err);
	if (r < 0)
		return r;
	while ((r = table_next(&t, err)) > 0) {
		struct alias a = { 0 };
		struct sv rest = sv_of(t.cell[1]);
		while (rest.p && a.nmodel < 6) {
			struct sv model = sv_cut(rest, ';', &rest);
			if (!(a.model[a.nmodel++] = by_model(c, model))) {
				r = table_bad(&t, "models", t.cell[1], err);
				goto out;
			}
		}
		add_alias(c, &a, t.cell[0]);
	}
	for (size_t i = 0; i < c->ngpu; i++) {
		struct alias a = { .model = { &c->gpu[i] }, .nmodel = 1 };
		char key[KEY_MAX];
		bool listed = false; /* a listed spelling says more than the name itself ("P40") */
		if (name_key(sv_of(c->gpu[i].model), key))
			for (size_t j = 0; j < c->nalias && !listed; j++)
				listed = !strcmp(c->alias[j].key, key);
		if (!listed)
			add_alias(c, &a, c->gpu[i].model);
	}
	sort_items(c->alias, c->nalias, sizeof *c->alias, alias_cmp);
out:
	free(t.text);
	return r;
}

static int load_mig(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "mig_set",        "profile",
					   "compute_slices", "memory_slices",
					   "max_instances",  "memory_gib",
					   "starts",         NULL };
	struct table t;
	int r = table_open(&t, c->dir, "mig_profiles.csv", col, err);
	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	while ((r = table_next(&t, err)) > 0) {
		struct mig_profile m = { .name = t.cell[1] };
		if (table_int(&t, 2, &m.compute_slices, err) < 0 ||
		    table_int(&t, 3, &m.memory_slices, err) < 0 ||
		    table_int(&t, 4, &m.max_instances, err) < 0 ||
		    table_f64(&t, 5, &m.memory_gib, err) < 0)
			return -EBADMSG;
		struct sv rest = sv_of(filled_or(t.cell[6], NULL));
		while (rest.p && m.nstart < 8) {
			int64_t v;
			if (sv_i64(sv_cut(rest, ' ', &rest), &v) < 0 || v < 0 || v > 7)
				return table_bad(&t, "starts", t.cell[6], err);
			m.start[m.nstart++] = (int)v;
		}
		for (size_t i = 0; i < c->ngpu; i++) {
			if (strcmp(c->mig_set[i], t.cell[0]))
				continue;
			m.gpu_model = c->gpu[i].model;
			c->mig = xrealloc(c->mig, (c->nmig + 1) * sizeof *c->mig);
			c->mig[c->nmig++] = m;
		}
	}
	return r;
}

int gpu_load(struct catalog *c, struct err *err)
{
	int r = load_gpus(c, err);
	if (r >= 0)
		r = load_aliases(c, err);
	if (r >= 0)
		r = load_mig(c, err);
	if (r < 0)
		return r;
	return 0;
}

static const struct alias *find_alias(const struct catalog *c, struct sv name)
{
	char key[KEY_MAX];
	if (!name.p || !name_key(name, key))
		return NULL;
	struct alias want = { .key = key };
	return find_sorted(&want, c->alias, c->nalias, sizeof *c->alias, alias_cmp);
}

const struct gpu_spec *catalog_gpu(const struct catalog *c, struct sv name)
{
	const struct alias *a = find_alias(c, name);
	if (a)
		return a->model[0];
	return NULL;
}

size_t catalog_gpu_family(const struct catalog *c, struct sv name, const struct gpu_spec **ret,
			  size_t max)
{
	const struct alias *a = find_alias(c, name);
	for (int i = 0; a && i < a->nmodel && (size_t)i < max; i++)
		ret[i] = a->model[i];
	if (a)
		return (size_t)a->nmodel;
	return 0;
}

const struct gpu_spec *catalog_gpu_at(const struct catalog *c, size_t i)
{
	if (i < c->ngpu)
		return &c->gpu[i];
	return NULL;
}

const struct mig_profile *catalog_mig(const struct catalog *c, const char *gpu_model,
				      struct sv profile)
{
	const struct gpu_spec *g = catalog_gpu(c, sv_of(gpu_model));
	struct sv want = sv_trim(profile);
	char dotted[32];
	/* "MIG 1g.10gb", "mig-1g.10gb.me", "1c.3g.20gb": without what is not the GPU instance's
	 * name */
	if (want.n > 4 && !strncasecmp(want.p, "mig", 3) && (want.p[3] == '-' || want.p[3] == ' '))
		want = sv_from(want, 4);
	if (want.n > 3 && isdigit((unsigned char)want.p[0]) && want.p[1] == 'c' && want.p[2] == '.')
		want = sv_from(want, 3);
	for (size_t i = 0; g && want.n && i < c->nmig; i++) {
		if (strcmp(c->mig[i].gpu_model, g->model))
			continue;
		if (sv_ieq(want, sv_of(c->mig[i].name)))
			return &c->mig[i];
		/* Kubernetes writes "1g.10gb.me" for "1g.10gb+me" */
		size_t n = strlen(c->mig[i].name);
		if (n < sizeof dotted) {
			memcpy(dotted, c->mig[i].name, n + 1);
			char *plus = strchr(dotted, '+');
			if (plus)
				*plus = '.';
			if (plus && sv_ieq(want, sv_of(dotted)))
				return &c->mig[i];
		}
	}
	return NULL;
}

const struct mig_profile *catalog_mig_at(const struct catalog *c, const char *gpu_model, size_t i)
{
	const struct gpu_spec *g = catalog_gpu(c, sv_of(gpu_model));
	for (size_t k = 0; g && k < c->nmig; k++)
		if (!strcmp(c->mig[k].gpu_model, g->model) && i-- == 0)
			return &c->mig[k];
	return NULL;
}
