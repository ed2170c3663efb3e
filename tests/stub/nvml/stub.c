/*
 * A library with NVML's binary interface that plays GPUs which are not there. For tests: loaded
 * through TARE_NVML.
 *
 * What it plays stands in the text file named by TARE_STUB_NVML (without one: eight GPUs like an
 * A100, at work, four processes each).
 * One instruction a line, '#' begins a comment; an instruction without "at" holds from the start:
 *
 *   [at SECONDS] GPUs N                     as many GPUs, new ones as the default
 *   [at SECONDS] driver lost|back            every call then says that the driver is not loaded
 *   [at SECONDS] driver hang SECONDS         calls do not come back for so long
 *   [at SECONDS] version TEXT
 *   [at SECONDS] GPU N|* KEY=VALUE ...      set what the GPU reads; keys below
 *   [at SECONDS] GPU N|* lost|back          off the bus
 *   [at SECONDS] GPU N|* mig off|PROFILE@START[:GI] ...   new instances, as "1g.10gb@0"
 *   [at SECONDS] GPU N|* xid CODE           an event
 *   [at SECONDS] burn FUNCTION MS            the call takes so much processor time
 *   [at SECONDS] fail FUNCTION CODE [N]      the call answers with this code (0: works again), of
 *                                            GPU N only
 *
 * keys: name uuid arch mem_gib reserved_mib util amp period mem_gib_used power_limit idle_w temp
 *       ecc throttle sm_mhz mem_mhz procs pids=A,B,... (or self) pidfile=FILE proc_mib proc_sm
 *       type=C|G|M nvlink_mb_s pcie_mb_s pcie_counter=0|32|64 sm_active occupancy tensor dram
 *       gpm=0|1 inst_used_mib inst_util inst_procs record=FILE (native samples CSV; its row of
 *       gpu=N is played instead of the above) wide=1 (process records of 32 bytes, as some drivers
 *       wrote) name and uuid may be "quoted", with \e and \n
 *
 * Time is that of the monotonic clock since the library was loaded, or what stub_nvml_time() was
 * told. Utilisation swings as util + amp * sin(2 pi t / period + GPU). Everything else follows
 * from it.
 *
 * STUB_OLD builds a library like those of 2018: no struct versions, no MIG, no GPM, process records
 * of 16 bytes.
 */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define API   __attribute__((visibility("default")))
#define GPUS  64
#define INST  8
#define LINES 4096
#define PROCS 20000

typedef struct device device;
typedef struct inst {
	device *on;
	int gi, start;
	char profile[24], uuid[96];
	bool used;
} inst;
struct device {
	int index;
	bool lost, mig;
	char name[2048], uuid[2048], pidfile[512], record[512];
	double arch, mem_gib, reserved_mib, util, amp, period, used_gib, limit_w, idle_w, temp, ecc,
		throttle, sm_mhz, mem_mhz, procs, proc_mib, proc_sm, nvlink, pcie, sm_active,
		occupancy, tensor, dram, gpm, inst_used_mib, inst_util, inst_procs, wide,
		pcie_counter, pcie_b, pcie_t;
	unsigned pid[PROCS];
	int npid;
	char type;
	inst in[INST];
	double energy_j, energy_t, link_kib, link_t;
	/* util, memory used and total, power, temperature, SM clock, energy, SM activity; NAN = not
	 * recorded */
	struct rec {
		double t, v[8];
	} * rec;
	int nrec;
};
static device C[GPUS];
static int ngpus, inits, generation;
static bool driver_lost, told, loaded;
static double told_s, base_s = -1, hang_until;
static char version[80] = "550.54.15";
static char burnt[96];
static double burn_ms;
static struct line {
	double at;
	char *text;
	bool done;
} L[LINES];
static int nlines;
static struct fail {
	char fn[96];
	int code, gpu;
} F[256];
static int nfail;
static struct ev {
	int gpu;
	unsigned long long code;
} E[1024];
static int nev, ev_at;

API void stub_nvml_time(double seconds);
API int stub_nvml_calls(void);
static int calls;

int stub_nvml_calls(void)
{
	return calls;
}

static double now_s(void)
{
	struct timespec t;

	if (told)
		return told_s;
	clock_gettime(CLOCK_MONOTONIC, &t);
	double s = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
	if (base_s < 0)
		base_s = s;
	return s - base_s;
}

/* ---- what is played ---- */

static void gpu_default(int i)
{
	device *c = &C[i];

	free(c->rec);
	memset(c, 0, sizeof *c);
	c->index = i;
	snprintf(c->name, sizeof c->name, "NVIDIA A100-SXM4-80GB");
	snprintf(c->uuid, sizeof c->uuid, "GPU-%08x-aaaa-bbbb-cccc-%012x", 0x57ab0000 + i, i);
	c->arch = 7, c->mem_gib = 80, c->reserved_mib = 500, c->util = 70, c->amp = 20,
	c->period = 60, c->used_gib = 40, c->limit_w = 400, c->idle_w = 60;
	c->temp = 30, c->sm_mhz = 1410, c->mem_mhz = 1593, c->procs = 4, c->proc_mib = 10000,
	c->proc_sm = -1, c->nvlink = 20000, c->pcie = 4000;
	c->sm_active = c->occupancy = c->tensor = c->dram = -1;
	c->gpm = -1, c->inst_used_mib = 2000, c->inst_util = 55, c->inst_procs = 1, c->type = 'C';
}

