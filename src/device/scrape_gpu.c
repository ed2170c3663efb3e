/*
 * GPUs as an endpoint tells of them. Series of one device are brought together by uuid (and MIG
 * instance); names and units are those of dcgm-exporter's default counters, Triton's nv_gpu_*, the
 * exporters over nvidia-smi, and tare's own.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/readings/dcgm.h"
#include "device/gpu_src.h"
#include "device/scrape.h"
#include "device/scrape_gpu.h"

/* a machine of 16 GPUs in 7 instances each has 128; each line is looked for among them */
#define DEVICES_MAX 1024
/* no exporter reads its GPUs more often; in between the last answer stands */
#define ASK_MS   1000
#define STALE_MS 15000 /* readings of the last answer are shown no longer than this */

static const struct series {
	const char *name;
	enum metric metric;
	double scale;
} more[] = {
	{ "DCGM_FI_DEV_MEM_COPY_UTIL", METRIC_MEM_UTIL_PCT, 1 },
	{ "DCGM_FI_DEV_SM_CLOCK", METRIC_SM_CLOCK_MHZ, 1 },
	{ "DCGM_FI_DEV_MEM_CLOCK", METRIC_MEM_CLOCK_MHZ, 1 },
	{ "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", METRIC_ENERGY_J, 1e-3 },
	{ "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", METRIC_THROTTLE_BITS, 1 },
	{ "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", METRIC_THROTTLE_BITS, 1 },
	{ "DCGM_FI_DEV_XID_ERRORS", METRIC_XID, 1 },
	{ "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", METRIC_ECC_UNCORRECTED, 1 },
	{ "DCGM_FI_PROF_NVLINK_RX_BYTES", METRIC_NVLINK_RX_BYTES_S, 1 },
	{ "DCGM_FI_PROF_NVLINK_TX_BYTES", METRIC_NVLINK_TX_BYTES_S, 1 },
	{ "nv_gpu_utilization", METRIC_GPU_UTIL_PCT, 100 },
	{ "nv_gpu_memory_used_bytes", METRIC_MEM_USED_BYTES, 1 },
	{ "nv_gpu_memory_total_bytes", METRIC_MEM_TOTAL_BYTES, 1 },
	{ "nv_gpu_power_usage", METRIC_POWER_W, 1 },
	{ "nv_energy_consumption", METRIC_ENERGY_J, 1 },
	{ "nvidia_smi_utilization_gpu_ratio", METRIC_GPU_UTIL_PCT, 100 },
	{ "nvidia_smi_utilization_memory_ratio", METRIC_MEM_UTIL_PCT, 100 },
	{ "nvidia_smi_memory_used_bytes", METRIC_MEM_USED_BYTES, 1 },
	{ "nvidia_smi_memory_total_bytes", METRIC_MEM_TOTAL_BYTES, 1 },
	{ "nvidia_smi_power_draw_watts", METRIC_POWER_W, 1 },
	{ "nvidia_smi_temperature_gpu", METRIC_TEMP_CELSIUS, 1 },
	{ "nvidia_smi_clocks_current_sm_clock_hz", METRIC_SM_CLOCK_MHZ, 1e-6 },
	{ "nvidia_smi_clocks_current_memory_clock_hz", METRIC_MEM_CLOCK_MHZ, 1e-6 },
	/* tare's own agent: src/agent/expo.c */
	{ "tare_gpu_utilization_ratio", METRIC_GPU_UTIL_PCT, 100 },
	{ "tare_gpu_memory_utilization_ratio", METRIC_MEM_UTIL_PCT, 100 },
	{ "tare_gpu_sm_active_ratio", METRIC_SM_ACTIVE_FRAC, 1 },
	{ "tare_gpu_sm_occupancy_ratio", METRIC_OCCUPANCY_FRAC, 1 },
	{ "tare_gpu_tensor_active_ratio", METRIC_TENSOR_ACTIVE_FRAC, 1 },
	{ "tare_gpu_dram_active_ratio", METRIC_DRAM_ACTIVE_FRAC, 1 },
	{ "tare_gpu_memory_used_bytes", METRIC_MEM_USED_BYTES, 1 },
	{ "tare_gpu_memory_total_bytes", METRIC_MEM_TOTAL_BYTES, 1 },
	{ "tare_gpu_power_watts", METRIC_POWER_W, 1 },
	{ "tare_gpu_temperature_celsius", METRIC_TEMP_CELSIUS, 1 },
	{ "tare_gpu_sm_clock_hertz", METRIC_SM_CLOCK_MHZ, 1e-6 },
	{ "tare_gpu_memory_clock_hertz", METRIC_MEM_CLOCK_MHZ, 1e-6 },
	{ "tare_gpu_throttle_reasons", METRIC_THROTTLE_BITS, 1 },
	{ "tare_gpu_pcie_receive_bytes_per_second", METRIC_PCIE_RX_BYTES_S, 1 },
	{ "tare_gpu_pcie_transmit_bytes_per_second", METRIC_PCIE_TX_BYTES_S, 1 },
	{ "tare_gpu_nvlink_receive_bytes_per_second", METRIC_NVLINK_RX_BYTES_S, 1 },
	{ "tare_gpu_nvlink_transmit_bytes_per_second", METRIC_NVLINK_TX_BYTES_S, 1 },
	{ "tare_gpu_energy_joules_total", METRIC_ENERGY_J, 1 },
	{ "tare_gpu_ecc_uncorrected_errors_total", METRIC_ECC_UNCORRECTED, 1 },
	{ "tare_gpu_processes", METRIC_PROC_COUNT, 1 },
};

