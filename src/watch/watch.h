#ifndef TARE_WATCH_WATCH_H
#define TARE_WATCH_WATCH_H
/*
 * The present moment with an owner, a price and a state: GPU readings (device/gpu.h) joined with
 * owners (device/whose.h) and what the machine costs. The agent, `tare top` and `tare profile` all
 * look through it.
 *
 * A GPU held by several is divided as the ledger divides it (ledger/share.h); a reading of the GPU
 * is given to an owner only where it is the GPU's sole owner, per-process utilisation where the
 * driver has it. States and causes are those of the ledger (docs/LEDGER.md), by the same
 * thresholds.
 */
#include "catalog/catalog.h"
#include "device/gpu.h"
#include "device/host.h"
#include "device/serving.h"
#include "device/whose.h"
#include "ledger/conf.h"

struct watch_rate { /* what this machine costs, and how that is known */
	bool known;
	dec usd_gpu_hour; /* of a whole GPU */
	char currency[8];
	/* source: "settings" "catalogue" "owned" */
	char provider[24], region[40], zone[48], instance_type[64], purchase[24], source[64];
};

struct watch_use {                     /* an owner's part of a device */
	const struct allocation *held; /* NULL: nobody holds this part */
	int64_t share_ppb;             /* of the physical GPU */
	enum share_kind share_kind;    /* how it is held */
	enum state state;
	enum cause cause;
	double util_pct;     /* NAN */
	double mem_bytes;    /* of its processes, NAN */
	double cpu_util_pct; /* of its processes, 100 = one processor, NAN at the first poll */
	/* its processes: watch_dev.proc[proc_first .. proc_first + nproc) */
	size_t proc_first, nproc;
};
struct watch_dev {
	const struct gpu_dev *gpu;
	const struct gpu_info *parent; /* of an instance, else NULL */
	const char *model;             /* catalogue's name, or the driver's */
	/* the board's, by the catalogue; the peak of one direction; NAN */
	double tdp_w, pcie_bytes_s;
	/* [nuse], shares add up to the device's share of its GPU; a GPU with MIG enabled: the
	 * part no instance has */
	const struct watch_use *use;
	size_t nuse;
	const struct gpu_proc *proc; /* [nproc] */
	size_t nproc;
	/* Whoever held it would be seen: by its processes or by a scheduler, and the driver
	 * answers. Where not, what nobody is known to hold is not known to be free. */
	bool watched;
};
struct watch_view {                     /* valid until the next poll */
	int64_t t_ms, mono_ms, step_ms; /* step: time since the last poll, 0 at the first */
	const char *node;
	const struct gpu_view *gpus;
	struct host_view host;
	/* of the server that watch_opt names, its models added up; all NAN where it does not
	 * answer */
	struct serving_reading serving;
	const char *serving_why; /* why it does not, NULL = it does, or none is named */
	struct watch_rate rate;
	const struct watch_dev *dev; /* [ndev], as gpus->dev */
	size_t ndev;
};

struct watch_opt {
	struct gpu_feed_opt gpu;
	struct whose_opt whose;
	const struct conf *conf;       /* thresholds; not NULL */
	const struct catalog *catalog; /* may be NULL: no price, no power of the board */
	const char *serving;           /* URL of the metrics of vLLM or Triton, or NULL */
	struct watch_rate rate;        /* known = true overrides what would be found out */
};
struct watch;
int watch_open(const struct watch_opt *opt, struct watch **ret, struct err *err);
int watch_poll(struct watch *w, int64_t now_ms, int64_t mono_ms, const struct watch_view **ret,
	       struct err *err);
struct whose *watch_whose(struct watch *w); /* for processes beside the GPUs */
void watch_close(struct watch *w);

#endif
