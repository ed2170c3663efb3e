#ifndef TARE_TOP_TOP_SNAP_H
#define TARE_TOP_TOP_SNAP_H
/*
 * One poll of the watch (watch/watch.h), copied so that the screen can keep it while the next poll
 * runs in another thread, with what the page needs beside it: the command, user and processor time
 * of each process.
 *
 * Texts are what others wrote, cut to 256 bytes; they are cleaned where they are painted
 * (top_cells.h), not here.
 */
#include "watch/watch.h"

struct snap_proc {
	int32_t pid;
	uint64_t start_ticks;
	char type;                               /* 'C' 'G' 'M' */
	const char *user, *job, *team, *command; /* NULL = not known */
	double mem_bytes, sm_util_pct;           /* NAN */
	double cpu_util_pct;                     /* 100 = one processor; NAN at its first poll */
	size_t part;                             /* whose it is: snap_dev.part */
};
struct snap_part { /* watch_use, copied */
	bool held;
	const char *user, *team, *project, *job, *workload, *name; /* NULL = not known */
	int64_t since_ms;  /* of the allocation, UNKNOWN_MS */
	int64_t share_ppb; /* of the physical GPU */
	enum state state;
	enum cause cause;
	double util_pct, mem_bytes, cpu_util_pct;
	size_t nproc;
};
struct snap_dev {
	struct gpu_info info;
	/* uuid, else bus id, else "index" or "index/gi" behind its node, where there are several:
	 * the same device from poll to poll */
	const char *key;
	const char *model; /* catalogue's name, or the driver's */
	bool present, procs_known;
	bool stuck; /* its driver does not answer: whether it is there is not known */
	double value[METRIC_N];
	double tdp_w, pcie_bytes_s; /* by the catalogue, NAN */
	struct snap_part *part;     /* [npart] */
	size_t npart;
	const struct snap_proc *proc; /* [nproc] */
	size_t nproc;
};
struct top_snap {
	struct arena mem;
	/* step: the time that the states below stand for, 0 at the first */
	int64_t t_ms, mono_ms, step_ms;
	const char *node, *driver, *problem; /* problem NULL: nothing */
	struct watch_rate rate;
	struct host_view host;
	struct serving_reading serving; /* NAN where no server was named, or none answers */
	struct snap_dev *dev;           /* [ndev] a GPU, then its instances */
	size_t ndev, ngpu;
};

struct snap_taker;                                   /* remembers processor time between polls */
struct snap_taker *snap_taker_new(const char *proc); /* "/proc" for NULL */
void snap_taker_free(struct snap_taker *t);
/* Never fails: a process that is gone has no command. At most 10,000 processes a device are
 * copied. */
struct top_snap *snap_take(struct snap_taker *t, const struct watch_view *v);
void top_snap_free(struct top_snap *s); /* NULL is fine */

#endif