static const char *const uuid_labels[] = { "UUID", "gpu_uuid", "uuid", NULL };
static const char *const name_labels[] = { "modelName", "model_name", "gpu_model", "name", NULL };
static const char *const mig_labels[] = { "GPU_I_ID", "mig", NULL };
static const char *const profile_labels[] = { "GPU_I_PROFILE", "mig_profile", NULL };

struct scraped {
	VEC(struct scraped_dev) dev;
	struct str text; /* scratch */
};

struct scraped *scraped_new(void)
{
	return xcalloc(1, sizeof(struct scraped));
}

void scraped_free(struct scraped *s)
{
	vec_free(&s->dev);
	str_free(&s->text);
	free(s);
}

size_t scraped_all(const struct scraped *s, const struct scraped_dev **ret)
{
	*ret = s->dev.v;
	return s->dev.n;
}

/* Is z what gpu_text() made of v? Without making it again: an endpoint may list many devices in
 * many lines. */
static bool is_cut(const char *z, size_t size, struct sv v)
{
	size_t n = v.n < size ? v.n : size - 1;

	n = v.p ? strnlen(v.p, n) : 0;
	return (!n || !memcmp(z, v.p, n)) && !z[n];
}

static bool is_same_dev(const struct scraped_dev *d, struct sv uuid, struct sv index, struct sv mig)
{
	if (!is_cut(d->uuid, sizeof d->uuid, uuid) ||
	    (!uuid.n && !is_cut(d->index, sizeof d->index, index)))
		return false;
	return is_cut(d->mig, sizeof d->mig, mig);
}

/* dcgm-exporter labels an instance with its GPU's uuid, tare with its own. */
static bool own_uuid(struct sv uuid)
{
	return sv_starts(uuid, SV("MIG-"));
}

static struct scraped_dev *find_device(struct scraped *s, const struct expo_line *l)
{
	struct sv uuid = expo_label(l, uuid_labels), index = expo_label(l, dcgm_index),
		  mig = expo_label(l, mig_labels);
	struct scraped_dev *d;

	if (!uuid.n && !index.n)
		return NULL;
	if (own_uuid(uuid) && !mig.n)
		mig = uuid;
	for (size_t i = s->dev.n; i-- > 0;) /* series of a device often follow each other */
		if (is_same_dev(&s->dev.v[i], uuid, index, mig))
			return &s->dev.v[i];
	if (s->dev.n >= DEVICES_MAX)
		return NULL;
	d = vec_push(&s->dev);
	*d = (struct scraped_dev){ 0 };
	gpu_text(d->uuid, sizeof d->uuid, uuid);
	gpu_text(d->index, sizeof d->index, index);
	gpu_text(d->mig, sizeof d->mig, mig);
	for (int f = 0; f < DCGM_FIELD_N; f++)
		d->field[f] = NAN;
	for (int m = 0; m < METRIC_N; m++)
		d->value[m] = NAN;
	d->power_limit_w = NAN;
	return d;
}

