#ifndef TARE_DEVICE_HOST_H
#define TARE_DEVICE_HOST_H
/* The machine around the GPUs, from /proc and /sys: processors, memory, network, and the processor
 * time of processes. */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct host_view { /* rates over the time since the last poll, NAN at the first */
	int cpus;
	double cpu_util_pct; /* of all processors, 0..100 */
	double mem_total_bytes, mem_available_bytes;
	/* all links that are up, without loopback and virtual ones; RDMA ports' counters too */
	double nic_rx_bytes_s, nic_tx_bytes_s;
	double disk_read_bytes_s, disk_write_bytes_s;
};
struct host_feed;
/* NULL: /proc, /sys */
int host_feed_open(const char *proc, const char *sysfs, struct host_feed **ret, struct err *err);
int host_feed_poll(struct host_feed *f, int64_t mono_ms, struct host_view *ret, struct err *err);
void host_feed_close(struct host_feed *f);

/* One process, read once. */
struct host_proc {
	int32_t pid, ppid;
	uint64_t start_ticks; /* field 22 of stat */
	uint64_t cpu_ticks;   /* utime + stime */
	uint64_t child_ticks; /* of children waited for */
	uint32_t uid;
	uint64_t rss_bytes;
	char state;    /* R S D Z T */
	char comm[64]; /* as the kernel has it: not to be trusted as terminal output */
};
/* 0; -ESRCH it is gone; -EACCES. */
int host_proc_read(const char *proc, int32_t pid, struct host_proc *ret);

#endif
