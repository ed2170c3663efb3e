/*
 * NVIDIA GPUs through NVML: opening it, keeping it open through restarts of the driver, and
 * polling. A GPU that does not answer stays in the view as lost; everything is asked again until
 * it is back.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/tm.h"
#include "base/num.h"
#include "base/str.h"
#include "device/nvml_in.h"

/* Pauses between tries, by the clock that never jumps: of a driver that was there before, and where
 * there was none yet and may never be. */
#define RETRY_MS       2000
#define RETRY_NEVER_MS 15000
#define RELIST_MS      1000 /* instances come and go without telling */
/* a GPU that was reset needs a new nvmlInit, which takes up to a second on idle drivers: */
#define REINIT_LOST_MS MS_MINUTE
#define REINIT_MAX_MS  MS_HOUR /* the pause doubles up to this where that did not help */
#define REFUSED_MS     300000  /* a refusal holds this long: rights and modes change */

/* ---- the readings of one GPU or MIG instance -------------------------------------------- */

/* What is not there, not supported or not allowed stays NAN. */
#define STATIC_MS  MS_MINUTE /* limits change only when an administrator changes them */
#define ENERGY_MAX 10000     /* between two readings of the counter, ms */

static double valid_u32(uint32_t v)
{
	return v == UINT32_MAX ? NAN : v;
}

static double valid_u64(uint64_t v)
{
	if (v == NVML_NOT_AVAILABLE)
		return NAN;
	return (double)v;
}

static double valid_pct(uint32_t v)
{
	return v <= 100 ? v : NAN;
}

/* Used without what the driver keeps for itself where the library tells the two apart. */
static void read_memory(struct nvml *n, struct nvml_dev *d, struct gpu_dev *g)
{
	struct nvml_mem2 m2 = { .version = NVML_MEM2_VERSION };
	struct nvml_mem1 m1 = { 0 };

	if (NVML_ASK(n, d, CALL_MEM2, mem2, &m2))
		m1 = (struct nvml_mem1){ .total = m2.total, .used = m2.used };
	else if (!NVML_ASK(n, d, CALL_MEM1, mem1, &m1))
		return;
	g->value[METRIC_MEM_USED_BYTES] = valid_u64(m1.used);
	g->value[METRIC_MEM_TOTAL_BYTES] = m1.total ? valid_u64(m1.total) : NAN;
	g->info.mem_total_bytes = g->value[METRIC_MEM_TOTAL_BYTES];
}

static void read_limits(struct nvml *n, struct nvml_dev *d, struct gpu_dev *g, int64_t mono_ms)
{
	uint32_t v = 0;

	if (d->static_ms && mono_ms - d->static_ms < STATIC_MS)
		return;
	d->static_ms = mono_ms ? mono_ms : 1;
	if (n->lib.power_limit && n->lib.power_limit(d->h, &v) == NVML_OK && v)
		g->info.power_limit_w = valid_u32(v) / 1000;
	else
		g->info.power_limit_w = NAN;
	v = 0;
	bool known = n->lib.temp_limit &&
		     n->lib.temp_limit(d->h, NVML_THRESHOLD_SLOWDOWN, &v) == NVML_OK;
	g->info.temp_slowdown_celsius = NAN;
	if (known && v && v < 1000)
		g->info.temp_slowdown_celsius = v;
}

static double rate_of(struct nvml_counter *c, uint64_t v, double unit, int64_t mono_ms)
{
	double r = NAN;

	if (c->known && v >= c->v && mono_ms > c->at_ms)
		r = (double)(v - c->v) * unit * 1000 / (double)(mono_ms - c->at_ms);
	*c = (struct nvml_counter){ true, v, mono_ms };
	return r;
}

static bool field_u64(const struct nvml_field *f, uint64_t *ret)
{
	if (f->ret != NVML_OK)
		return false;
	switch (f->type) {
	case NVML_T_UINT: *ret = f->value.u; return true;
	case NVML_T_ULONG:
	case NVML_T_ULL: *ret = f->value.ull; return f->value.ull != NVML_NOT_AVAILABLE;
	case NVML_T_SLL: *ret = (uint64_t)f->value.sll; return f->value.sll >= 0;
	default: return false;
	}
}