static const struct key {
	const char *name;
	size_t at;
} keys[] = {
#define K(n, m)                        \
	{                              \
		n, offsetof(device, m) \
	}
	K("arch", arch),
	K("mem_gib", mem_gib),
	K("reserved_mib", reserved_mib),
	K("util", util),
	K("amp", amp),
	K("period", period),
	K("mem_gib_used", used_gib),
	K("power_limit", limit_w),
	K("idle_w", idle_w),
	K("temp", temp),
	K("ecc", ecc),
	K("throttle", throttle),
	K("sm_mhz", sm_mhz),
	K("mem_mhz", mem_mhz),
	K("procs", procs),
	K("proc_mib", proc_mib),
	K("proc_sm", proc_sm),
	K("nvlink_mb_s", nvlink),
	K("pcie_mb_s", pcie),
	K("sm_active", sm_active),
	K("occupancy", occupancy),
	K("tensor", tensor),
	K("dram", dram),
	K("gpm", gpm),
	K("inst_used_mib", inst_used_mib),
	K("inst_util", inst_util),
	K("inst_procs", inst_procs),
	K("wide", wide),
	K("pcie_counter", pcie_counter),
#undef K
};

static void unquote(char *to, size_t n, const char *from)
{
	size_t k = 0;

	for (; *from && k + 1 < n; from++) {
		if (*from == '"')
			continue;
		if (*from == '\\' && from[1])
			to[k++] = *++from == 'e' ? '\033' : *from == 'n' ? '\n' : *from;
		else
			to[k++] = *from;
	}
	to[k] = 0;
}

static void set_pids(device *c, char *list)
{
	c->npid = 0;
	for (char *p = strtok(list, ","); p && c->npid < PROCS; p = strtok(NULL, ","))
		c->pid[c->npid++] = !strcmp(p, "self") ? (unsigned)getpid()
						       : (unsigned)strtoul(p, NULL, 10);
}

/* Columns by name; a file of a few hours at most. */
static void load_record(device *c, const char *path)
{
	static const char *const want[] = { "gpu_util_pct", "mem_used_bytes", "mem_total_bytes",
					    "power_w",      "temp_celsius",   "sm_clock_mhz",
					    "energy_j",     "sm_active_frac" };
	FILE *f = fopen(path, "r");
	char line[4096], *save;
	int col[8], at_time = -1, at_gpu = -1, at_step = -1, n = 0;
	double first = NAN;

	(void)at_step;
	free(c->rec);
	c->rec = NULL, c->nrec = 0;
	for (int i = 0; i < 8; i++)
		col[i] = -1;
	if (!f || !fgets(line, sizeof line, f)) {
		if (f)
			fclose(f);
		return;
	}
	for (char *p = strtok_r(line, ",\r\n", &save); p; p = strtok_r(NULL, ",\r\n", &save), n++) {
		for (int i = 0; i < 8; i++)
			if (!strcmp(p, want[i]))
				col[i] = n;
		at_time = !strcmp(p, "time") ? n : at_time;
		at_gpu = !strcmp(p, "gpu") ? n : at_gpu;
	}
	while (at_time >= 0 && fgets(line, sizeof line, f) && c->nrec < 1000000) {
		struct rec r;
		int k = 0, gpu = -1;
		struct tm tm = { 0 };
		char *rest = line, *p;
		for (int i = 0; i < 8; i++)
			r.v[i] = NAN;
		r.t = NAN;
		while ((p = strsep(&rest, ",\r\n"))) {
			if (k == at_time) {
				int y, mo, d, h, mi;
				double s;
				if (sscanf(p, "%d-%d-%dT%d:%d:%lf", &y, &mo, &d, &h, &mi, &s) ==
				    6) {
					tm.tm_year = y - 1900, tm.tm_mon = mo - 1, tm.tm_mday = d,
					tm.tm_hour = h, tm.tm_min = mi;
					r.t = (double)timegm(&tm) + s;
				} else {
					r.t = strtod(p, NULL);
				}
			}
			if (k == at_gpu)
				gpu = isdigit((unsigned char)*p) ? atoi(p) : 0;
			for (int i = 0; i < 8; i++)
				if (k == col[i] && *p)
					r.v[i] = strtod(p, NULL);
			k++;
		}
		if (gpu != c->index || isnan(r.t))
			continue;
		if (isnan(first))
			first = r.t;
		r.t -= first;
		if (!(c->nrec & (c->nrec - 1)))
			c->rec = realloc(c->rec,
					 (size_t)(c->nrec ? c->nrec * 2 : 1) * sizeof *c->rec);
		c->rec[c->nrec++] = r;
	}
	fclose(f);
}

