/* What the machine of `tare run` costs: found at the start (settings, catalogue), read again
 * later, and compared with other markets for the next attempt. */
#include "agent/run.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "answer/spot_prior.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "run/run_price.h"

/* above it is a typing error, and what a year of it costs would not fit into nano dollars */
#define USD_HOUR_MAX (DEC_ONE * 1000000)

/* ---- the catalogue ----------------------------------------------------------------------- */

static struct catalog_stamp stamp_now(void)
{
	static const char *const files[] = { "prices_aws.csv", "prices_azure.csv", "prices_gcp.csv",
					     "prices_neocloud.csv" };
	struct catalog_stamp s = { 0 };
	const char *dir = catalog_data_dir(&(struct err){ 0 });
	char path[4200];
	struct stat st;

	for (size_t i = 0; dir && i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, files[i]);
		if (stat(path, &st) == 0) {
			s.mtime_ns += (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
			s.bytes += st.st_size;
		}
	}
	return s;
}

static int gpus_asked(const struct run_money *a)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES"), *slurm = getenv("SLURM_GPUS_ON_NODE");
	int64_t gpus = 0;

	if (a->o->gpus && sv_i64(sv_of(a->o->gpus), &gpus) < 0)
		return 0;
	if (!a->o->gpus && list && *list && *list != '-')
		for (gpus = 1; *list; list++)
			gpus += *list == ',';
	else if (!a->o->gpus && slurm)
		sv_i64(sv_of(slurm), &gpus);
	if (gpus > 0 && gpus < 100000)
		return (int)gpus;
	return 0;
}

/* All GPUs of the machine; -1 where nothing costs so much. */
static int64_t machine_nano(const struct run_money *a, const struct watch_rate *rate)
{
	dec all;

	if (__builtin_mul_overflow(rate->usd_gpu_hour, (dec)gpus_asked(a), &all) ||
	    all > USD_HOUR_MAX)
		return -1;
	return dec_to_nano(all);
}

static int too_expensive(struct err *err)
{
	return err_set(
		err, -ERANGE,
		"a machine that costs more than 1,000,000 an hour: look at the price and the number of GPUs");
}

/*
 * What was asked of the catalogue at the start, again; it is opened only when its files have
 * changed. In the thread that reads prices: what the supervisor was given at the start (a->o) is
 * not touched.
 */
static int read_catalogue(void *ctx, int64_t now_ms, bool (*stopped)(void *), void *stop_ctx,
			  int64_t *ret_nano, struct err *err)
{
	struct run_money *a = ctx;
	struct catalog_stamp s = stamp_now();
	struct watch_rate rate;
	struct catalog *cat = NULL;
	int r;

	(void)stopped;
	(void)stop_ctx;
	*ret_nano = a->listed_nano;
	if (s.mtime_ns == a->stamp.mtime_ns && s.bytes == a->stamp.bytes)
		return 0;
	if ((r = catalog_open(NULL, &cat, err)) < 0)
		return r;
	struct rate_in in = { &a->given, &a->settings,    NULL,          a->conf, cat,
			      "",        a->o->gpu_model, gpus_asked(a), now_ms };
	rate_find(&in, &rate);
	catalog_free(cat);
	malloc_trim(0); /* some megabytes, which the supervisor must not keep */
	if (!rate.known)
		return err_set(
			err, -ENODATA,
			"the catalogue has no price of this machine any more: the last one goes on counting");
	if ((*ret_nano = machine_nano(a, &rate)) < 0)
		return too_expensive(err);
	a->stamp = s;
	a->listed_nano = *ret_nano;
	return 0;
}

/* ---- the price now ----------------------------------------------------------------------- */

int run_money_find(struct run_money *a, struct err *err)
{
	bool need = a->o->budget_nano >= 0 || a->o->max_hourly_nano >= 0,
	     own = a->price_file || a->price_command;
	struct watch_rate rate = { 0 };
	struct catalog *cat = NULL;
	struct err e;
	int r;

	a->stamp = stamp_now();
	if (own) {
		/* a price that the user's own source tells, now and every few minutes */
		struct run_price_src *src = &a->o->price;
		*src = (struct run_price_src){ a->price_file ? run_price_file : run_price_command,
					       (void *)text_or(a->price_file, a->price_command),
					       a->price_every_ms };
		r = src->read(src->ctx, a->now_ms, NULL, NULL, &a->o->usd_hour_nano, err);
		if (r < 0)
			return r;
	}
	if (!own && a->given.has_usd_hour && a->given.usd_hour > USD_HOUR_MAX)
		return too_expensive(err);
	if (!own && a->given.has_usd_hour)
		a->o->usd_hour_nano = dec_to_nano(a->given.usd_hour);
	if (!(own || a->given.has_usd_hour) || gpus_asked(a)) {
		bool must = need && a->o->usd_hour_nano < 0;
		if (catalog_open(NULL, &cat, must ? err : &e) < 0 && must)
			return -ENOENT;

		struct rate_in in = { &a->given, &a->settings,    NULL,          a->conf,  cat,
				      "",        a->o->gpu_model, gpus_asked(a), a->now_ms };
		struct rate_ask place;

		rate_find(&in, &rate);
		if (!rate.known && must) {
			rate_place(a->mem, &place);
			in.place = &place;
			rate_find(&in, &rate);
			/* asked again without asking the cloud again */
			if (rate.known && !a->settings.instance_type && !a->settings.region)
				a->settings = place;
		}
		catalog_free(cat);
	}
	if (rate.known) {
		a->o->usd_gpu_hour_nano = dec_to_nano(rate.usd_gpu_hour);
		a->o->currency = arena_sv(a->mem, sv_of(rate.currency));
		if (a->o->usd_hour_nano < 0 && gpus_asked(a)) {
			if ((a->listed_nano = a->o->usd_hour_nano = machine_nano(a, &rate)) < 0)
				return too_expensive(err);
			if (!a->given.has_usd_gpu_hour && !a->settings.has_usd_gpu_hour)
				a->o->price = (struct run_price_src){ read_catalogue, a,
								      a->price_every_ms };
		}
	}
	if (need && a->o->usd_hour_nano < 0) {
		bool known = rate.known;
		err_set(err, -ENODATA, "--%s needs the price of this machine, and it is not known",
			a->o->max_hourly_nano >= 0 ? "max-hourly" : "budget");
		err_hint(
			err,
			known ? "say how many GPUs the job holds with --gpus N"
			      : "give --usd-hour, or --usd-gpu-hour and --gpus, or --instance-type and --region, or --price-file");
		return -ENODATA;
	}
	return 0;
}

