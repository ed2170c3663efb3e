/* What Slurm writes of trackable resources: AllocTRES "cpu=8,gres/gpu:a100=2", AllocGRES
 * "gpu:a100:2". */
#include "base/among.h"
#include "base/num.h"
#include "feed/jobs/sacct.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"

/* "2", "50"; Slurm writes large counts with a suffix ("2K"). */
static int count_parse(struct sv v, int64_t *ret)
{
	int64_t scale = 1;

	if (v.n > 1 && (v.p[v.n - 1] == 'K' || v.p[v.n - 1] == 'k')) {
		scale = 1024;
		v.n--;
	}
	if (sv_i64(v, ret) < 0 || *ret < 0 || *ret > 1000000000)
		return -EINVAL;
	*ret *= scale;
	return 0;
}

/* "240G", "1000M", "1.50T", "512" (MiB); -1 where it is none: what the host gives beside the GPUs
 * is no reason to refuse a row. */
static int64_t mem_parse(struct sv v)
{
	static const char unit[] = "KMGTP";
	const char *u = v.n ? memchr(unit, v.p[v.n - 1], sizeof unit - 1) : NULL;
	double x;

	if (u)
		v.n--;
	if (sv_f64(v, &x) < 0 || !(x > 0 && x < 1e9))
		return -1;
	return llround(x * (u ? pow(1024, (double)(u - unit) - 1) : 1));
}

static int add_type(struct tres_gpus *t, struct sv type, int64_t n)
{
	if (t->ntype == TRES_TYPES_MAX)
		return -E2BIG;
	t->type[t->ntype++] = (struct tres_type){ type, n };
	return 0;
}

static int tres_one(struct tres_gpus *t, struct sv name, struct sv value)
{
	static const struct sv typed = { "gres/gpu:", 9 };
	int64_t n;

	if (sv_is(name, "cpu")) {
		t->cpu = count_parse(value, &n) == 0 && n > 0 ? n : -1;
		return 0;
	}
	if (sv_is(name, "mem")) {
		t->mem_mib = mem_parse(value);
		return 0;
	}
	if (!sv_starts(name, SV("gres/")) && !sv_is(name, "node"))
		return 0;
	if (sv_starts(name, SV("gres/gpumem")) || sv_starts(name, SV("gres/gpuutil")))
		return 0;
	bool ours = sv_is(name, "gres/gpu") || sv_starts(name, typed) ||
		    SV_AMONG(name, "gres/mps", "gres/shard", "node");
	if (!ours)
		return 0;
	if (count_parse(value, &n) < 0)
		return -EINVAL;
	if (sv_is(name, "gres/gpu"))
		t->all = n;
	else if (sv_is(name, "gres/mps"))
		t->mps = n;
	else if (sv_is(name, "gres/shard"))
		t->shard = n;
	else if (sv_is(name, "node"))
		t->nodes = n;
	else
		return add_type(t, sv_from(name, typed.n), n);
	return 0;
}

/* AllocGRES of older releases: "gpu:2", "gpu:a100:2", "gpu:a100:2(IDX:0-1)", "mps:50". */
static int gres_one(struct tres_gpus *t, struct sv one)
{
	struct sv kind, a, b, rest;
	int64_t n = 1;

	one = sv_cut(one, '(', &rest);
	kind = sv_cut(one, ':', &rest);
	if (sv_starts(kind, SV("gres/")))
		kind = sv_from(kind, 5);
	a = rest.p ? sv_cut(rest, ':', &b) : SV_NULL;
	if (!rest.p)
		b = SV_NULL;
	struct sv count = a, type = SV_NULL;
	if (b.p) {
		count = b;
		type = a;
	}
	if (!SV_AMONG(kind, "gpu", "mps", "shard"))
		return 0;
	if (count.p && count_parse(count, &n) < 0) {
		if (b.p)
			return -EINVAL;
		type = a; /* "gpu:a100": one of them */
		n = 1;
	}
	if (sv_is(kind, "mps"))
		t->mps = n;
	else if (sv_is(kind, "shard"))
		t->shard = n;
	else if (type.n)
		return add_type(t, type, n);
	else
		t->all = t->all < 0 ? n : t->all + n;
	return 0;
}

int tres_parse(struct sv text, struct tres_gpus *ret)
{
	int rc = 0;

	*ret = (struct tres_gpus){
		.all = -1, .mps = -1, .shard = -1, .nodes = -1, .cpu = -1, .mem_mib = -1
	};
	while (text.n && !rc) {
		struct sv rest, value, one = sv_trim(sv_cut(text, ',', &rest)),
				       name = sv_cut(one, '=', &value);
		rc = value.p ? tres_one(ret, name, value) : gres_one(ret, one);
		text = rest;
	}
	return rc;
}
