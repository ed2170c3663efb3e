/* What Slurm writes of trackable resources: AllocTRES "cpu=8,gres/gpu:a100=2", AllocGRES
 * "gpu:a100:2", what a job asked for "gres:gpu:a100:2". */
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

static int add_all(struct tres_gpus *t, int64_t n, bool total)
{
	t->all = total || t->all < 0 ? n : t->all + n;
	return 0;
}

/* A kind of GRES as Slurm writes it; 7696487 is the plug-in's number for "gpu", which releases
 * write that do not have it loaded. Others: {NULL,0}. */
static struct sv known_kind(struct sv kind)
{
	if (sv_is(kind, "7696487"))
		return SV("gpu");
	if (SV_AMONG(kind, "gpu", "mps", "shard"))
		return kind;
	return SV_NULL;
}

/*
 * A resource behind "gres/" or "gres:", or without it: "gpu=2" and "gpu:a100=2" are totals that
 * accounting keeps, "gpu", "gpu:2", "gpu:a100" and "gpu:a100:2" one of several parts, as AllocGRES
 * and what a job asked for are written.
 */
static int gres_one(struct tres_gpus *t, struct sv one)
{
	struct sv value, last, name = sv_cut(one, '=', &value), type,
			       kind = known_kind(sv_cut(name, ':', &type));
	int64_t n = 1;

	if (!kind.n) {
		t->unread |= sv_has(name, SV("gpu")) && !sv_starts(name, SV("gpumem")) &&
			     !sv_starts(name, SV("gpuutil"));
		return 0;
	}
	if (value.p && count_parse(value, &n) < 0)
		return -EINVAL;
	if (type.p && !value.p) {
		struct sv first = sv_cut(type, ':', &last);
		if (last.p && count_parse(last, &n) < 0)
			return -EINVAL;
		if (last.p)
			type = first;
		else if (count_parse(first, &n) == 0)
			type = SV_NULL;
		else /* "gpu:a100": one of them */
			n = 1;
	}
	if (sv_is(kind, "mps"))
		t->mps = n;
	else if (sv_is(kind, "shard"))
		t->shard = n;
	else if (type.n)
		return add_type(t, type, n);
	else
		return add_all(t, n, value.p != NULL);
	return 0;
}

/* What is no GRES: of the host, and what nobody asks for here. */
static int host_one(struct tres_gpus *t, struct sv name, struct sv value)
{
	int64_t n;

	if (sv_is(name, "cpu"))
		t->cpu = count_parse(value, &n) == 0 && n > 0 ? n : -1;
	else if (sv_is(name, "mem"))
		t->mem_mib = mem_parse(value);
	else if (sv_is(name, "node") && count_parse(value, &t->nodes) < 0)
		return -EINVAL;
	return 0;
}

static int take_one(struct tres_gpus *t, struct sv one)
{
	struct sv rest, value, name;

	one = sv_cut(one, '(', &rest); /* "(S:0-1)", "(IDX:0,2)" */
	name = sv_cut(one, '=', &value);
	if (sv_starts(one, SV("gres/")) || sv_starts(one, SV("gres:")))
		return gres_one(t, sv_from(one, 5));
	bool other = value.p && !known_kind(sv_cut(name, ':', &rest)).n;
	return other ? host_one(t, name, value) : gres_one(t, one);
}

int tres_parse(struct sv text, struct tres_gpus *ret)
{
	int rc = 0;

	*ret = (struct tres_gpus){
		.all = -1, .mps = -1, .shard = -1, .nodes = -1, .cpu = -1, .mem_mib = -1
	};
	while (text.n && !rc) {
		struct sv rest;
		rc = take_one(ret, sv_trim(sv_cut(text, ',', &rest)));
		text = rest;
	}
	return rc;
}
