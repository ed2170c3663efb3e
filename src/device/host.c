/* The machine around the GPUs: what the kernel counts, as rates between two polls. */
#include "device/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

#define LOOK_MS           30000 /* which links and disks there are is asked this often */
#define LINKS_MAX         256
#define ARPHRD_INFINIBAND 32

struct counter { /* two directions: received and sent, read and written */
	char name[64];
	bool there; /* in the last reading */
	bool rdma;  /* a port of /sys/class/infiniband, name "dev/ports/1" */
	bool known;
	uint64_t v[2], old[2];
};
typedef VEC(struct counter) counters;

struct host_feed {
	char *proc, *sys;
	char *buf;
	size_t cap;
	counters link, disk;
	int cpus;
	bool known_cpu;
	uint64_t cpu_all, cpu_idle;
	int64_t last_ms, look_ms;
	bool polled;
};

/* A file of /proc or /sys as text, at most max bytes; "" where it cannot be read. */
static const char *slurp_at(struct host_feed *f, size_t max, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static const char *slurp_at(struct host_feed *f, size_t max, const char *fmt, ...)
{
	char path[512];
	va_list ap;
	size_t n = 0;

	va_start(ap, fmt);
	vsnprintf(path, sizeof path, fmt, ap);
	va_end(ap);
	if (f->cap < max + 1)
		f->buf = xrealloc(f->buf, f->cap = max + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && n < max) {
		ssize_t got = read(fd, f->buf + n, max - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
	f->buf[n] = 0;
	return f->buf;
}

int host_feed_open(const char *proc, const char *sysfs, struct host_feed **ret, struct err *err)
{
	struct host_feed *f = xcalloc(1, sizeof *f);

	(void)err;
	f->proc = xstrdup(text_or(proc, "/proc"));
	f->sys = xstrdup(text_or(sysfs, "/sys"));
	*ret = f;
	return 0;
}

void host_feed_close(struct host_feed *f)
{
	if (!f)
		return;
	vec_free(&f->link);
	vec_free(&f->disk);
	free(f->proc);
	free(f->sys);
	free(f->buf);
	free(f);
}

/* ---- which links and disks ---- */

static void keep_counter(counters *c, const char *name, bool rdma)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->v[i].name, name) && c->v[i].rdma == rdma) {
			c->v[i].there = true;
			return;
		}
	if (c->n < LINKS_MAX && strlen(name) < sizeof c->v->name) {
		struct counter *n = vec_push(c);
		*n = (struct counter){ .there = true, .rdma = rdma };
		strcpy(n->name, name);
	}
}

static void forget_gone(counters *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].there)
			c->v[n++] = c->v[i];
	c->n = n;
}

static DIR *open_folder(const char *fmt, const char *root, const char *name)
{
	char path[512];

	snprintf(path, sizeof path, fmt, root, name);
	return opendir(path);
}

/* A link with hardware behind it that is up; InfiniBand's own are counted at their ports. */
static bool real_link(struct host_feed *f, const char *name)
{
	char path[512];
	const char *state;

	snprintf(path, sizeof path, "%s/class/net/%s/device", f->sys, name);
	if (access(path, F_OK) < 0)
		return false;
	if (strtol(slurp_at(f, 32, "%s/class/net/%s/type", f->sys, name), NULL, 10) ==
	    ARPHRD_INFINIBAND)
		return false;
	state = slurp_at(f, 32, "%s/class/net/%s/operstate", f->sys, name);
	return !strncmp(state, "up", 2) || !strncmp(state, "unknown", 7);
}

static void look_ports(struct host_feed *f, const char *dev)
{
	DIR *d = open_folder("%s/class/infiniband/%s/ports", f->sys, dev);
	struct dirent *e;
	char name[600];

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.') {
			snprintf(name, sizeof name, "%s/ports/%s", dev, e->d_name);
			keep_counter(&f->link, name, true);
		}
	if (d)
		closedir(d);
}

static void look_for_links(struct host_feed *f)
{
	DIR *d;
	struct dirent *e;
	char path[512];

	for (size_t i = 0; i < f->link.n; i++)
		f->link.v[i].there = false;
	for (size_t i = 0; i < f->disk.n; i++)
		f->disk.v[i].there = false;
	if ((d = open_folder("%s/class/%s", f->sys, "net"))) {
		while ((e = readdir(d)))
			if (e->d_name[0] != '.' && real_link(f, e->d_name))
				keep_counter(&f->link, e->d_name, false);
		closedir(d);
	}
	if ((d = open_folder("%s/class/%s", f->sys, "infiniband"))) {
		while ((e = readdir(d)))
			if (e->d_name[0] != '.')
				look_ports(f, e->d_name);
		closedir(d);
	}
	if ((d = open_folder("%s/%s", f->sys, "block"))) {
		while ((e = readdir(d))) {
			/* loops, RAIDs and mappings have none: they lie on others */
			snprintf(path, sizeof path, "%s/block/%s/device", f->sys, e->d_name);
			if (e->d_name[0] != '.' && access(path, F_OK) == 0)
				keep_counter(&f->disk, e->d_name, false);
		}
		closedir(d);
	}
	forget_gone(&f->link);
	forget_gone(&f->disk);
	f->cpus = 0;
	const char *cpu = slurp_at(f, 262144, "%s/stat", f->proc);
	for (; (cpu = strstr(cpu, "\ncpu")); cpu += 4)
		f->cpus += within_int(cpu[4], '0', '9');
}

