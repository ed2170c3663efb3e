/* tare plan mig: the fewest MIG cards for a set of services, proven, with legal places; see
 * opt/mig.h. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "catalog/catalog.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/mig_view.h"
#include "plan/mig_card.h"

/*
 * A request waits for the batch that runs and then for its own: half the bound is for each (Nexus,
 * SOSP'19). A tenth is kept for what is not the GPU, as ParvaGPU does.
 */
#define BATCH_SLO_FRAC 0.45

/* ---- what is read ------------------------------------------------------------------------ */

static int with_input(const char *path, int (*read)(struct input *, void *, struct err *), void *to,
		      struct err *err)
{
	struct input *in;
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = read(in, to, err);
	input_close(in);
	return r;
}

static int read_profile(struct input *in, void *to, struct err *err)
{
	return migprof_read(in, to, err);
}

static int read_table(struct input *in, void *to, struct err *err)
{
	return migtab_read(in, to, err);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list_dir(struct mig_job *j, const char *dir, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	if (!d)
		return err_set(err, -errno, "cannot open the folder '%s': %s", dir,
			       strerror(errno));
	while ((e = readdir(d))) {
		struct sv name = sv_of(e->d_name);
		if (!sv_ends(name, SV(".csv")) && !sv_ends(name, SV(".csv.gz")) &&
		    !sv_ends(name, SV(".csv.zst")))
			continue;
		if (j->prof.n == MIG_SERVICES) {
			closedir(d);
			return err_set(err, -E2BIG, "'%s' has more than %d profiles", dir,
				       MIG_SERVICES);
		}
		j->prof.name[j->prof.n++] = arena_strn(&j->c->mem, name.p, name.n);
	}
	closedir(d);
	if (!j->prof.n) {
		err_set(err, -ENOENT, "no profile NAME.csv in '%s'", dir);
		err_hint(
			err,
			"a profile has the columns slices, batch, procs, throughput, latency_ms: a row per measurement");
		return -ENOENT;
	}
	if (j->prof.n)
		qsort(j->prof.name, j->prof.n, sizeof *j->prof.name, by_name);
	return 0;
}

static int read_profiles(struct mig_job *j, const char *dir, struct err *err)
{
	int r = list_dir(j, dir, err);
	for (size_t i = 0; i < j->prof.n && r >= 0; i++) {
		const char *file = j->prof.name[i];
		struct sv rest, stem = sv_cut(sv_of(file), '.', &rest);
		r = with_input(arena_printf(&j->c->mem, "%s/%s", dir, file), read_profile,
			       &j->prof.p[i], err);
		j->prof.name[i] = arena_strn(&j->c->mem, stem.p, stem.n);
	}
	return r;
}

static int card_of(struct mig_job *j, const char *gpu, struct err *err)
{
	struct catalog *cat = NULL;
	struct mig_card card;
	int r = catalog_open(NULL, &cat, err);
	if (r < 0)
		return r;
	if (mig_card_of(cat, gpu, &card, j->mem_bytes)) {
		const char *model = catalog_gpu(cat, sv_of(gpu))->model;
		j->gpu = arena_strn(&j->c->mem, model, strlen(model));
		r = mig_geom_init(&j->geom, &card, err);
	} else {
		r = err_set(err, -EINVAL, "--gpu: '%s' is no GPU with MIG that the catalogue knows",
			    gpu);
		err_hint(err, "A100, A30, H100, H200, B200 have MIG; see data/mig_profiles.csv");
	}
	catalog_free(cat);
	return r;
}

/* ---- the problem ------------------------------------------------------------------------- */

/* The best batch and number of processes on each type of instance within the bound. */
static void add_service(const struct mig_job *j, struct mig_asked *a, size_t model, double slo_ms,
			double rate)
{
	size_t s = a->n++;
	a->model[s] = model;
	a->service[s].rate = rate;
	for (size_t t = 0; t < j->geom.card.ntype; t++)
		for (size_t i = 0; i < j->prof.p[model].row.n; i++) {
			const struct migprof_row *w = &j->prof.p[model].row.v[i];
			double thr = w->rate_s * w->procs;
			if (w->slices != j->geom.card.type[t].compute ||
			    !(w->latency_ms < slo_ms * j->slo_frac) ||
			    !(thr > a->service[s].thr[t]))
				continue;
			a->service[s].thr[t] = thr;
			a->best[s][t] = w;
		}
}

static int scenario(const struct mig_job *j, size_t row, struct mig_asked *a, struct err *err)
{
	memset(a, 0, sizeof *a);
	for (size_t m = 0; m < j->prof.n; m++) {
		double slo = j->latency.v[row * j->latency.ncol + m],
		       rate = j->rate.v[row * j->rate.ncol + m];
		if (isnan(slo) != isnan(rate))
			return err_set(err, -EINVAL,
				       "scenario %zu: '%s' has only one of latency bound and rate",
				       row + 1, j->prof.name[m]);
		if (!isnan(rate) && rate > 0)
			add_service(j, a, m, slo, rate);
	}
	return 0;
}

static uint64_t mix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64, Steele et al. 2014 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static double uniform(uint64_t *state)
{
	return (double)(mix64(state) >> 11) * 0x1p-53;
}

/* Three models in four; the latency bound of a scenario drawn for each, 0.1 to 3 times its largest
 * rate. */
static void random_mix(const struct mig_job *j, uint64_t *state, struct mig_asked *a)
{
	memset(a, 0, sizeof *a);
	for (size_t m = 0; m < j->prof.n; m++) {
		bool in = uniform(state) < 0.75;
		size_t row = mix64(state) % j->latency.nrow;
		double part = 0.1 + 2.9 * uniform(state), most = 0;
		for (size_t r = 0; r < j->rate.nrow; r++)
			if (j->rate.v[r * j->rate.ncol + m] > most)
				most = j->rate.v[r * j->rate.ncol + m];
		while (isnan(j->latency.v[row * j->latency.ncol + m]) && row + 1 < j->latency.nrow)
			row++;
		double slo = j->latency.v[row * j->latency.ncol + m];
		if (in && most > 0 && !isnan(slo))
			add_service(j, a, m, slo, most * part);
	}
}

static int solve(struct mig_job *j, const struct mig_asked *a, struct mig_packing *p,
		 struct err *err)
{
	struct timespec from, to;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	int r = mig_pack(&j->geom, a->n, a->service, 0, p, err);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	double ms = (double)(to.tv_sec - from.tv_sec) * 1e3 +
		    (double)(to.tv_nsec - from.tv_nsec) / 1e6;
	if (ms > j->worst_ms)
		j->worst_ms = ms;
	if (r >= 0 && p->unservable >= 0) {
		r = err_set(err, -EDOM, "no instance serves '%s' within its latency bound",
			    j->prof.name[a->model[p->unservable]]);
		err_hint(err, "raise its bound, or profile smaller batches or larger instances");
	}
	if (r >= 0 && !mig_packing_ok(&j->geom, a->n, a->service, p))
		r = err_set(err, -EINVAL,
			    "the layout found breaks a rule of the card: this is a bug");
	return r;
}

/* ---- together ---------------------------------------------------------------------------- */

static int number(const struct cli *c, const char *name, int64_t lo, int64_t hi, int64_t other,
		  int64_t *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_i64(sv_of(z), ret) < 0 || *ret < lo || *ret > hi))
		return err_set(err, -EINVAL, "--%s: '%s' is no whole number from %lld to %lld",
			       name, z, (long long)lo, (long long)hi);
	return 0;
}

