/* What feed/whose says of this machine: whose-dump SCONTROL NODE [PID...] prints one JSON object.
 * For tests/peers/t-slurm.py. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/jw.h"
#include "base/tm.h"
#include "device/procinfo.h"
#include "device/whose.h"

static void allocation(struct jw *w, const struct allocation *a)
{
	const struct {
		const char *key;
		struct sv v;
	} t[] = {
		{ "job_id", a->job_id },   { "user", a->user }, { "account", a->account },
		{ "queue", a->queue },     { "name", a->name }, { "team", a->team },
		{ "project", a->project }, { "env", a->env },   { "workload", a->workload },
		{ "tags", a->tags },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		jw_key(w, t[i].key);
		jw_sv(w, t[i].v);
	}
	jw_key(w, "start_ms");
	jw_int(w, a->start_ms);
	jw_key(w, "gpus_milli");
	jw_int(w, a->gpus_milli);
}

static void holds(struct jw *w, struct whose *who)
{
	const struct whose_hold *h;
	struct err err;
	size_t n;

	if (whose_holds(who, tm_now_ms(), &h, &n, &err) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		jw_obj(w);
		jw_key(w, "index");
		jw_int(w, h[i].index);
		jw_key(w, "minor");
		jw_int(w, h[i].minor);
		jw_key(w, "share_kind");
		jw_str(w, share_kind_name(h[i].share_kind));
		jw_key(w, "share_ppb");
		jw_int(w, h[i].share_ppb);
		allocation(w, h[i].held);
		jw_end_obj(w);
	}
}

static void process(struct jw *w, struct whose *who, const char *arg)
{
	static struct procinfo p;
	int pid = atoi(arg);
	const struct allocation *a = procinfo_read("/proc", pid, 0, &p) == 0
					     ? whose_process(who, pid, p.start_ticks, tm_now_ms())
					     : NULL;

	jw_key(w, arg);
	if (!a) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	allocation(w, a);
	jw_end_obj(w);
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	struct whose_source src[8];
	struct whose *who;
	struct str out = { 0 };
	struct err err;
	struct jw w;

	if (argc < 3)
		return 2;
	struct whose_opt o = { .scontrol = argv[1],
			       .node = argv[2],
			       .kubelet = "",
			       .pod_resources = "",
			       .docker = "",
			       .wait = true };
	if (whose_open(&o, &who, &err) < 0)
		return 2;
	jw_init(&w, &out, 0);
	jw_obj(&w);
	jw_key(&w, "holds");
	jw_arr(&w);
	holds(&w, who);
	jw_end_arr(&w);
	jw_key(&w, "processes");
	jw_obj(&w);
	for (int i = 3; i < argc; i++)
		process(&w, who, argv[i]);
	jw_end_obj(&w);
	jw_key(&w, "sources");
	jw_arr(&w);
	for (size_t i = 0, n = whose_sources(who, src, 8); i < n; i++) {
		jw_obj(&w);
		jw_key(&w, src[i].name);
		jw_str(&w, src[i].why);
		jw_key(&w, "works");
		jw_bool(&w, src[i].works);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_key(&w, "cpu_ms");
	jw_num(&w, cpu_ms(), 3);
	jw_end_obj(&w);
	puts(str_z(&out));
	str_free(&out);
	whose_close(who);
	return 0;
}