/* Payload over all links: counters in KiB. */
static void read_nvlink(struct nvml *n, struct nvml_dev *d, double *value, int64_t mono_ms)
{
	struct nvml_field f[2] = { { .field = NVML_FIELD_NVLINK_DATA_TX, .scope = UINT32_MAX },
				   { .field = NVML_FIELD_NVLINK_DATA_RX, .scope = UINT32_MAX } };
	uint64_t v;
	double r;

	if (!NVML_ASK(n, d, CALL_NVLINK, fields, 2, f))
		return;
	if (f[0].ret == NVML_NOT_SUPPORTED && f[1].ret == NVML_NOT_SUPPORTED)
		d->refused |= 1u << CALL_NVLINK;
	if (field_u64(&f[0], &v) && !isnan(r = rate_of(&d->nvlink_tx, v, 1024, mono_ms)))
		value[METRIC_NVLINK_TX_BYTES_S] = r;
	if (field_u64(&f[1], &v) && !isnan(r = rate_of(&d->nvlink_rx, v, 1024, mono_ms)))
		value[METRIC_NVLINK_RX_BYTES_S] = r;
}

/* GPM may have answered already; then counters of newer drivers; then the call that watches the
 * link for 20 ms. */
static void read_pcie(struct nvml *n, struct nvml_dev *d, double *value, int64_t mono_ms)
{
	struct nvml_field f[2] = { { .field = NVML_FIELD_PCIE_TX },
				   { .field = NVML_FIELD_PCIE_RX } };
	uint64_t tx, rx;
	uint32_t kb;

	if (!isnan(value[METRIC_PCIE_TX_BYTES_S]) || d->gpm.nsample)
		return;
	if (NVML_ASK(n, d, CALL_PCIE_COUNT, fields, 2, f)) {
		bool short_ones = f[0].type == NVML_T_UINT || f[1].type == NVML_T_UINT;
		if (!short_ones && field_u64(&f[0], &tx) && field_u64(&f[1], &rx)) {
			/* they are there, though the first reading is no rate yet */
			value[METRIC_PCIE_TX_BYTES_S] = rate_of(&d->pcie_tx, tx, 1, mono_ms);
			value[METRIC_PCIE_RX_BYTES_S] = rate_of(&d->pcie_rx, rx, 1, mono_ms);
			return;
		}
		d->refused |= 1u << CALL_PCIE_COUNT;
	}
	if (NVML_ASK(n, d, CALL_PCIE, pcie, NVML_PCIE_TX, &kb))
		value[METRIC_PCIE_TX_BYTES_S] = valid_u32(kb) * 1000;
	if (NVML_ASK(n, d, CALL_PCIE, pcie, NVML_PCIE_RX, &kb))
		value[METRIC_PCIE_RX_BYTES_S] = valid_u32(kb) * 1000;
}

static void read_gpu(struct nvml *n, size_t i, int64_t mono_ms)
{
	struct gpu_dev *g = &n->set.dev.v[i];
	struct nvml_dev *d = &n->dev.v[i];
	double *value = g->value;
	struct nvml_util u = { 0 };
	uint64_t big = 0;
	uint32_t v = 0;

	if (!d->h || d->lost || n->down)
		return;
	read_memory(n, d, g);
	if (g->info.parent >= 0) {
		if (n->want_gpm && g->info.gi >= 0 && !d->gi_shared)
			gpm_read(n, d, n->dev.v[g->info.parent].h, g->info.gi, mono_ms, value);
		return;
	}
	/* of the board: an instance has none of these */
	read_limits(n, d, g, mono_ms);
	if (NVML_ASK(n, d, CALL_POWER, power, &v))
		value[METRIC_POWER_W] = valid_u32(v) / 1000;
	if (NVML_ASK(n, d, CALL_TEMP, temp, NVML_SENSOR_GPU, &v))
		value[METRIC_TEMP_CELSIUS] = v < 1000 ? v : NAN;
	if (NVML_ASK(n, d, CALL_SM_CLOCK, clock, NVML_CLOCK_SM, &v))
		value[METRIC_SM_CLOCK_MHZ] = valid_u32(v);
	if (NVML_ASK(n, d, CALL_MEM_CLOCK, clock, NVML_CLOCK_MEM, &v))
		value[METRIC_MEM_CLOCK_MHZ] = valid_u32(v);
	if (NVML_ASK(n, d, CALL_THROTTLE, throttle, &big))
		value[METRIC_THROTTLE_BITS] = valid_u64(big);
	if (NVML_ASK(n, d, CALL_ECC, ecc, NVML_ECC_UNCORRECTED, NVML_ECC_VOLATILE, &big))
		value[METRIC_ECC_UNCORRECTED] = valid_u64(big);
	/* A counter that is read less often is no less exact: in between it stands where it was
	 * read. */
	int64_t begun = nvml_begin();
	uint64_t mj = 0;

	if (n->want_energy || nvml_due(d, CALL_ENERGY, mono_ms)) {
		d->energy_j = NAN;
		if (NVML_ASK(n, d, CALL_ENERGY, energy, &mj))
			d->energy_j = valid_u64(mj) / 1000;
		nvml_paid(d, CALL_ENERGY, begun, mono_ms, ENERGY_MAX);
	}
	value[METRIC_ENERGY_J] = d->energy_j;
	if (!g->info.mig_enabled) {
		if (NVML_ASK(n, d, CALL_UTIL, util, &u)) {
			value[METRIC_GPU_UTIL_PCT] = valid_pct(u.gpu);
			value[METRIC_MEM_UTIL_PCT] = valid_pct(u.memory);
		}
		if (n->want_gpm)
			gpm_read(n, d, d->h, -1, mono_ms, value);
	}
	read_nvlink(n, d, value, mono_ms);
	if (n->want_pcie)
		read_pcie(n, d, value, mono_ms);
}