/* ---- rates ---- */

static void sum_rates(counters *c, double seconds, double *ret0, double *ret1)
{
	double sum[2] = { 0, 0 };
	bool any = false;

	for (size_t i = 0; i < c->n; i++) {
		struct counter *k = &c->v[i];
		for (int d = 0; d < 2 && k->there && k->known && seconds > 0; d++)
			/* else it was reset: nothing is known of this step */
			if (k->v[d] >= k->old[d]) {
				sum[d] += (double)(k->v[d] - k->old[d]) / seconds;
				any = true;
			}
		k->old[0] = k->v[0];
		k->old[1] = k->v[1];
		k->known = k->there;
	}
	*ret0 = any ? sum[0] : NAN;
	*ret1 = any ? sum[1] : NAN;
}

/* Cut the next line into `line` (sscanf() measures all that follows); false at the end. */
static bool next_line(const char **at, char *line, size_t n)
{
	size_t len = strcspn(*at, "\n");

	if (!**at)
		return false;
	snprintf(line, n, "%.*s", (int)(len < n ? len : n - 1), *at);
	*at += len + ((*at)[len] == '\n');
	return true;
}

static struct counter *counter_named(counters *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->v[i].rdma && !strcmp(c->v[i].name, name))
			return &c->v[i];
	return NULL;
}

static void read_links(struct host_feed *f)
{
	static const char *const name[2] = { "port_rcv_data", "port_xmit_data" };
	/* "  eth0: 1 2 3 ..." : bytes received are the first number, those sent the ninth */
	const char *at = slurp_at(f, 65536, "%s/net/dev", f->proc);
	char line[512];

	while (next_line(&at, line, sizeof line)) {
		char *colon = strrchr(line, ':');
		struct counter *k;
		if (!colon)
			continue;
		*colon = 0;
		if ((k = counter_named(&f->link, line + strspn(line, " "))))
			k->there = sscanf(colon + 1,
					  "%" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
					  &k->v[0], &k->v[1]) == 2;
	}
	/* ports of InfiniBand count in words of four bytes */
	for (size_t i = 0; i < f->link.n; i++)
		for (int d = 0; d < 2 && f->link.v[i].rdma; d++) {
			struct counter *k = &f->link.v[i];
			const char *text = slurp_at(f, 64, "%s/class/infiniband/%s/counters/%s",
						    f->sys, k->name, name[d]);
			k->there = within_int(*text, '0', '9') && (d == 0 || k->there);
			k->v[d] = strtoull(text, NULL, 10) * 4;
		}
}

#define N " %" SCNu64
static double cpu_util(struct host_feed *f)
{
	uint64_t v[8] = { 0 }, all = 0, idle;
	double r = NAN;
	const char *text = slurp_at(f, 512, "%s/stat", f->proc);

	if (sscanf(text, "cpu" N N N N N N N N, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6],
		   &v[7]) < 4)
		return NAN;
	for (int i = 0; i < 8; i++)
		all += v[i];
	idle = v[3] + v[4];
	if (f->known_cpu && all > f->cpu_all && idle >= f->cpu_idle)
		r = 100 * (1 - (double)(idle - f->cpu_idle) / (double)(all - f->cpu_all));
	f->known_cpu = true;
	f->cpu_all = all;
	f->cpu_idle = idle;
	return max_double(0, r);
}
#undef N

static double read_meminfo(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	unsigned long long kib;

	if (p && sscanf(p + strlen(key), ": %llu kB", &kib) == 1)
		return (double)kib * 1024;
	return NAN;
}

int host_feed_poll(struct host_feed *f, int64_t mono_ms, struct host_view *ret, struct err *err)
{
	double seconds = 0;
	const char *mem;

	if (f->polled)
		seconds = (double)(mono_ms - f->last_ms) / 1000;
	(void)err;
	if (!f->polled || mono_ms - f->look_ms >= LOOK_MS) {
		look_for_links(f);
		f->look_ms = mono_ms;
	}
	for (size_t i = 0; i < f->link.n; i++)
		f->link.v[i].there = false;
	for (size_t i = 0; i < f->disk.n; i++)
		f->disk.v[i].there = false;
	*ret = (struct host_view){ .cpus = f->cpus, .cpu_util_pct = cpu_util(f) };
	mem = slurp_at(f, 16384, "%s/meminfo", f->proc);
	ret->mem_total_bytes = read_meminfo(mem, "MemTotal");
	ret->mem_available_bytes = read_meminfo(mem, "MemAvailable");
	read_links(f);
	/* "8 0 sda reads merged sectors ms writes merged sectors ...", sectors of 512 bytes. */
	const char *at = slurp_at(f, 262144, "%s/diskstats", f->proc);
	char line[512], name[64];

	while (next_line(&at, line, sizeof line)) {
		uint64_t r, w;
		struct counter *k;
		if (sscanf(line, " %*u %*u %63s %*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64, name, &r,
			   &w) != 3 ||
		    !(k = counter_named(&f->disk, name)))
			continue;
		k->there = true;
		k->v[0] = r * 512;
		k->v[1] = w * 512;
	}
	sum_rates(&f->link, seconds, &ret->nic_rx_bytes_s, &ret->nic_tx_bytes_s);
	sum_rates(&f->disk, seconds, &ret->disk_read_bytes_s, &ret->disk_write_bytes_s);
	f->last_ms = mono_ms;
	f->polled = true;
	return 0;
}