static void set_key(device *c, char *word)
{
	char *eq = strchr(word, '='), buf[2048];
	bool known = false;

	if (!eq) {
		fprintf(stderr, "stub of NVML: '%s' is not a word of a GPU\n", word);
		return;
	}
	*eq++ = 0;
	unquote(buf, sizeof buf, eq);
	if (!strcmp(word, "name"))
		snprintf(c->name, sizeof c->name, "%s", buf);
	else if (!strcmp(word, "uuid"))
		snprintf(c->uuid, sizeof c->uuid, "%s", buf);
	else if (!strcmp(word, "pids"))
		set_pids(c, buf);
	else if (!strcmp(word, "pidfile"))
		snprintf(c->pidfile, sizeof c->pidfile, "%.500s", buf);
	else if (!strcmp(word, "type"))
		c->type = buf[0];
	else if (!strcmp(word, "record"))
		load_record(c, buf);
	else
		for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
			if (!strcmp(word, keys[i].name)) {
				memcpy((char *)c + keys[i].at, &(double){ strtod(buf, NULL) },
				       sizeof(double));
				known = true;
			}
	if (!known && strcmp(word, "name") && strcmp(word, "uuid") && strcmp(word, "pids") &&
	    strcmp(word, "pidfile") && strcmp(word, "type") && strcmp(word, "record"))
		fprintf(stderr, "stub of NVML: a GPU has no '%s'\n", word);
	eq[-1] = '=';
}

/* The next word, quotes kept together; NULL at the end. */
static char *word(char **at)
{
	char *p = *at, *from;
	bool quoted = false;

	while (isspace((unsigned char)*p))
		p++;
	if (!*p || *p == '#')
		return NULL;
	for (from = p; *p && (quoted || !isspace((unsigned char)*p)); p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '"')
			quoted = !quoted;
	}
	if (*p)
		*p++ = 0;
	*at = p;
	return from;
}

static void set_mig(device *c, char *at)
{
	char *w;
	int n = 0;

	memset(c->in, 0, sizeof c->in);
	c->mig = false;
	while ((w = word(&at)) && n < INST) {
		char *start = strchr(w, '@'), *gi = start ? strchr(start, ':') : NULL;
		if (!strcmp(w, "off"))
			return;
		c->mig = true;
		if (!start)
			continue; /* "on": MIG mode without an instance */
		*start++ = 0;
		c->in[n] = (inst){
			.on = c, .gi = gi ? atoi(gi + 1) : n + 7, .start = atoi(start), .used = true
		};
		snprintf(c->in[n].profile, sizeof c->in[n].profile, "%.20s", w);
		snprintf(c->in[n].uuid, sizeof c->in[n].uuid, "MIG-%08x-%04x-%04x-0000-%012x",
			 0x57ab0000 + c->index, generation & 0xffff, n, atoi(start));
		n++;
	}
	generation++;
}

static void do_gpu(device *c, char *rest)
{
	char *copy = strdup(rest), *at = copy;

	for (char *w = word(&at); w; w = word(&at))
		if (!strcmp(w, "lost"))
			c->lost = true;
		else if (!strcmp(w, "back"))
			c->lost = false;
		else if (!strcmp(w, "mig")) {
			set_mig(c, at);
			break;
		} else if (!strcmp(w, "xid")) {
			char *code = word(&at);
			if (code && nev < (int)(sizeof E / sizeof E[0]))
				E[nev++] = (struct ev){ c->index, strtoull(code, NULL, 10) };
		} else
			set_key(c, w);
	free(copy);
}

static void add_fail(const char *fn, int code, int on)
{
	for (int i = 0; i < nfail; i++)
		if (!strcmp(F[i].fn, fn) && F[i].gpu == on) {
			F[i].code = code;
			return;
		}
	if (nfail < (int)(sizeof F / sizeof F[0])) {
		snprintf(F[nfail].fn, sizeof F[nfail].fn, "%.90s", fn);
		F[nfail].code = code;
		F[nfail++].gpu = on;
	}
}

static void run_line(char *text)
{
	char *at = text, *w = word(&at);

	if (!w)
		return;
	if ((!strcmp(w, "GPUs") || !strcmp(w, "cards")) && (w = word(&at))) {
		int n = atoi(w);
		for (int i = ngpus; i < n && i < GPUS; i++)
			gpu_default(i);
		ngpus = n < GPUS ? n : GPUS;
	} else if (!strcmp(w, "driver") && (w = word(&at))) {
		const char *span = !strcmp(w, "hang") ? word(&at) : NULL;
		hang_until = span ? now_s() + atof(span) : 0;
		driver_lost = !strcmp(w, "lost");
		inits = driver_lost ? 0 : inits;
	} else if (!strcmp(w, "version") && (w = word(&at))) {
		snprintf(version, sizeof version, "%.70s", w);
	} else if (!strcmp(w, "burn")) {
		char *fn = word(&at), *ms = fn ? word(&at) : NULL;
		snprintf(burnt, sizeof burnt, "%.90s", fn ? fn : "");
		burn_ms = ms ? atof(ms) : 0;
	} else if (!strcmp(w, "fail")) {
		char *fn = word(&at), *code = word(&at), *on = code ? word(&at) : NULL;
		if (fn && code)
			add_fail(fn, atoi(code), on ? atoi(on) : -1);
	} else if ((!strcmp(w, "GPU") || !strcmp(w, "card")) && (w = word(&at))) {
		for (int i = 0; i < ngpus; i++)
			if (!strcmp(w, "*") || atoi(w) == i)
				do_gpu(&C[i], at);
	} else {
		fprintf(stderr, "stub of NVML: '%s' is not an instruction\n", w ? w : "");
	}
}