/* ---- calls, and what they cost ---------------------------------------------------------- */

bool nvml_good(struct nvml *n, struct nvml_dev *d, enum nvml_call bit, int rc)
{
	if (nvml_driver_gone(rc)) {
		n->down = true;
		return false;
	}
	switch (rc) {
	case NVML_OK: return true;
	case NVML_NOT_SUPPORTED:
	case NVML_FUNCTION_NOT_FOUND:
	case NVML_ARGUMENT_VERSION_MISMATCH:
	case NVML_DEPRECATED: d->refused |= 1u << bit; return false;
	case NVML_NO_PERMISSION: d->forbidden |= 1u << bit; return false;
	case NVML_GPU_IS_LOST:
	case NVML_GPU_NOT_FOUND: d->lost = true; return false;
	case NVML_INVALID_ARGUMENT:
		/* a handle of an instance that is gone, or a call that this device does not know */
		n->relist = true;
		d->refused |= 1u << bit;
		return false;
	default: return false;
	}
}

int64_t nvml_begin(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void nvml_paid(struct nvml_dev *d, enum nvml_call bit, int64_t begun_ns, int64_t mono_ms,
	       int64_t max_ms)
{
	int64_t ns = nvml_begin() - begun_ns;

	d->due_ms[bit] = 0;
	if (ns >= NVML_CHEAP_NS)
		d->due_ms[bit] = mono_ms + min_i64(ns * NVML_PART / 1000000, max_ms);
}

/* Counters begin again, and what was put off is asked at once. */
static void start_counters(struct nvml_dev *d)
{
	d->nvlink_tx.known = d->nvlink_rx.known = d->pcie_tx.known = d->pcie_rx.known = false;
	memset(d->due_ms, 0, sizeof d->due_ms);
	d->energy_j = NAN;
}

/* One a GPU and one of the driver in a poll. */
static void push_event(struct nvml *n, enum gpu_event_kind kind, int dev)
{
	*vec_push(&n->set.event) = (struct gpu_event){ .kind = kind, .dev = dev };
}

/* The library too: after an upgrade of the driver the old one cannot speak to the new module. */
static void shut_library(struct nvml *n)
{
	if (!n->lib.so)
		return;
	for (size_t i = 0; i < n->dev.n; i++) {
		struct nvml_dev *d = &n->dev.v[i];
		gpm_free(n, &d->gpm);
		d->h = NULL;
		d->refused = d->forbidden = 0;
		d->events = 0;
		start_counters(d);
		n->set.dev.v[i].present = false;
		gpu_dev_clear(&n->set.dev.v[i]);
	}
	nvml_events_close(n);
	if (n->up)
		n->lib.shutdown();
	nvml_lib_close(&n->lib);
	n->up = false;
}

static void set_problem(struct nvml *n, const char *why)
{
	str_clear(&n->set.problem);
	str_addz(&n->set.problem, why);
}

static void why_no_init(struct nvml *n, int rc)
{
	static const struct {
		int rc;
		const char *why;
	} known[] = {
		{ NVML_DRIVER_NOT_LOADED, "the NVIDIA driver is not loaded" },
		{ NVML_LIB_RM_VERSION_MISMATCH,
		  "the NVIDIA driver was replaced and is not loaded yet: its library and kernel module differ" },
		{ NVML_NO_PERMISSION,
		  "no right to speak to the NVIDIA driver: /dev/nvidiactl cannot be opened" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (known[i].rc == rc) {
			set_problem(n, known[i].why);
			return;
		}
	str_clear(&n->set.problem);
	str_addf(&n->set.problem, "the NVIDIA driver does not start (NVML error %d)", rc);
}

/* Open the library, which is shut, and start it, where a try is due. */
static bool bring_up(struct nvml *n, int64_t mono_ms)
{
	char version[NVML_DRIVER_BYTES + 1] = "";
	int64_t pause_ms = n->was_up ? RETRY_MS : RETRY_NEVER_MS;
	struct err err;

	if (n->tried_ms != INT64_MIN && mono_ms - n->tried_ms < pause_ms)
		return false;
	n->tried_ms = mono_ms;
	if (nvml_lib_open(n->path, &n->lib, &err) < 0) {
		set_problem(n, err.msg);
		return false;
	}
	int rc = n->lib.init();
	if (rc != NVML_OK) {
		why_no_init(n, rc);
		nvml_lib_close(&n->lib);
		return false;
	}
	n->up = true;
	n->down = false;
	if (n->lib.driver_version && n->lib.driver_version(version, NVML_DRIVER_BYTES) != NVML_OK)
		version[0] = 0;
	version[NVML_DRIVER_BYTES] = 0;
	snprintf(n->set.driver, sizeof n->set.driver, "nvml%s%s", text_if(*version, " "), version);
	if (n->told_lost)
		push_event(n, GPU_DRIVER_BACK, -1);
	n->told_lost = false;
	n->was_up = true;
	n->relist = true;
	return true;
}

/* A GPU that was lost is asked something that every GPU has. */
static void try_lost(struct nvml *n, size_t i)
{
	struct nvml_dev *d = &n->dev.v[i];
	struct gpu_info *c = &n->set.dev.v[i].info;
	char uuid[NVML_NAME_BYTES + 1] = "";
	void *h = NULL;

	if (c->parent >= 0 || n->lib.handle((uint32_t)c->index, &h) != NVML_OK || !h)
		return;
	if (n->lib.uuid && (n->lib.uuid(h, uuid, NVML_NAME_BYTES) != NVML_OK ||
			    strncmp(uuid, c->uuid, sizeof c->uuid - 1)))
		return;
	if (d->h != h)
		d->events = 0;
	d->h = h;
	d->lost = false;
	n->relist = true; /* its instances may be others by now */
	d->refused = d->forbidden = 0;
	start_counters(d);
}

static void poll_dev(struct nvml *n, size_t i, int64_t mono_ms)
{
	struct gpu_dev *g = &n->set.dev.v[i];
	struct nvml_dev *d = &n->dev.v[i];

	gpu_dev_clear(g);
	if (d->lost || !d->h)
		try_lost(n, i);
	if (g->info.parent >= 0 && n->dev.v[g->info.parent].lost)
		return;
	if (mono_ms - d->refused_ms >= REFUSED_MS) {
		d->refused = d->forbidden = 0;
		d->refused_ms = mono_ms;
	}
	read_gpu(n, i, mono_ms);
	if (n->want_procs && !(g->info.parent < 0 && g->info.mig_enabled))
		nvml_read_procs(n, i, mono_ms);
}

/* Close everything where that may bring a lost GPU back; it is opened again at once. */
static void try_again(struct nvml *n, int64_t mono_ms)
{
	bool some_lost = false;

	if (!n->up)
		return;
	for (size_t i = 0; i < n->dev.n; i++)
		some_lost |= n->dev.v[i].lost || !n->dev.v[i].h;
	if (!some_lost) {
		n->reinit_ms = REINIT_LOST_MS;
		return;
	}
	if (mono_ms - n->tried_ms < n->reinit_ms)
		return;
	shut_library(n);
	n->reinit_ms = min_i64(n->reinit_ms * 2, REINIT_MAX_MS);
}

static void look_for_changes(struct nvml *n, int64_t mono_ms)
{
	uint32_t count = 0;
	int rc = n->lib.count(&count);

	if (nvml_driver_gone(rc))
		n->down = true;
	else if (rc == NVML_OK && count != n->count)
		n->relist = true;
	bool due = n->listed_ms == INT64_MIN || mono_ms - n->listed_ms >= RELIST_MS;
	if (!n->down && !n->relist && due) {
		n->listed_ms = mono_ms;
		n->relist = !nvml_mig_same(n);
	}
	if (!n->down && n->relist) {
		n->relist = false;
		n->listed_ms = mono_ms;
		nvml_list(n, mono_ms);
	}
}

/* Tell of GPUs that changed between being there and not since the last poll; their instances follow
 * them. */
static void tell_changes(struct nvml *n)
{
	for (size_t i = 0; i < n->dev.n; i++) {
		struct gpu_dev *g = &n->set.dev.v[i];
		struct nvml_dev *d = &n->dev.v[i];
		const struct nvml_dev *card = d;
		if (g->info.parent >= 0)
			card = &n->dev.v[g->info.parent];
		bool card_here = card->h && !card->lost;
		g->present = card_here && d->h && !d->lost;
		if (g->info.parent < 0 && d->told_lost == g->present) {
			push_event(n, g->present ? GPU_BACK : GPU_LOST, (int)i);
			d->told_lost = !g->present;
		}
		if (!g->present)
			gpu_dev_clear(g);
	}
}

/* The one thing to be said of what is missing, the worst first. */
static void tell_problem(struct nvml *n)
{
	bool forbidden = false;

	for (size_t i = 0; i < n->dev.n; i++)
		forbidden |= n->dev.v[i].forbidden != 0;
	str_clear(&n->set.problem);
	if (!n->count)
		str_addz(&n->set.problem, "the NVIDIA driver is loaded and knows no GPU");
	else if (n->unopened)
		str_addf(&n->set.problem, "%u of %u GPUs may not be opened by this user",
			 n->unopened, n->count);
	else if (forbidden)
		str_addz(&n->set.problem, "some readings need rights that this user does not have");
}

static int poll_nvml(void *self, int64_t now_ms, int64_t mono_ms, struct err *err)
{
	struct nvml *n = self;

	(void)now_ms;
	(void)err;
	vec_clear(&n->set.event);
	try_again(n, mono_ms);
	if (!n->up && !bring_up(n, mono_ms))
		return 0;
	look_for_changes(n, mono_ms);
	for (size_t i = 0; i < n->dev.n && !n->down; i++)
		poll_dev(n, i, mono_ms);
	if (!n->down)
		nvml_events_read(n);
	if (n->down) {
		shut_library(n);
		n->tried_ms = mono_ms;
		if (!n->told_lost)
			push_event(n, GPU_DRIVER_LOST, -1);
		n->told_lost = true;
		set_problem(n, "the NVIDIA driver went away; trying again");
		return 0;
	}
	tell_changes(n);
	tell_problem(n);
	return 0;
}

static int nvml_open(const struct gpu_feed_opt *opt, void **ret, struct err *err)
{
	struct nvml *n = xcalloc(1, sizeof *n);
	const char *path = opt->nvml;

	if (!opt->nvml)
		path = getenv("TARE_NVML");
	n->path = path && *path ? xstrdup(path) : NULL;
	n->proc = xstrdup(text_or(opt->proc, "/proc"));
	n->want_pcie = opt->want_pcie;
	n->want_gpm = opt->want_gpm;
	n->want_procs = opt->want_procs;
	n->want_energy = opt->want_energy;
	n->tried_ms = n->listed_ms = INT64_MIN;
	n->reinit_ms = REINIT_LOST_MS;
	*ret = n;
	return 0;
}

static const struct gpu_set *nvml_set(const void *self)
{
	return &((const struct nvml *)self)->set;
}

static void nvml_close(void *self)
{
	struct nvml *n = self;

	for (size_t i = 0; i < n->dev.n; i++)
		nvml_dev_free(n, &n->dev.v[i]);
	shut_library(n);
	vec_free(&n->dev);
	vec_free(&n->set.dev);
	vec_free(&n->set.event);
	str_free(&n->set.problem);
	free(n->path);
	free(n->proc);
	free(n->buf);
	free(n);
}

/* ---- what cannot be read, and why ------------------------------------------------------- */

static const struct reason {
	int metric; /* or GPU_WHY_PROCS, GPU_WHY_PROC_UTIL */
	enum nvml_call call;
	const char *other; /* what is said where it is not forbidden; NULL: by the call's answer */
} reasons[] = {
	{ METRIC_GPU_UTIL_PCT, CALL_UTIL, NULL },
	{ METRIC_MEM_UTIL_PCT, CALL_UTIL, NULL },
	{ METRIC_SM_ACTIVE_FRAC, CALL_GPM, "needs Hopper or later; DCGM has it from Volta on" },
	{ METRIC_OCCUPANCY_FRAC, CALL_GPM, "needs Hopper or later; DCGM has it from Volta on" },
	{ METRIC_TENSOR_ACTIVE_FRAC, CALL_GPM, "needs Hopper or later; DCGM has it from Volta on" },
	{ METRIC_DRAM_ACTIVE_FRAC, CALL_GPM, "needs Hopper or later; DCGM has it from Volta on" },
	{ METRIC_MEM_USED_BYTES, CALL_MEM1, NULL },
	{ METRIC_MEM_TOTAL_BYTES, CALL_MEM1, NULL },
	{ METRIC_POWER_W, CALL_POWER, NULL },
	{ METRIC_ENERGY_J, CALL_ENERGY, "needs Volta or later" },
	{ METRIC_TEMP_CELSIUS, CALL_TEMP, NULL },
	{ METRIC_SM_CLOCK_MHZ, CALL_SM_CLOCK, NULL },
	{ METRIC_MEM_CLOCK_MHZ, CALL_MEM_CLOCK, NULL },
	{ METRIC_THROTTLE_BITS, CALL_THROTTLE, NULL },
	{ METRIC_PCIE_RX_BYTES_S, CALL_PCIE, NULL },
	{ METRIC_PCIE_TX_BYTES_S, CALL_PCIE, NULL },
	{ METRIC_ECC_UNCORRECTED, CALL_ECC, "the GPU has no ECC, or it is off" },
	{ METRIC_NVLINK_RX_BYTES_S, CALL_NVLINK, "no NVLink" },
	{ METRIC_NVLINK_TX_BYTES_S, CALL_NVLINK, "no NVLink" },
	{ METRIC_XID, CALL_EVENTS, NULL },
	{ GPU_WHY_PROCS, CALL_COMPUTE, NULL },
	{ GPU_WHY_PROC_UTIL, CALL_PROC_UTIL, NULL },
};

static const char *explain_missing(const void *self, size_t i, int metric)
{
	const struct nvml *n = self;
	const struct nvml_dev *d = &n->dev.v[i];
	const struct gpu_info *c = &n->set.dev.v[i].info;
	const struct reason *r = NULL;

	for (size_t k = 0; k < sizeof reasons / sizeof reasons[0]; k++)
		if (reasons[k].metric == metric)
			r = &reasons[k];
	if (!r)
		return NULL;
	if (d->forbidden & 1u << r->call) {
		if (r->call == CALL_GPM)
			return "not permitted: root, or the driver's NVreg_RestrictProfilingToAdminUsers=0";
		return "not permitted: needs root";
	}
	bool counters = r->call == CALL_UTIL || r->call == CALL_GPM;
	bool procs = r->call == CALL_COMPUTE || r->call == CALL_PROC_UTIL;
	if (c->mig_enabled && c->parent < 0 && (counters || procs))
		return "the GPU is in MIG mode: its instances have their own";
	if (c->parent >= 0 && d->gi_shared && counters)
		return "several compute instances share these counters";
	bool memory = metric == METRIC_MEM_USED_BYTES || metric == METRIC_MEM_TOTAL_BYTES;
	bool per_instance = memory || metric == GPU_WHY_PROCS;
	if (c->parent >= 0 && !per_instance) {
		if (counters)
			return "of an instance: needs Hopper or later";
		return "of the whole GPU, not of an instance";
	}
	if (r->other)
		return r->other;
	if (d->refused & 1u << r->call)
		return "not supported by the GPU or its driver";
	return NULL;
}

const struct gpu_src_ops gpu_src_nvml = { .name = "nvml",
					  .may_hang = true,
					  .open = nvml_open,
					  .poll = poll_nvml,
					  .set = nvml_set,
					  .close = nvml_close,
					  .why = explain_missing };
