#ifndef TARE_DEVICE_GPU_H
#define TARE_DEVICE_GPU_H
/*
 * Live GPUs of this machine, polled: NVIDIA through NVML (device/nvml.c), AMD through sysfs
 * (device/amd.c), an exporter's metrics (device/scrape.c) or a recording (device/gpu_replay.c). A
 * poll fills a view: every GPU and MIG instance with its readings and processes. A reading that a
 * GPU cannot give is NAN; a MIG instance never shows its parent's number.
 *
 * GPUs come and go (driver restart, a GPU that fell off the bus, MIG re-partition): polling goes
 * on, the view says so.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "model/model.h"

/* What stays while a device is there. Texts are what the driver said, cut to the array; they are
 * not to be trusted as terminal output. */
struct gpu_info {
	char uuid[96]; /* "GPU-..."; "MIG-..." of an instance; "" = not known */
	/* the driver's product name; catalogue names come from catalog_gpu_find() */
	char name[96];
	char bus_id[24]; /* "00000000:17:00.0" */
	/* the machine, where the view has GPUs of several (a recording); "" = this one */
	char node[64];
	int index; /* the driver's index of the GPU; of an instance: its parent's */
	int minor; /* /dev/nvidia<minor>, -1 = not known */
	/* position in gpu_view.dev of the GPU that an instance is on; -1: a whole GPU */
	int parent;
	int gi, ci;           /* of an instance, else -1 */
	char mig_profile[24]; /* "3g.40gb", "" */
	int mig_start;        /* memory slice where the instance starts, -1 */
	bool mig_enabled;     /* of a GPU: its own utilisation is then unknown */
	/* NAN = not known; limit: enforced, slowdown: where the hardware throttles */
	double mem_total_bytes, power_limit_w, temp_slowdown_celsius;
};

struct gpu_proc {
	int32_t pid;
	/* field 22 of /proc/PID/stat, so that a pid used again is another process; 0 = it was gone
	 * already */
	uint64_t start_ticks;
	char type;          /* 'C' compute, 'G' graphics, 'M' under MPS */
	double mem_bytes;   /* NAN */
	double sm_util_pct; /* of the last step, NAN */
};

struct gpu_dev {
	struct gpu_info info;
	bool present; /* false: known before, lost now; all readings NAN */
	/* its driver does not answer: as last seen, its processes too; all readings NAN */
	bool stuck;
	double value
		[METRIC_N]; /* CPU_UTIL and NIC readings stay NAN here (device/host.h has them) */
	/* [nproc]; of a GPU with MIG: those of its instances stand at the instances alone */
	struct gpu_proc *proc;
	size_t nproc;
	bool procs_known;
	/* whom the labels of an exporter name as its owner, NULL; lives until an hour after it was
	 * named last, and not beyond the feed */
	const struct allocation *held;
};

enum gpu_event_kind {
	GPU_XID,
	GPU_ECC,
	GPU_LOST,
	GPU_BACK,
	GPU_MIG_CHANGED,
	GPU_DRIVER_LOST,
	GPU_DRIVER_BACK,
	GPU_DRIVER_STUCK
};
const char *gpu_event_name(enum gpu_event_kind k); /* "xid" "ecc" "lost" ... */
struct gpu_event {
	enum gpu_event_kind kind;
	int dev;      /* position in gpu_view.dev, -1 = the machine */
	int64_t code; /* XID */
};

struct gpu_view {           /* owned by the feed, valid until the next poll or close */
	const char *driver; /* "nvml 550.54.15", "amdgpu", "scrape URL", "replay FILE" */
	/* counts up whenever the set of devices changed: positions of dev[] hold within a
	 * generation */
	uint64_t generation;
	const struct gpu_dev *dev; /* GPUs in the driver's order, each followed by its instances */
	size_t ndev;
	const struct gpu_event *event; /* since the last poll */
	size_t nevent;
	/* why there is no device, or what readings are missing for want of rights; NULL =
	 * nothing */
	const char *problem;
	int64_t stuck_ms; /* a driver has not answered for so long; 0 = all do */
};

struct gpu_feed_opt {      /* zero-initialised: find out */
	const char *nvml;  /* path of the library, NULL: TARE_NVML, else libnvidia-ml.so.1 */
	const char *sysfs; /* "/sys" unless told; tests have their own */
	const char *proc;  /* "/proc" */
	/* URL of a dcgm-exporter or any endpoint with GPU metrics, polled instead of a driver;
	 * NULL: TARE_GPU_SCRAPE, else none */
	const char *scrape;
	const char *replay; /* a recording (native samples CSV), NULL: TARE_GPU_REPLAY, else none */
	/* PCIe throughput blocks for 20 ms a GPU and direction on older drivers: only where asked
	 * for */
	bool want_pcie;
	bool want_gpm; /* SM activity and its like on Hopper and later */
	bool want_procs;
	/* the counter of energy at every poll, however long the driver takes for it; else seldom
	 * where it does */
	bool want_energy;
	int64_t patience_ms; /* a driver that answers later is stuck; 0: 2 s */
};
struct gpu_feed;
/* Succeeds without any GPU or driver: the view is then empty and says why. Fails only for a
 * recording that cannot be read. */
int gpu_feed_open(const struct gpu_feed_opt *opt, struct gpu_feed **ret, struct err *err);
/*
 * Read everything once. now_ms and mono_ms: wall clock and a clock that never jumps; rates are
 * differences over mono_ms. Errors of the driver are in the view, not here; < 0 only without
 * memory. A driver that hangs holds the poll up once, for as long as patience_ms; the others'
 * devices are read on meanwhile. A scrape may wait for its endpoint, at most 2 s. A replay gives
 * the recorded readings of this moment of its run.
 */
int gpu_feed_poll(struct gpu_feed *f, int64_t now_ms, int64_t mono_ms, const struct gpu_view **ret,
		  struct err *err);

struct gpu_can {
	const char *reading; /* name of the metric, or "processes", "process utilisation" */
	size_t devices;      /* that give it, */
	size_t of;           /* of so many that are there */
	/* the first reason that is known of those that do not, a literal or the feed's; "" */
	const char *why;
};
#define GPU_CAN_MAX (METRIC_N + 2) /* rows at most: the metrics, processes, their utilisation */
/* What can and cannot be read here, for `tare doctor`: after two polls 100 ms or more apart. ret
 * [max]: a row a reading, no more than these. Returns how many. */
size_t gpu_feed_can(const struct gpu_feed *f, struct gpu_can *ret, size_t max);
void gpu_feed_close(struct gpu_feed *f); /* NULL is fine */

#endif