static void name_owner(struct scraped *s, struct scraped_dev *d, const struct expo_line *l)
{
	char who[sizeof d->owner];

	if (!dcgm_owner(expo_label(l, dcgm_job), expo_label(l, dcgm_namespace),
			expo_label(l, dcgm_pod), &s->text))
		return;
	sv_clean(str_sv(&s->text), who, sizeof who);
	d->shared |= *d->owner && strcmp(d->owner, who) != 0;
	if (d->shared)
		*d->owner = 0;
	else
		snprintf(d->owner, sizeof d->owner, "%s", who);
}

static void describe_dev(struct scraped_dev *d, const struct expo_line *l)
{
	if (!d->name[0])
		gpu_text(d->name, sizeof d->name, expo_label(l, name_labels));
	if (!d->profile[0])
		gpu_text(d->profile, sizeof d->profile, expo_label(l, profile_labels));
}

static void add_line(struct scraped *s, const struct expo_line *l)
{
	struct scraped_dev *d;
	int f = dcgm_field_of(l->name);

	if (f >= 0) {
		if ((d = find_device(s, l)) && dcgm_valid((enum dcgm_field)f, l->value))
			d->field[f] = l->value;
		if (d) {
			describe_dev(d, l);
			name_owner(s, d, l);
		}
		return;
	}
	if (sv_is(l->name, "tare_gpu_info") && (d = find_device(s, l)))
		describe_dev(d, l);
	bool limit = sv_is(l->name, "nv_gpu_power_limit") ||
		     sv_is(l->name, "nvidia_smi_enforced_power_limit_watts");
	if (limit && (d = find_device(s, l)) && l->value > 0 && l->value < 1e5)
		d->power_limit_w = l->value;
	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
		double v = l->value * more[i].scale;
		if (!sv_is(l->name, more[i].name) || !isfinite(l->value) || l->value < 0)
			continue;
		if (l->value >= 9e18 || !(d = find_device(s, l)))
			continue;
		d->value[more[i].metric] = v <= metric_most(more[i].metric) ? v : NAN;
		describe_dev(d, l);
	}
}

size_t scraped_parse(struct scraped *s, struct sv text)
{
	struct expo_line l = { 0 };
	const char *why;
	size_t bad = 0;

	vec_clear(&s->dev);
	while (text.n) {
		struct sv rest, line = sv_cut(text, '\n', &rest);
		int rc = expo_parse(line, &l, &why);
		if (rc > 0)
			add_line(s, &l);
		bad += rc < 0;
		text = rest;
	}
	expo_line_free(&l);
	for (size_t i = 0; i < s->dev.n; i++) {
		struct scraped_dev *d = &s->dev.v[i];
		double v[METRIC_N];
		for (int m = 0; m < METRIC_N; m++)
			v[m] = NAN;
		dcgm_sample(d->field, v);
		for (int m = 0; m < METRIC_N; m++)
			if (!isnan(v[m]))
				d->value[m] = v[m];
	}
	return bad;
}

/* ---- as a source ---- */

struct proc_owner {
	char id[256], namespace[256];
	int64_t seen_ms; /* of the monotonic clock: named last */
	struct allocation a;
};

struct source {
	VEC(struct proc_owner *) owner;
	struct gpu_set set;
	struct scrape *scrape;
	struct scraped *seen;
	int64_t good_ms, asked_ms;
	bool asked;
};

