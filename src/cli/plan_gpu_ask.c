/* tare plan gpu: what is asked, from the options. */
#include <errno.h>
#include <math.h>
#include "cli/plan_gpu.h"
#include "plan/own_speed.h"

#define REFERENCE_CARD "A100-SXM4-80GB" /* speeds are against it where --on is not given */

static int option(const struct cli *c, const char *name, double other, double lo, double hi,
		  double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_f64(sv_trim(sv_of(z)), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, z, lo,
			       hi);
	return 0;
}

static int find_gpu(const struct catalog *cat, const char *option_name, struct sv text,
		    const struct gpu_spec **ret, struct err *err)
{
	*ret = catalog_gpu(cat, text);
	if (*ret)
		return 0;
	err_set(err, -EINVAL, "--%s: no GPU '%.*s' in the catalogue", option_name, SVF(text));
	err_hint(err,
		 "any usual spelling is fine: \"A100 80GB\", l4, V100-SXM2-16GB; see tare price");
	return -EINVAL;
}

static int add_own(struct plan_gpu *a, const struct gpu_spec *g, double speed, struct err *err)
{
	if (a->nown == TRANSFER_MAX_OWN)
		return err_set(err, -E2BIG, "more than %d measurements", TRANSFER_MAX_OWN);
	a->own[a->nown++] = (struct gpu_speed_own){ g, speed };
	return 0;
}

/* --measured GPU=STEPS_PER_S */
static int read_measured(struct plan_gpu *a, struct err *err)
{
	const char **v;
	size_t n = cli_values(a->c, "measured", &v);
	for (size_t i = 0; i < n; i++) {
		struct sv value, gpu = sv_trim(sv_cut(sv_of(v[i]), '=', &value));
		const struct gpu_spec *g;
		double speed;
		int r;
		if (!value.p || sv_f64(sv_trim(value), &speed) < 0 || !(speed > 0 && speed < 1e15))
			return err_set(err, -EINVAL, "--measured: '%s' is no GPU=STEPS_PER_SECOND",
				       v[i]);
		if ((r = find_gpu(a->cat, "measured", gpu, &g, err)) < 0 ||
		    (r = add_own(a, g, speed, err)) < 0)
			return r;
	}
	return 0;
}

/*
 * What tare profile measured of this workload. Given on the command line wins: the card is not
 * added twice. Without --on the first of them is the card it runs on; without a need of memory,
 * what the runs used.
 */
static int read_kept(struct plan_gpu *a, struct err *err)
{
	const char *model = cli_value(a->c, "model"),
		   *work = model ? model : cli_value(a->c, "workload");
	struct gpu_speed_own own[TRANSFER_MAX_OWN];
	struct own_speeds s;
	double vram;
	int r = work ? own_speeds_load(cli_db(a->c), a->cat, &s, err) : 0;

	if (r < 0 || !work)
		return r;
	size_t n = own_speeds_of(&s, work, own, &vram);
	own_speeds_free(&s);
	for (size_t i = 0; i < n && r >= 0; i++) {
		bool have = false;
		for (size_t k = 0; k < a->nown && !have; k++)
			have = a->own[k].gpu == own[i].gpu;
		if (!have)
			r = add_own(a, own[i].gpu, own[i].speed, err);
	}
	if (n) {
		a->own_work = work;
		a->own_vram_bytes = vram;
	}
	return r;
}

static int read_on(struct plan_gpu *a, struct err *err)
{
	const char *on = cli_value(a->c, "on");
	double step_s;
	int r = option(a->c, "step-time", NAN, 1e-9, 1e9, &step_s, err);
	if (r >= 0 && on)
		r = find_gpu(a->cat, "on", sv_of(on), &a->on, err);
	if (r >= 0 && !isnan(step_s) && !on)
		r = err_set(err, -EINVAL,
			    "--step-time needs --on: the GPU that it was measured on");
	if (r >= 0 && !isnan(step_s))
		r = add_own(a, a->on, 1 / step_s, err);
	if (r >= 0)
		r = read_measured(a, err);
	if (r >= 0)
		r = read_kept(a, err);
	a->on_given = on != NULL || a->nown;
	if (r >= 0 && !a->on)
		a->on = a->nown ? a->own[0].gpu : catalog_gpu(a->cat, SV(REFERENCE_CARD));
	return r;
}

static int read_shares(struct plan_gpu *a, struct err *err)
{
	struct {
		const char *name;
		double *v;
	} s[] = { { "util", &a->shares.util },
		  { "sm", &a->shares.sm },
		  { "tensor", &a->shares.tensor },
		  { "dram", &a->shares.dram },
		  { "pcie", &a->shares.pcie } };
	for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
		int r = option(a->c, s[i].name, NAN, 0, 1, s[i].v, err);
		if (r < 0)
			return r;
		a->has_shares |= !isnan(*s[i].v);
	}
	if (a->has_shares && !cli_value(a->c, "on"))
		return err_set(
			err, -EINVAL,
			"shares of time (--util, --tensor, --dram ...) need --on: the GPU that they were measured on");
	return 0;
}

const char *plan_gpu_in_table(const struct catalog *cat, const char *group, const char *workload)
{
	const struct speed_fact *f;
	struct sv w = sv_of(workload);
	for (size_t i = 0; workload && (f = catalog_speed_at(cat, i)); i++)
		if (!strcmp(f->group, group) &&
		    (sv_ieq(w, sv_of(f->workload)) || sv_ieq(w, sv_of(f->work_class))))
			return sv_ieq(w, sv_of(f->workload)) ? f->workload : f->work_class;
	return NULL;
}