/* All scenarios (mixes 0) or so many random mixes, a line each. */
static int run_many(struct mig_job *j, size_t mixes, uint64_t seed, struct str *out,
		    struct err *err)
{
	struct mig_summary s = { .key = mixes ? "mixes" : "scenarios",
				 .word = mixes ? "mix" : "scenario" };
	size_t n = mixes ? mixes : j->latency.nrow;
	int r = 0;
	mig_summary_begin(j, &s, out);
	for (size_t i = 0; i < n && r >= 0; i++) {
		struct mig_asked a;
		struct mig_packing p = { 0 };
		if (mixes)
			random_mix(j, &seed, &a);
		else
			r = scenario(j, i, &a, err);
		if (r >= 0 && (r = solve(j, &a, &p, err)) >= 0)
			mig_summary_row(j, &s, i + 1, &a, &p);
		mig_packing_free(&p);
	}
	if (r >= 0)
		mig_summary_end(j, &s, out);
	grid_free(&s.g);
	return r;
}

static int run_one(struct mig_job *j, size_t row, struct str *out, struct err *err)
{
	struct mig_asked a;
	struct mig_packing p = { 0 };
	int r = scenario(j, row, &a, err);
	if (r >= 0 && (r = solve(j, &a, &p, err)) >= 0)
		mig_print_one(j, row, &a, &p, out);
	mig_packing_free(&p);
	return r;
}

static int load(struct mig_job *j, struct err *err)
{
	const char *frac = cli_value(j->c, "slo-frac");
	j->slo_frac = BATCH_SLO_FRAC;
	if (frac &&
	    (sv_f64(sv_of(frac), &j->slo_frac) < 0 || !(j->slo_frac > 0 && j->slo_frac <= 1)))
		return err_set(err, -EINVAL, "--slo-frac: '%s' is no share above 0 and up to 1",
			       frac);
	int r = read_profiles(j, cli_value(j->c, "profiles"), err);
	if (r >= 0)
		r = with_input(cli_value(j->c, "slo-latency"), read_table, &j->latency, err);
	if (r >= 0)
		r = with_input(cli_value(j->c, "slo-rate"), read_table, &j->rate, err);
	if (r >= 0 && (j->latency.ncol != j->prof.n || j->rate.ncol != j->prof.n ||
		       j->latency.nrow != j->rate.nrow))
		return err_set(
			err, -EINVAL,
			"%zu profiles, but %zu columns of latency bounds and %zu of rates (rows %zu and %zu): a column per profile, by name",
			j->prof.n, j->latency.ncol, j->rate.ncol, j->latency.nrow, j->rate.nrow);
	return r;
}