/* Who is named again is the same allocation. Of a pod its id is "namespace/pod". */
static const struct allocation *owner_of(struct source *r, const char *id, bool mig)
{
	struct proc_owner *h;

	if (!*id)
		return NULL;
	for (size_t i = 0; i < r->owner.n; i++)
		if (!strcmp(r->owner.v[i]->id, id)) {
			r->owner.v[i]->seen_ms = r->asked_ms;
			return &r->owner.v[i]->a;
		}
	h = xcalloc(1, sizeof *h);
	snprintf(h->id, sizeof h->id, "%s", id);
	struct sv pod, namespace = sv_cut(sv_of(h->id), '/', &pod);
	if (pod.n)
		snprintf(h->namespace, sizeof h->namespace, "%.*s", SVF(namespace));
	h->seen_ms = r->asked_ms;
	h->a = (struct allocation){ .job_id = sv_of(h->id),
				    .name = pod,
				    .namespace_ = sv_of(h->namespace),
				    .gpus_milli = 1000,
				    .share_kind = mig ? SHARE_MIG : SHARE_WHOLE,
				    .share_ppb = -1,
				    .mig_start = -1,
				    .submit_ms = UNKNOWN_MS,
				    .start_ms = UNKNOWN_MS,
				    .end_ms = UNKNOWN_MS,
				    .limit_ms = UNKNOWN_MS,
				    .checkpointable = -1 };
	*vec_push(&r->owner) = h;
	return &h->a;
}

static void give_dev(struct source *r, const struct scraped_dev *d, int parent)
{
	struct gpu_set *s = &r->set;
	struct gpu_dev *g = vec_push(&s->dev);
	struct gpu_info *c = &g->info;
	int64_t index;

	*g = (struct gpu_dev){ .present = true };
	gpu_dev_clear(g);
	gpu_info_init(c);
	gpu_text(c->uuid, sizeof c->uuid,
		 d->mig[0] && !own_uuid(sv_of(d->uuid)) ? SV_NULL : sv_of(d->uuid));
	gpu_text(c->name, sizeof c->name, sv_of(d->name));
	gpu_text(c->mig_profile, sizeof c->mig_profile, sv_of(d->profile));
	c->index = 0;
	if (sv_i64(sv_of(d->index), &index) == 0 && within_i64(index, 0, 4095))
		c->index = (int)index;
	if (d->mig[0] && sv_i64(sv_of(d->mig), &index) == 0 && within_i64(index, 0, 4095))
		c->gi = (int)index;
	c->mem_total_bytes = d->value[METRIC_MEM_TOTAL_BYTES];
	c->power_limit_w = d->power_limit_w;
	c->parent = parent;
	g->held = owner_of(r, d->owner, parent >= 0);
	memcpy(g->value, d->value, sizeof g->value);
}

/* An instance's series carry its GPU's uuid: it stands behind the GPU. */
static bool is_on_gpu(const struct scraped_dev *inst, const struct scraped_dev *gpu)
{
	if (own_uuid(sv_of(inst->uuid)))
		return inst->mig[0] && !gpu->mig[0] && !strcmp(inst->index, gpu->index);
	return inst->mig[0] && !gpu->mig[0] &&
	       (gpu->uuid[0] ? !strcmp(inst->uuid, gpu->uuid) : !strcmp(inst->index, gpu->index));
}

/* A GPU that only its instances tell of. */
static void give_bare(struct source *r, const struct scraped_dev *inst)
{
	struct scraped_dev gpu = *inst;

	gpu.mig[0] = gpu.profile[0] = gpu.owner[0] = 0;
	if (own_uuid(sv_of(gpu.uuid)))
		gpu.uuid[0] = 0;
	gpu.power_limit_w = NAN;
	for (int m = 0; m < METRIC_N; m++)
		gpu.value[m] = NAN;
	give_dev(r, &gpu, -1);
}