/* Which table has the workload: that of the options, else any; where none has it, the asking names
 * those there are. */
static void find_group(struct plan_gpu *a)
{
	static const char *const group[] = { "serving", "training", "training_fp32" };
	const char *model = cli_value(a->c, "model"),
		   *wanted = model ? model : cli_value(a->c, "workload"), *found;
	bool given = cli_flag(a->c, "serve") || cli_flag(a->c, "fp32");

	a->group = cli_flag(a->c, "serve")  ? "serving"
		   : cli_flag(a->c, "fp32") ? "training_fp32"
					    : "training";
	a->workload = wanted;
	if ((found = plan_gpu_in_table(a->cat, a->group, wanted)))
		a->workload = found;
	for (size_t i = 0; wanted && !found && !given && i < sizeof group / sizeof *group; i++)
		if ((found = plan_gpu_in_table(a->cat, group[i], wanted))) {
			a->group = group[i];
			a->workload = found;
		}
}

static int read_model(struct plan_gpu *a, struct memory_model *m, struct err *err)
{
	struct {
		const char *name;
		double other, lo, hi, *v;
	} o[] = {
		{ "params", NAN, 1e3, 1e15, &m->params },
		{ "layers", 0, 1, 1e5, &m->layers },
		{ "hidden", 0, 1, 1e7, &m->hidden },
		{ "heads", 0, 1, 1e5, &m->heads },
		{ "kv-heads", 0, 1, 1e5, &m->kv_heads },
		{ "bytes-per-param", 2, .125, 8, &m->bytes_per_param },
	};
	for (size_t i = 0; i < sizeof o / sizeof *o; i++) {
		int r = option(a->c, o[i].name, o[i].other, o[i].lo, o[i].hi, o[i].v, err);
		if (r < 0)
			return r;
	}
	a->memory_assumed = !memory_fill(m);
	return 0;
}

static int estimate_memory(struct plan_gpu *a, struct err *err)
{
	struct memory_model m = { 0 };
	double seq, batch, zero, gpus;
	const char *rec = cli_value(a->c, "recompute");
	int r = read_model(a, &m, err);
	if (r >= 0)
		r = option(a->c, "seq", 2048, 1, 1e8, &seq, err);
	if (r >= 0)
		r = option(a->c, "batch", 1, 0, 1e6, &batch, err);
	if (r >= 0)
		r = option(a->c, "zero", 0, 0, 3, &zero, err);
	if (r >= 0)
		r = option(a->c, "gpus", 1, 1, 1e6, &gpus, err);
	if (r < 0)
		return r;
	if (cli_flag(a->c, "serve"))
		return memory_serve(&m, &(struct memory_serve){ seq, batch, 2, gpus }, &a->memory,
				    err);
	enum memory_recompute how = rec && !strcmp(rec, "none")   ? RECOMPUTE_NONE
				    : rec && !strcmp(rec, "full") ? RECOMPUTE_FULL
								  : RECOMPUTE_SELECTIVE;
	return memory_train(&m, &(struct memory_train){ seq, batch, (int)zero, gpus, false, how },
			    &a->memory, err);
}

static int read_need(struct plan_gpu *a, struct err *err)
{
	double vram;
	int r = option(a->c, "vram-gib", NAN, 0, 1e6, &vram, err);
	if (r >= 0)
		r = option(a->c, "max-slowdown", INFINITY, 1e-3, 1e6, &a->need.max_slowdown, err);
	if (r >= 0)
		r = option(a->c, "busy", 1, 1e-3, 1, &a->need.busy_frac, err);
	if (r >= 0 && cli_value(a->c, "params")) {
		r = estimate_memory(a, err);
		a->estimated = true;
		a->sized = r >= 0 && isnan(vram);
	} else if (r >= 0 &&
		   (cli_flag(a->c, "train") || cli_value(a->c, "seq") || cli_value(a->c, "zero"))) {
		r = err_set(err, -EINVAL,
			    "--params is needed to estimate memory, such as --params 7e9");
	}
	a->need.sure = cli_flag(a->c, "sure");
	if (isnan(vram) && !a->sized && a->own_work)
		vram = a->own_vram_bytes / (double)(1 << 30);
	a->need.vram_p99_gib = a->sized ? a->memory.total / (double)(1 << 30) / GPU_CHOICE_VRAM_ROOM
					: vram;
	return r;
}

/* Which processor the program is for: said, else that beside the card it runs on; a card that is
 * sold with both leaves x86. */
static void read_cpu(struct plan_gpu *a)
{
	const char *z = cli_value(a->c, "cpu");
	enum machine_cpu beside = a->on_given ? machine_cpu_of(NULL, NULL, a->on->model) : CPU_ANY;

	a->cpu = !z                    ? (beside == CPU_ANY ? CPU_X86 : beside)
		 : !strcmp(z, "any")   ? CPU_ANY
		 : !strcmp(z, "arm64") ? CPU_ARM
				       : CPU_X86;
}

int plan_gpu_ask(struct plan_gpu *a, struct err *err)
{
	a->provider = cli_value(a->c, "provider");
	a->region = cli_value(a->c, "region");
	a->purchase = cli_value(a->c, "purchase");
	int r = read_on(a, err);
	if (r >= 0)
		r = read_shares(a, err);
	if (r >= 0)
		r = read_need(a, err);
	if (r >= 0) {
		read_cpu(a);
		find_group(a);
	}
	if (a->own_work && !plan_gpu_in_table(a->cat, a->group, a->workload))
		/* a name of the user's own: its measurements speak, and the cards' data sheets */
		a->workload = NULL;
	return r;
}