static void load(void)
{
	const char *path = getenv("TARE_STUB_NVML");
	char *line = NULL;
	size_t cap = 0;
	FILE *f;

	if (loaded)
		return;
	loaded = true;
	ngpus = 8;
	for (int i = 0; i < ngpus; i++)
		gpu_default(i);
	if (!path || !*path || !(f = fopen(path, "r")))
		return;
	while (nlines < LINES && getline(&line, &cap, f) > 0) {
		double at = 0;
		int used = 0;
		if (sscanf(line, " at %lf %n", &at, &used) < 1)
			at = 0, used = 0;
		L[nlines++] = (struct line){ at, strdup(line + used), false };
	}
	free(line);
	fclose(f);
}

static void advance(void)
{
	double t;

	load();
	t = now_s();
	for (int i = 0; i < nlines; i++)
		if (!L[i].done && L[i].at <= t) {
			L[i].done = true;
			run_line(L[i].text);
		}
}

/* For tests: the clock stands at this moment until told again. A moment before the last one starts
 * everything again. */
void stub_nvml_time(double seconds)
{
	told = true;
	if (seconds < told_s) {
		for (int i = 0; i < nlines; i++)
			free(L[i].text);
		nlines = nfail = nev = ev_at = generation = 0;
		driver_lost = loaded = false;
		hang_until = 0;
		burnt[0] = 0;
		snprintf(version, sizeof version, "550.54.15");
	}
	told_s = seconds;
}

/* ---- readings ---- */

static const struct rec *rec_now(const device *c)
{
	double t = now_s();
	int lo = 0, hi = c->nrec - 1;

	if (!c->nrec || t > c->rec[hi].t + 60)
		return NULL;
	while (lo < hi) {
		int mid = (lo + hi + 1) / 2;
		if (c->rec[mid].t <= t)
			lo = mid;
		else
			hi = mid - 1;
	}
	return &c->rec[lo];
}