/* ---- the next attempt -------------------------------------------------------------------- */

static int64_t other_price(const struct run_money *a, const char *purchase)
{
	const struct rate_ask *from = a->given.instance_type || a->given.region ? &a->given
										: &a->settings;
	struct rate_ask of = { from->provider, from->region,   from->zone, from->instance_type,
			       purchase,       from->currency, 0,          0,
			       false,          false };
	struct watch_rate rate = { 0 };
	struct catalog *cat = NULL;

	bool has_place = of.instance_type || (of.provider && of.region);
	if (!gpus_asked(a) || !has_place || catalog_open(NULL, &cat, &(struct err){ 0 }) < 0)
		return -1;
	rate_find(&(struct rate_in){ &of, NULL, NULL, NULL, cat, "", a->o->gpu_model, gpus_asked(a),
				     a->now_ms },
		  &rate);
	catalog_free(cat);
	if (rate.known)
		return machine_nano(a, &rate);
	return -1;
}

static enum spot_hold held_here(const struct run_money *a)
{
	const char *purchase = text_or(a->given.purchase, a->settings.purchase),
		   *partition = getenv("SLURM_JOB_PARTITION");

	if (partition && a->on_demand_partition && !strcmp(partition, a->on_demand_partition))
		return SPOT_OD;
	if (partition && a->spot_partition && !strcmp(partition, a->spot_partition))
		return SPOT_SPOT;
	if (!purchase)
		return SPOT_NONE;
	if (!strcmp(purchase, "spot"))
		return SPOT_SPOT;
	if (!strcmp(purchase, "on_demand"))
		return SPOT_OD;
	return SPOT_NONE;
}

static size_t list_markets(void *ctx, int64_t gap_ms, struct run_market *ret, size_t max)
{
	struct spot_prior p;
	size_t n = 0;

	(void)ctx;
	if (spot_prior_shipped(&p, &(struct err){ 0 }) < 0)
		return 0;
	for (size_t i = 0; i < p.v.n && n < max; i++)
		if (p.v.v[i].gap_ms == gap_ms) {
			ret[n].all = p.v.v[i].counts;
			memcpy(ret[n++].by_memory, p.v.v[i].by_memory, sizeof ret->by_memory);
		}
	spot_prior_free(&p);
	return n;
}

void run_money_plan(struct run_money *a)
{
	struct run_plan *p = &a->o->plan;

	p->here = held_here(a);
	p->markets = list_markets;

	/* In the words of whoever starts the next attempt. */
	if (getenv("KUBERNETES_SERVICE_HOST")) {
		p->on_demand_set =
			"nodeSelector karpenter.sh/capacity-type: on-demand, or that of your cloud, and no toleration of spot";
		p->spot_set =
			"nodeSelector karpenter.sh/capacity-type: spot, or that of your cloud";
	} else if (getenv("SKYPILOT_TASK_ID")) {
		p->on_demand_set = "resources: {use_spot: false}";
		p->spot_set = "resources: {use_spot: true}";
	} else if (getenv("SLURM_JOB_ID")) {
		if (a->on_demand_partition)
			p->on_demand_set = arena_printf(a->mem, "partition=%s",
							a->on_demand_partition);
		else
			p->on_demand_set = "a partition on demand (--on-demand-partition)";
		if (a->spot_partition)
			p->spot_set = arena_printf(a->mem, "partition=%s", a->spot_partition);
		else
			p->spot_set = NULL;
	}

	if (a->o->deadline_ms == INT64_MAX && !a->o->deadline_span_ms) /* nobody will ask */
		return;
	if (a->has_on_demand)
		p->od_nano = dec_to_nano(a->on_demand);
	else if (p->here == SPOT_OD && a->o->usd_hour_nano >= 0)
		p->od_nano = a->o->usd_hour_nano;
	else
		p->od_nano = other_price(a, "on_demand");
	if (a->has_spot)
		p->spot_nano = dec_to_nano(a->spot);
	else if (p->here == SPOT_SPOT && a->o->usd_hour_nano >= 0)
		p->spot_nano = a->o->usd_hour_nano;
	else
		p->spot_nano = other_price(a, "spot");
	p->has_prices = p->od_nano >= 0 && p->spot_nano >= 0;
	malloc_trim(0); /* catalogues were open */
}