static int decide(struct mig_job *j, struct str *out, struct err *err)
{
	int64_t row, mixes, seed;
	const char *gpu = cli_value(j->c, "gpu");
	int r = card_of(j, gpu ? gpu : "A100-SXM4-80GB", err);
	if (r >= 0 && !cli_value(j->c, "profiles")) {
		mig_print_table(j, out);
		return 0;
	}
	if (r >= 0)
		r = load(j, err);
	if (r >= 0)
		r = number(j->c, "scenario", 1, (int64_t)j->latency.nrow, 0, &row, err);
	if (r >= 0)
		r = number(j->c, "random-mixes", 1, 100000, 0, &mixes, err);
	if (r >= 0)
		r = number(j->c, "seed", 0, INT64_MAX, 1, &seed, err);
	if (r < 0)
		return r;
	return row ? run_one(j, (size_t)row - 1, out, err)
		   : run_many(j, (size_t)mixes, (uint64_t)seed, out, err);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "profiles") != !cli_value(c, "slo-latency") ||
	    !cli_value(c, "profiles") != !cli_value(c, "slo-rate"))
		return cli_usage_error(
			c,
			"--profiles, --slo-latency and --slo-rate go together; without them the card's table is printed");
	if (cli_flag(c, "parted") && !cli_value(c, "scenario"))
		return cli_usage_error(c,
				       "--parted is the layout of one scenario: give --scenario");
	struct mig_job *j = xcalloc(1, sizeof *j);
	j->c = c;
	j->timing = cli_flag(c, "timing");
	int r = decide(j, &out, &err);
	int code = r == -EDOM ? (cli_fail(&err), EXIT_VIOLATED)
		   : r < 0    ? cli_fail(&err)
			      : cli_write(&out);
	for (size_t i = 0; i < j->prof.n; i++)
		migprof_free(&j->prof.p[i]);
	migtab_free(&j->latency);
	migtab_free(&j->rate);
	free(j);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "profiles", "DIR", "a CSV per service: slices, batch, procs, throughput, latency_ms", 0,
	  false, "DIR" },
	{ "slo-latency", "CSV",
	  "latency bounds in ms: a row per scenario, a column per service by name", 0, false,
	  "FILE" },
	{ "slo-rate", "CSV", "requests per second to serve, in the same shape", 0, false, "FILE" },
	{ "scenario", "N", "one scenario, with its layout (default: all, a line each)", 0, false,
	  NULL },
	{ "gpu", "MODEL", "a card with MIG (default: A100-SXM4-80GB)", 0, false, NULL },
	{ "slo-frac", "F", "part of the latency bound that a batch may take (default: 0.45)", 0,
	  false, NULL },
	{ "random-mixes", "N", "instead of scenarios: random mixes of the services", 0, false,
	  NULL },
	{ "seed", "N", "of the mixes (default: 1)", 0, false, NULL },
	{ "parted", NULL, "print the layout as a configuration of mig-parted", 0, false, NULL },
	{ "timing", NULL, "also say how long the slowest took (CPU time)", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_mig_def = {
	.name = "plan mig",
	.group = "",
	.summary = "what fits a MIG card, and the fewest cards for a set of services, proven",
	.usage =
		"[--gpu MODEL] [--profiles DIR --slo-latency CSV --slo-rate CSV [--scenario N]] ...",
	.examples =
		"# what fits a card: 7 x 1g.10gb, 3 x 2g.20gb + 1 x 1g.10gb, 1 x 3g.40gb and others, 1 x 7g.80gb\n"
		"tare plan mig --gpu A100-80GB\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --scenario 6\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --scenario 6 --parted > mig.yaml\n"
		"tare plan mig --profiles prof_data --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv --random-mixes 48 --seed 1",
	.about =
		"Without profiles: the instances of a card, where they may start, and the sets that fill it.\n\n"
		"Per service and size of instance the best batch and number of processes is taken whose latency is below 0.45 of its bound: half for the\n"
		"batch that runs when a request comes, a tenth in reserve. Then the fewest cards are found exactly, and instances are placed where NVIDIA's\n"
		"tables allow: create them in the order printed, or with their start. Changing the layout of a card stops whatever runs on it: drain it first.\n\n"
		"Exit 1: a service cannot meet its bound on any instance.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
