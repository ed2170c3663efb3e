/* See gpu_speed.h. */
#include "plan/lever/gpu_speed.h"
#include <errno.h>
#include <math.h>
#include "base/near.h"
#include "base/num.h"
#include "base/str.h"

double gpu_peak_tflops(const struct gpu_spec *g, bool fp32)
{
	if (fp32)
		return g->fp32_tflops;
	if (!isnan(g->fp16_tflops))
		return g->fp16_tflops;
	return known_or(g->bf16_tflops, g->fp32_tflops);
}

/* HBM keeps its check bits beside the data. Told apart by bandwidth: no HBM GPU since 2017 has
 * less than 1,000 GB/s but P100 and V100. */
double gpu_usable_gib(const struct gpu_spec *g)
{
	bool hbm = g->bandwidth_gb_s >= 1000 || !strncmp(g->model, "P100", 4) ||
		   !strncmp(g->model, "V100", 4) || !strncmp(g->model, "A30", 3);
	if (hbm || isnan(g->bandwidth_gb_s))
		return g->memory_gib;
	return g->memory_gib * 15 / 16;
}

/* PCIe of a generation per architecture, GB/s each way of x16; vendors' published figures. */
static double pcie_gb_s(const struct gpu_spec *g)
{
	static const char *const gen5[] = { "Hopper", "Blackwell", "Blackwell Ultra", "CDNA3",
					    "CDNA4" };
	static const char *const gen4[] = { "Ampere", "Ada", "CDNA2" };
	for (size_t i = 0; i < sizeof gen5 / sizeof *gen5; i++)
		if (!strcmp(g->arch, gen5[i]))
			return 63;
	for (size_t i = 0; i < sizeof gen4 / sizeof *gen4; i++)
		if (!strcmp(g->arch, gen4[i]))
			return 31.5;
	return 15.8;
}

struct roofline_gpu gpu_roofline(const struct gpu_spec *g, bool fp32)
{
	return (struct roofline_gpu){ gpu_peak_tflops(g, fp32), g->bandwidth_gb_s, pcie_gb_s(g) };
}

const char *speed_how_name(enum speed_how h)
{
	static const char *const name[] = { "measured", "table", "roofline", "data sheet", "-" };
	return name[h];
}

struct gpu_speeds {
	const struct catalog *catalog;
	struct intern workload, class;
	VEC(int) class_of; /* [workload] */
	struct transfer *t;
	size_t ngpu;
	bool fp32;
};

static int gpu_index(const struct catalog *c, const struct gpu_spec *g)
{
	for (int i = 0; catalog_gpu_at(c, (size_t)i); i++)
		if (catalog_gpu_at(c, (size_t)i) == g)
			return i;
	return -1;
}