static void place_devs(struct source *r)
{
	const struct scraped_dev *d;
	size_t n = scraped_all(r->seen, &d), nold = r->set.dev.n;
	struct gpu_info *old = xcalloc(nold + 1, sizeof *old);
	bool *done = xcalloc(n + 1, 1);

	for (size_t i = 0; i < nold; i++)
		old[i] = r->set.dev.v[i].info;
	vec_clear(&r->set.dev);
	for (int bare = 0; bare < 2; bare++)
		for (size_t i = 0; i < n; i++) {
			struct scraped_dev gpu = d[i];
			int at = (int)r->set.dev.n;
			if (done[i] || (!bare && d[i].mig[0]))
				continue;
			if (bare)
				give_bare(r, &d[i]);
			else
				give_dev(r, &d[i], -1);
			gpu.mig[0] = 0;
			done[i] = !bare;
			for (size_t k = 0; k < n; k++)
				if (!done[k] && is_on_gpu(&d[k], &gpu)) {
					give_dev(r, &d[k], at);
					r->set.dev.v[at].info.mig_enabled = done[k] = true;
				}
		}
	bool same = nold == r->set.dev.n;
	for (size_t i = 0; same && i < nold; i++) {
		const struct gpu_info *c = &r->set.dev.v[i].info;
		same = !strcmp(old[i].uuid, c->uuid) && old[i].index == c->index;
		same &= old[i].gi == c->gi && old[i].parent == c->parent;
	}
	r->set.generation += !same;
	free(old);
	free(done);
}

static int poll_scrape(void *self, int64_t now_ms, int64_t mono_ms, struct err *err)
{
	struct source *r = self;
	struct err why = { 0 };
	struct sv text;

	(void)now_ms;
	(void)err;
	vec_clear(&r->set.event);
	if (r->asked && mono_ms - r->asked_ms < ASK_MS)
		return 0;
	r->asked = true;
	r->asked_ms = mono_ms;
	str_clear(&r->set.problem);
	if (scrape_get(r->scrape, mono_ms, &text, &why) == 0) {
		scraped_parse(r->seen, text);
		place_devs(r);
		size_t kept = 0;
		for (size_t i = 0; i < r->owner.n; i++)
			if (mono_ms - r->owner.v[i]->seen_ms > MS_HOUR)
				free(r->owner.v[i]);
			else
				r->owner.v[kept++] = r->owner.v[i];
		r->owner.n = kept;
		r->good_ms = mono_ms;
		if (!r->set.dev.n)
			str_addz(&r->set.problem,
				 "the endpoint has no metrics of GPUs that are known here");
		return 0;
	}
	str_addz(&r->set.problem, why.msg);
	for (size_t i = 0; i < r->set.dev.n && mono_ms - r->good_ms >= STALE_MS; i++) {
		if (r->set.dev.v[i].present && r->set.dev.v[i].info.parent < 0)
			*vec_push(&r->set.event) = (struct gpu_event){ GPU_LOST, (int)i, 0 };
		r->set.dev.v[i].present = false;
		gpu_dev_clear(&r->set.dev.v[i]);
	}
	return 0;
}

static int source_open(const struct gpu_feed_opt *opt, void **ret, struct err *err)
{
	struct source *r = xcalloc(1, sizeof *r);
	int rc = scrape_open(opt->scrape, &r->scrape, err);

	if (rc < 0) {
		free(r);
		return rc;
	}
	r->seen = scraped_new();
	/* without a user's name and password, and without a query: it is shown */
	const char *url = opt->scrape, *host = strstr(url, "://") + 3;
	const char *end = host + strcspn(host, "?#"), *shown = host;
	const char *at = memrchr(host, '@', strcspn(host, "/?#"));
	if (at)
		shown = at + 1;
	snprintf(r->set.driver, sizeof r->set.driver, "scrape %.*s%.*s", (int)(host - url), url,
		 (int)(end - shown), shown);
	*ret = r;
	return 0;
}

static const struct gpu_set *scrape_set(const void *self)
{
	return &((const struct source *)self)->set;
}

static void source_close(void *self)
{
	struct source *r = self;

	scrape_close(r->scrape);
	scraped_free(r->seen);
	for (size_t i = 0; i < r->owner.n; i++)
		free(r->owner.v[i]);
	vec_free(&r->owner);
	vec_free(&r->set.dev);
	vec_free(&r->set.event);
	str_free(&r->set.problem);
	free(r);
}

const struct gpu_src_ops gpu_src_scrape = { .name = "scrape",
					    .open = source_open,
					    .poll = poll_scrape,
					    .set = scrape_set,
					    .close = source_close };