static double clamp(double v, double lo, double hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

static double util(const device *c)
{
	return clamp(c->util + c->amp * sin(6.283185307179586 * now_s() / c->period + c->index), 0,
		     100);
}

static double power(const device *c)
{
	return c->idle_w + (c->limit_w * 0.85 - c->idle_w) * util(c) / 100;
}

static void hang(void)
{
	while (now_s() < hang_until)
		usleep(5000);
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

static void burn(void)
{
	double until = cpu_ms() + burn_ms;

	while (cpu_ms() < until)
		;
}

/* ---- the interface ---- */

enum {
	OK = 0,
	UNINIT = 1,
	BAD = 2,
	NOSUP = 3,
	NOTFOUND = 6,
	SHORT = 7,
	NODRIVER = 9,
	TIMEOUT = 10,
	LOST = 15,
	VERSION = 25
};
typedef unsigned long long ull;

static bool is_inst(const void *h)
{
	for (int i = 0; i < GPUS; i++)
		if ((const char *)h >= (const char *)C[i].in &&
		    (const char *)h < (const char *)(C[i].in + INST))
			return true;
	return false;
}

static device *device_of(void *h)
{
	return is_inst(h) ? ((inst *)h)->on : (device *)h;
}

static int guard(const char *fn, void *h)
{
	device *c = NULL;

	calls++;
	advance();
	hang();
	if (!strcmp(fn, burnt))
		burn();
	if (driver_lost)
		return NODRIVER;
	if (!inits)
		return UNINIT;
	if (h) {
		if (is_inst(h) && !((inst *)h)->used)
			return BAD;
		c = device_of(h);
		if (c->index < 0 || c->index >= ngpus || c != &C[c->index])
			return BAD;
		if (c->lost)
			return LOST;
	}
	for (int i = 0; i < nfail; i++)
		if (!strcmp(F[i].fn, fn) && (F[i].gpu < 0 || (c && F[i].gpu == c->index)) &&
		    F[i].code)
			return F[i].code;
	return OK;
}

#define FN(name, ...)              \
	API int name(__VA_ARGS__); \
	API int name(__VA_ARGS__)
#define GUARD(h)                              \
	do {                                  \
		int rc_ = guard(__func__, h); \
		if (rc_)                      \
			return rc_;           \
	} while (0)
#define GPU_ONLY(h)                   \
	do {                          \
		GUARD(h);             \
		if (is_inst(h))       \
			return NOSUP; \
	} while (0)

static int give(char *to, unsigned n, const char *text)
{
	if (strlen(text) + 1 > n) {
		/* as much as fits, without an end: what a careless driver might do */
		memcpy(to, text, n);
		return OK;
	}
	strcpy(to, text);
	return OK;
}

static int start(void)
{
	calls++;
	advance();
	hang();
	if (driver_lost)
		return NODRIVER;
	for (int i = 0; i < nfail; i++)
		if (!strcmp(F[i].fn, "nvmlInit_v2") && F[i].code)
			return F[i].code;
	inits++;
	return OK;
}

FN(nvmlInit, void)
{
	return start();
}

FN(nvmlShutdown, void)
{
	if (!inits)
		return UNINIT;
	inits--;
	ev_at = ev_at < nev ? ev_at : nev;
	return OK;
}

FN(nvmlSystemGetDriverVersion, char *to, unsigned n)
{
	GUARD(NULL);
	return give(to, n, version);
}

FN(nvmlDeviceGetCount, unsigned *n)
{
	GUARD(NULL);
	*n = (unsigned)ngpus;
	return OK;
}

FN(nvmlDeviceGetHandleByIndex, unsigned i, void **h)
{
	GUARD(NULL);
	if (i >= (unsigned)ngpus)
		return BAD;
	GUARD(&C[i]);
	*h = &C[i];
	return OK;
}

FN(nvmlDeviceGetName, void *h, char *to, unsigned n)
{
	char buf[2100];

	GUARD(h);
	if (!is_inst(h))
		return give(to, n, device_of(h)->name);
	snprintf(buf, sizeof buf, "%s MIG %s", device_of(h)->name, ((inst *)h)->profile);
	return give(to, n, buf);
}

FN(nvmlDeviceGetUUID, void *h, char *to, unsigned n)
{
	GUARD(h);
	return give(to, n, is_inst(h) ? ((inst *)h)->uuid : device_of(h)->uuid);
}

FN(nvmlDeviceGetMinorNumber, void *h, unsigned *v)
{
	GPU_ONLY(h);
	*v = (unsigned)device_of(h)->index;
	return OK;
}

struct pci {
	char legacy[16];
	unsigned domain, bus, device, id, sub;
	char bus_id[32];
};
static int pci(void *h, struct pci *p)
{
	device *c = device_of(h);

	memset(p, 0, sizeof *p);
	p->bus = 0x10 + (unsigned)c->index;
	snprintf(p->legacy, sizeof p->legacy, "0000:%02X:00.0", p->bus & 0xff);
	snprintf(p->bus_id, sizeof p->bus_id, "00000000:%02X:00.0", p->bus & 0xff);
	return OK;
}

FN(nvmlDeviceGetPciInfo_v2, void *h, struct pci *p)
{
	GUARD(h);
	return pci(h, p);
}

FN(nvmlDeviceGetUtilizationRates, void *h, unsigned *v)
{
	device *c = device_of(h);
	const struct rec *r;

	GPU_ONLY(h);
	if (c->mig)
		return NOSUP;
	r = rec_now(c);
	if (c->nrec && (!r || isnan(r->v[0])))
		return NOSUP;
	v[0] = (unsigned)lround(r ? r->v[0] : util(c));
	v[1] = v[0] / 2;
	return OK;
}

static void memory(void *h, ull *total, ull *used, ull *reserved)
{
	device *c = device_of(h);
	const struct rec *r = rec_now(c);

	*total = (ull)(c->mem_gib * 1073741824.0);
	*reserved = (ull)(c->reserved_mib * 1048576.0);
	*used = (ull)(c->used_gib * 1073741824.0);
	if (is_inst(h)) {
		double gb = 0;
		const char *dot = strchr(((inst *)h)->profile, '.');
		if (dot)
			gb = strtod(dot + 1, NULL);
		*total = (ull)(gb * 1073741824.0), *reserved = 0,
		*used = (ull)(c->inst_used_mib * 1048576.0);
	} else if (r) {
		*used = isnan(r->v[1]) ? ~0ull : (ull)r->v[1];
		*total = isnan(r->v[2]) ? *total : (ull)r->v[2];
	}
}

FN(nvmlDeviceGetMemoryInfo, void *h, ull *v)
{
	ull total, used, reserved;

	GUARD(h);
	memory(h, &total, &used, &reserved);
	v[0] = total, v[2] = used == ~0ull ? used : used + reserved, v[1] = total - v[2];
	return OK;
}

FN(nvmlDeviceGetPowerUsage, void *h, unsigned *v)
{
	device *c = device_of(h);
	const struct rec *r;

	GPU_ONLY(h);
	r = rec_now(c);
	if (c->nrec && (!r || isnan(r->v[3])))
		return NOSUP;
	*v = (unsigned)lround(1000 * (r ? r->v[3] : power(c)));
	return OK;
}

FN(nvmlDeviceGetEnforcedPowerLimit, void *h, unsigned *v)
{
	GPU_ONLY(h);
	*v = (unsigned)(1000 * device_of(h)->limit_w);
	return OK;
}

FN(nvmlDeviceGetTotalEnergyConsumption, void *h, ull *v)
{
	device *c = device_of(h);
	double t = now_s();
	const struct rec *r;

	GPU_ONLY(h);
	r = rec_now(c);
	if (c->nrec && (!r || isnan(r->v[6])))
		return NOSUP;
	if (t > c->energy_t)
		c->energy_j += power(c) * (t - c->energy_t);
	c->energy_t = t;
	*v = (ull)(1000 * (r ? r->v[6] : c->energy_j));
	return OK;
}

FN(nvmlDeviceGetTemperature, void *h, unsigned sensor, unsigned *v)
{
	device *c = device_of(h);
	const struct rec *r;

	GPU_ONLY(h);
	if (sensor)
		return BAD;
	r = rec_now(c);
	if (c->nrec && (!r || isnan(r->v[4])))
		return NOSUP;
	*v = (unsigned)lround(r ? r->v[4] : c->temp + 0.4 * util(c));
	return OK;
}

FN(nvmlDeviceGetTemperatureThreshold, void *h, unsigned which, unsigned *v)
{
	GPU_ONLY(h);
	*v = which == 1 ? 87 : 92;
	return OK;
}

FN(nvmlDeviceGetClockInfo, void *h, unsigned which, unsigned *v)
{
	device *c = device_of(h);
	const struct rec *r;

	GPU_ONLY(h);
	r = rec_now(c);
	if (c->nrec && (!r || isnan(r->v[5]) || which == 2))
		return NOSUP;
	*v = (unsigned)lround(r ? r->v[5] : which == 2 ? c->mem_mhz : c->sm_mhz);
	return OK;
}

FN(nvmlDeviceGetCurrentClocksThrottleReasons, void *h, ull *v)
{
	GPU_ONLY(h);
	*v = device_of(h)->throttle > 0 ? (ull)device_of(h)->throttle
	     : util(device_of(h)) < 1   ? 1
					: 0;
	return OK;
}

FN(nvmlDeviceGetPcieThroughput, void *h, unsigned which, unsigned *v)
{
	GPU_ONLY(h);
	if (device_of(h)->pcie < 0)
		return NOSUP;
	*v = (unsigned)(device_of(h)->pcie * 1000 / (which ? 1 : 2));
	return OK;
}

FN(nvmlDeviceGetTotalEccErrors, void *h, unsigned type, unsigned counter, ull *v)
{
	GPU_ONLY(h);
	if (device_of(h)->ecc < 0)
		return NOSUP;
	*v = (ull)device_of(h)->ecc;
	return OK;
}

struct field {
	unsigned field, scope;
	long long time, latency;
	unsigned type;
	int ret;
	ull value;
};
FN(nvmlDeviceGetFieldValues, void *h, int n, struct field *f)
{
	device *c = device_of(h);
	double t = now_s();

	GPU_ONLY(h);
	if (c->nvlink > 0 && t > c->link_t)
		c->link_kib += c->nvlink * 1e6 / 1024 * (t - c->link_t);
	c->link_t = t;
	if (c->pcie > 0 && t > c->pcie_t)
		c->pcie_b += c->pcie * 1e6 * (t - c->pcie_t);
	c->pcie_t = t;
	for (int i = 0; i < n; i++) {
		f[i].type = 3;
		if (f[i].field == 197 || f[i].field == 198) { /* TX is half of RX */
			ull v = (ull)(c->pcie_b * (f[i].field == 197 ? 0.5 : 1));
			f[i].ret = c->pcie_counter > 0 ? OK : NOSUP;
			f[i].type = c->pcie_counter == 32 ? 1 : 3;
			f[i].value = c->pcie_counter == 32 ? v & 0xffffffff : v;
			continue;
		}
		f[i].ret = (f[i].field == 138 || f[i].field == 139) && c->nvlink >= 0 ? OK : NOSUP;
		f[i].value = (ull)(c->link_kib * (f[i].field == 138 ? 1 : 0.5));
	}
	return OK;
}

/* ---- processes ---- */

static int pids_of(void *h, unsigned *ret)
{
	device *c = device_of(h);
	int n = 0;

	if (is_inst(h)) {
		for (; n < (int)c->inst_procs && n < PROCS; n++)
			ret[n] = 4100000 + (unsigned)(c->index * 100 + ((inst *)h)->start * 10 + n);
		return n;
	}
	if (c->pidfile[0]) {
		FILE *f = fopen(c->pidfile, "r");
		while (f && n < PROCS && fscanf(f, "%u", &ret[n]) == 1)
			n++;
		if (f)
			fclose(f);
		return n;
	}
	for (; n < c->npid; n++)
		ret[n] = c->pid[n];
	/* above what most systems give out, so nobody's */
	for (; !c->npid && n < (int)c->procs && n < PROCS; n++)
		ret[n] = 4000000 + (unsigned)(c->index * 10 + n);
	return n;
}

/* size: bytes a record */
static int list(void *h, char type, unsigned *n, char *to, size_t size)
{
	static unsigned pid[PROCS];
	device *c = device_of(h);
	unsigned have = *n, count = (unsigned)pids_of(h, pid);

	if (type != (is_inst(h) ? 'C' : c->type))
		count = 0;
	*n = count;
	if (count > have)
		return SHORT;
	for (unsigned i = 0; i < count; i++, to += size) {
		struct {
			unsigned pid;
			ull used;
			unsigned gi, ci;
			ull cc;
		} r = { pid[i], c->proc_mib < 0 ? ~0ull : (ull)(c->proc_mib * 1048576), ~0u, ~0u,
			0 };
		if (is_inst(h))
			r.used = c->proc_mib < 0 ? ~0ull : (ull)(c->inst_used_mib * 1048576),
			r.gi = (unsigned)((inst *)h)->gi, r.ci = 0;
		memcpy(to, &r, size);
	}
	return OK;
}

FN(nvmlDeviceGetComputeRunningProcesses, void *h, unsigned *n, void *to)
{
	GUARD(h);
	return list(h, 'C', n, to, 16);
}

FN(nvmlDeviceGetGraphicsRunningProcesses, void *h, unsigned *n, void *to)
{
	GUARD(h);
	return list(h, 'G', n, to, 16);
}

struct proc_util {
	unsigned pid;
	ull time;
	unsigned sm, mem, enc, dec;
};
FN(nvmlDeviceGetProcessUtilization, void *h, struct proc_util *to, unsigned *n, ull seen)
{
	static unsigned pid[PROCS];
	device *c = device_of(h);
	unsigned count, have = *n;
	/* a sample each quarter of a second */
	ull now = 1000000ull + (ull)(now_s() * 1e6) / 250000 * 250000;

	GPU_ONLY(h);
	if (c->mig)
		return NOSUP;
	count = (unsigned)pids_of(h, pid);
	if (now <= seen || !count)
		return NOTFOUND;
	*n = count;
	if (!to || have < count)
		return SHORT;
	for (unsigned i = 0; i < count; i++)
		to[i] = (struct proc_util){
			pid[i],
			now,
			c->proc_sm >= 0 ? (unsigned)c->proc_sm : (unsigned)(util(c) / count),
			1,
			0,
			0
		};
	return OK;
}

/* ---- events ---- */

static int event_set;
static ull registered[GPUS];

FN(nvmlEventSetCreate, void **s)
{
	GUARD(NULL);
	*s = &event_set;
	memset(registered, 0, sizeof registered);
	return OK;
}

FN(nvmlEventSetFree, void *s)
{
	return s == &event_set ? OK : BAD;
}

FN(nvmlDeviceGetSupportedEventTypes, void *h, ull *v)
{
	GPU_ONLY(h);
	*v = 8 | 2 | 1;
	return OK;
}

FN(nvmlDeviceRegisterEvents, void *h, ull types, void *s)
{
	GPU_ONLY(h);
	if (s != &event_set)
		return BAD;
	registered[device_of(h)->index] = types;
	return OK;
}

struct event1 {
	void *device;
	ull type, data;
};
static int wait_event(void *s, struct event1 *e)
{
	while (s == &event_set && ev_at < nev) {
		struct ev *v = &E[ev_at++];
		if (!(registered[v->gpu] & 8))
			continue;
		*e = (struct event1){ &C[v->gpu], 8, v->code };
		return OK;
	}
	return s == &event_set ? TIMEOUT : BAD;
}

FN(nvmlEventSetWait, void *s, struct event1 *e, unsigned ms)
{
	GUARD(NULL);
	return wait_event(s, e);
}

#ifndef STUB_OLD
/* ---- what came later ---- */

FN(nvmlInit_v2, void)
{
	return start();
}

FN(nvmlDeviceGetCount_v2, unsigned *n)
{
	GUARD(NULL);
	return nvmlDeviceGetCount(n);
}

FN(nvmlDeviceGetHandleByIndex_v2, unsigned i, void **h)
{
	GUARD(i < (unsigned)ngpus ? &C[i] : NULL);
	return nvmlDeviceGetHandleByIndex(i, h);
}

FN(nvmlDeviceGetPciInfo_v3, void *h, struct pci *p)
{
	GUARD(h);
	return pci(h, p);
}

struct mem2 {
	unsigned version;
	ull total, reserved, free, used;
};
FN(nvmlDeviceGetMemoryInfo_v2, void *h, struct mem2 *m)
{
	GUARD(h);
	if (m->version != (sizeof *m | 2u << 24))
		return VERSION;
	memory(h, &m->total, &m->used, &m->reserved);
	m->free = m->total - m->used - m->reserved;
	return OK;
}

FN(nvmlDeviceGetCurrentClocksEventReasons, void *h, ull *v)
{
	GPU_ONLY(h);
	return nvmlDeviceGetCurrentClocksThrottleReasons(h, v);
}

static size_t record_bytes(void *h)
{
	return device_of(h)->wide > 0 ? 32 : 24;
}

FN(nvmlDeviceGetComputeRunningProcesses_v3, void *h, unsigned *n, void *to)
{
	GUARD(h);
	return list(h, 'C', n, to, record_bytes(h));
}

FN(nvmlDeviceGetGraphicsRunningProcesses_v3, void *h, unsigned *n, void *to)
{
	GUARD(h);
	return list(h, 'G', n, to, record_bytes(h));
}

FN(nvmlDeviceGetMPSComputeRunningProcesses_v3, void *h, unsigned *n, void *to)
{
	GUARD(h);
	return list(h, 'M', n, to, record_bytes(h));
}

struct event2 {
	void *device;
	ull type, data;
	unsigned gi, ci;
};
FN(nvmlEventSetWait_v2, void *s, struct event2 *e, unsigned ms)
{
	struct event1 e1;
	int rc;

	GUARD(NULL);
	rc = wait_event(s, &e1);
	if (rc == OK)
		*e = (struct event2){ e1.device, e1.type, e1.data, ~0u, ~0u };
	return rc;
}

FN(nvmlDeviceGetMigMode, void *h, unsigned *now, unsigned *pending)
{
	GPU_ONLY(h);
	if (device_of(h)->arch < 7)
		return NOSUP;
	*now = *pending = device_of(h)->mig;
	return OK;
}

FN(nvmlDeviceGetMaxMigDeviceCount, void *h, unsigned *n)
{
	GPU_ONLY(h);
	*n = device_of(h)->mig ? INST : 0;
	return OK;
}

FN(nvmlDeviceGetMigDeviceHandleByIndex, void *h, unsigned i, void **ret)
{
	GPU_ONLY(h);
	if (i >= INST)
		return BAD;
	if (!device_of(h)->in[i].used)
		return NOTFOUND;
	*ret = &device_of(h)->in[i];
	return OK;
}

FN(nvmlDeviceGetGpuInstanceId, void *h, unsigned *v)
{
	GUARD(h);
	if (!is_inst(h))
		return NOSUP;
	*v = (unsigned)((inst *)h)->gi;
	return OK;
}

FN(nvmlDeviceGetComputeInstanceId, void *h, unsigned *v)
{
	GUARD(h);
	if (!is_inst(h))
		return NOSUP;
	*v = 0;
	return OK;
}

struct attr {
	unsigned sm, copy, dec, enc, jpeg, ofa, gi, ci;
	ull mem_mib;
};
FN(nvmlDeviceGetAttributes_v2, void *h, struct attr *a)
{
	ull total, used, reserved;

	GUARD(h);
	if (!is_inst(h))
		return NOSUP;
	memory(h, &total, &used, &reserved);
	*a = (struct attr){ .sm = 14,
			    .gi = (unsigned)atoi(((inst *)h)->profile),
			    .ci = (unsigned)atoi(((inst *)h)->profile),
			    .mem_mib = total >> 20 };
	return OK;
}

FN(nvmlDeviceGetGpuInstanceById, void *h, unsigned id, void **ret)
{
	GPU_ONLY(h);
	for (int i = 0; i < INST; i++)
		if (device_of(h)->in[i].used && device_of(h)->in[i].gi == (int)id) {
			*ret = &device_of(h)->in[i];
			return OK;
		}
	return NOTFOUND;
}

struct gi_info {
	void *device;
	unsigned id, profile, start, size;
};
FN(nvmlGpuInstanceGetInfo, void *h, struct gi_info *g)
{
	inst *in = h;

	GUARD(h);
	*g = (struct gi_info){ in->on, (unsigned)in->gi, 19, (unsigned)in->start, 1 };
	return OK;
}

/* ---- GPM: a sample is a moment of a GPU or instance ---- */

struct gpm {
	double t;
	device *c;
	inst *in;
};
struct gpm_metric {
	unsigned id;
	int ret;
	double value;
	const char *short_name, *long_name, *unit;
};
struct gpm_get {
	unsigned version, n;
	struct gpm *a, *b;
	struct gpm_metric m[];
};

static double frac(double set, double otherwise)
{
	return set >= 0 ? set : otherwise;
}

static bool has_gpm(const device *c)
{
	return c->gpm >= 0 ? c->gpm > 0 : c->arch >= 9;
}

FN(nvmlGpmQueryDeviceSupport, void *h, unsigned *v)
{
	GUARD(h);
	if (v[0] != 1)
		return VERSION;
	v[1] = has_gpm(device_of(h));
	return OK;
}

FN(nvmlGpmSampleAlloc, struct gpm **s)
{
	GUARD(NULL);
	*s = calloc(1, sizeof **s);
	return OK;
}

FN(nvmlGpmSampleFree, struct gpm *s)
{
	free(s);
	return OK;
}

FN(nvmlGpmSampleGet, void *h, struct gpm *s)
{
	GUARD(h);
	if (!has_gpm(device_of(h)))
		return NOSUP;
	*s = (struct gpm){ now_s(), device_of(h), is_inst(h) ? h : NULL };
	return OK;
}

FN(nvmlGpmMigSampleGet, void *h, unsigned gi, struct gpm *s)
{
	void *in = NULL;

	GPU_ONLY(h);
	if (!has_gpm(device_of(h)))
		return NOSUP;
	if (nvmlDeviceGetGpuInstanceById(h, gi, &in) != OK)
		return BAD;
	*s = (struct gpm){ now_s(), device_of(h), in };
	return OK;
}

FN(nvmlGpmMetricsGet, struct gpm_get *q)
{
	device *c = q->b->c;
	double u;

	GUARD(NULL);
	if (q->version != 1)
		return VERSION;
	if (!c || q->a->c != c || q->a->in != q->b->in || q->b->t - q->a->t < 0.0949)
		return BAD;
	u = q->b->in ? c->inst_util : util(c);
	for (unsigned i = 0; i < q->n; i++) {
		struct gpm_metric *m = &q->m[i];
		m->ret = OK;
		m->unit = m->id < 20 ? "%" : "MiB/s";
		switch (m->id) {
		case 1: m->value = u; break;
		case 2: m->value = 100 * frac(c->sm_active, u * 0.008); break;
		case 3: m->value = 100 * frac(c->occupancy, u * 0.004); break;
		case 5: m->value = 100 * frac(c->tensor, u * 0.003); break;
		case 10: m->value = 100 * frac(c->dram, u * 0.005); break;
		case 20: m->value = c->pcie / 2 * 1e6 / 1048576; break;
		case 21: m->value = c->pcie * 1e6 / 1048576; break;
		case 60: m->value = q->b->in ? 0 : c->nvlink / 2; break;
		case 61: m->value = q->b->in ? 0 : c->nvlink; break;
		default: m->ret = NOSUP;
		}
	}
	return OK;
}
#endif