int gpu_speeds_new(const struct catalog *c, const char *group, struct gpu_speeds **ret,
		   struct err *err)
{
	struct gpu_speeds *s = xcalloc(1, sizeof *s);
	VEC(struct transfer_cell) cell = { 0 };
	VEC(struct transfer_gpu) gpu = { 0 };
	const struct speed_fact *f;
	const struct gpu_spec *g;
	s->catalog = c;
	s->fp32 = sv_ends(sv_of(group), SV("fp32"));
	for (size_t i = 0; (g = catalog_gpu_at(c, i)); i++)
		*vec_push(&gpu) = (struct transfer_gpu){ gpu_peak_tflops(g, s->fp32),
							 g->bandwidth_gb_s };
	for (size_t i = 0; (f = catalog_speed_at(c, i)); i++) {
		if (strcmp(f->group, group))
			continue;
		int class = (int)intern_add(&s->class, sv_of(f->work_class));
		size_t before = s->workload.n;
		int workload = (int)intern_add(&s->workload, sv_of(f->workload));
		if (s->workload.n > before)
			*vec_push(&s->class_of) = class;
		*vec_push(&cell) = (struct transfer_cell){ { gpu_index(c, f->gpu), 1, 0 },
							   { workload, workload, class, 1, 1 },
							   f->speed };
	}
	s->ngpu = gpu.n;
	int r = transfer_fit(gpu.n, gpu.v, cell.n, cell.v, &s->t, err);
	vec_free(&cell);
	vec_free(&gpu);
	if (r < 0) {
		gpu_speeds_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

void gpu_speeds_free(struct gpu_speeds *s)
{
	if (!s)
		return;
	transfer_free(s->t);
	intern_free(&s->workload);
	intern_free(&s->class);
	vec_free(&s->class_of);
	free(s);
}

/* -ENOENT with a hint for a workload that the group does not have. */
static int gpu_speeds_check(const struct gpu_speeds *s, const char *workload, struct err *err)
{
	if (!workload || intern_find(&s->workload, sv_of(workload)) >= 0 ||
	    intern_find(&s->class, sv_of(workload)) >= 0)
		return 0;
	struct str known = { 0 };
	for (size_t i = 0; i < s->class.n; i++)
		str_addf(&known, "%s%s", text_if(i, ", "), intern_z(&s->class, (uint32_t)i));
	for (size_t i = 0; i < s->workload.n; i++)
		str_addf(&known, ", %s", intern_z(&s->workload, (uint32_t)i));
	err_set(err, -ENOENT, "no workload '%s' in the table of speeds", workload);
	err_hint(err, "it has %s; your own joins it by tare profile --workload NAME -- COMMAND",
		 str_z(&known));
	str_free(&known);
	return -ENOENT;
}

static struct transfer_cell gpu_cell(const struct gpu_speeds *s, const struct gpu_spec *g,
				     struct transfer_workload w, double speed)
{
	return (struct transfer_cell){ { gpu_index(s->catalog, g), 1, 0 }, w, speed };
}

/* The speed on `from`, which the others are against: measured, else predicted. */
static int speed_here(const struct gpu_speeds *s, const struct gpu_speed_ask *a, size_t nown,
		      const struct transfer_cell *own, double *ret, struct err *err)
{
	struct transfer_cell c = gpu_cell(s, a->from, own->workload, 1);
	struct transfer_speed v;
	int r;

	for (size_t i = 0; i < nown; i++)
		if (own[i].run.gpu == c.run.gpu) {
			*ret = own[i].speed;
			return 0;
		}
	r = transfer_predict(s->t, &(struct transfer_ask){ nown, own, 1, &c }, &v, err);
	*ret = v.speed;
	return r;
}

/* One measurement alone is the unit of the work and says nothing of GPUs against each other, so
 * the GPU it runs on is the measure; two and more say how they differ too. */
static int from_table(const struct gpu_speeds *s, const struct gpu_speed_ask *a, size_t n,
		      const struct gpu_spec *const *to, struct gpu_speed *ret, struct err *err)
{
	/* The own work as a column: a level of its own, the shape and family of the workload
	 * named. */
	const char *workload = a->workload;
	int level = (int)s->workload.n;
	int64_t shape = workload ? intern_find(&s->workload, sv_of(workload)) : -1, class = -1;
	if (workload)
		class = intern_find(&s->class, sv_of(workload));
	if (shape >= 0)
		class = s->class_of.v[shape];
	struct transfer_workload w =
		(struct transfer_workload){ level, shape >= 0 ? (int)shape : level,
					    class >= 0 ? (int)class : (int)s->class.n, 1, 1 };

	struct transfer_cell own[TRANSFER_MAX_OWN], *ask = xcalloc(n + 1, sizeof *ask);
	struct transfer_speed *v = xcalloc(n + 1, sizeof *v);
	double here = 1;
	size_t nown = 0;
	for (size_t i = 0; i < a->nown && nown < TRANSFER_MAX_OWN; i++)
		own[nown++] = gpu_cell(s, a->own[i].gpu, w, a->own[i].speed);
	if (nown < 2 && a->from) {
		own[0] = gpu_cell(s, a->from, w, 1);
		nown = 1;
	}
	for (size_t i = 0; i < n; i++)
		ask[i] = gpu_cell(s, to[i], w, 1);
	int r = transfer_predict(s->t, &(struct transfer_ask){ nown, own, n, ask }, v, err);
	if (r >= 0 && nown && a->from)
		r = speed_here(s, a, nown, own, &here, err);
	bool rough = !a->workload && a->nown < 2;
	for (size_t i = 0; i < n && r >= 0; i++)
		ret[i] = (struct gpu_speed){ v[i].speed / here, v[i].lo / here, v[i].hi / here,
					     rough ? SPEED_SPECS : SPEED_TABLE };
	free(ask);
	free(v);
	return r;
}

int gpu_speeds_ask(const struct gpu_speeds *s, const struct gpu_speed_ask *a, size_t n,
		   const struct gpu_spec *const *to, struct gpu_speed *ret, struct err *err)
{
	struct roofline_mix mix;
	int r = gpu_speeds_check(s, a->workload, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		ret[i] = (struct gpu_speed){ NAN, NAN, NAN, SPEED_NOTHING };
	bool measured_here = a->from && a->shares && roofline_mix(a->shares, &mix, err) >= 0;
	if (measured_here && !a->workload && a->nown < 2) {
		struct roofline_gpu here = gpu_roofline(a->from, s->fp32);
		for (size_t i = 0; i < n; i++) {
			struct roofline_gpu there = gpu_roofline(to[i], s->fp32);
			struct roofline_ratio t;
			if (roofline_time(&mix, &here, &there, 1, &t, NULL) >= 0)
				ret[i] = (struct gpu_speed){ 1 / t.mid, 1 / t.hi, 1 / t.lo,
							     SPEED_ROOFLINE };
		}
	} else
		r = from_table(s, a, n, to, ret, err);

	/* A GPU whose peak is not known and that no table has: nothing can be said of it from its
	 * bandwidth alone. */
	for (size_t i = 0; i < n; i++)
		if (isnan(gpu_peak_tflops(to[i], s->fp32)))
			ret[i] = (struct gpu_speed){ NAN, NAN, NAN, SPEED_NOTHING };

	if (r < 0)
		return r;

	/* What was measured is known; the GPU it runs on now is as fast as itself. */
	double here = NAN;
	for (size_t k = 0; k < a->nown; k++)
		if (a->own[k].gpu == a->from)
			here = a->own[k].speed;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < a->nown; k++)
			if (a->own[k].gpu == to[i] && !isnan(here))
				ret[i] = (struct gpu_speed){ a->own[k].speed / here,
							     a->own[k].speed / here,
							     a->own[k].speed / here,
							     SPEED_MEASURED };
		if (to[i] == a->from)
			ret[i] = (struct gpu_speed){ 1, 1, 1, SPEED_MEASURED };
	}
	return r;
}
