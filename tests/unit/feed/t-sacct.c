#include <errno.h>

#include "feed/jobs/hostlist.h"
#include "feed/jobs/sacct.h"
#include "rows_fix.h"

static const struct allocation *job(const struct got *g, const char *id, int nth)
{
	for (size_t i = 0; i < g->alloc.n; i++)
		if (sv_is(g->alloc.v[i].job_id, id) && nth-- == 0)
			return &g->alloc.v[i];
	fail_msg("no allocation %s", id);
	return NULL;
}

/* Real output of Slurm 22.05.8: 58 rows, 27 of them steps. */
static void real_output(void **state)
{
	struct got g;
	double gpu_s = 0;

	got_shared(&g, "facts/slurm_samples/sacct_all.psv", NULL, NULL, UNKNOWN_MS);
	assert_done(&g);
	assert_string_equal(g.report.kind, "sacct");
	assert_int_equal(g.report.rows_read, 58);
	assert_int_equal(g.report.rows_rejected, 0);
	assert_true(noted(&g, "27 job steps"));
	assert_int_equal(g.report.rows_kept, 22);
	assert_int_equal(g.report.rows_kept + g.report.rows_skipped, 58);
	assert_int_equal(g.alloc.n, 22);
	for (size_t i = 0; i < g.alloc.n; i++)
		gpu_s += (double)g.alloc.v[i].gpus_milli / 1e3 *
			 (double)(g.alloc.v[i].end_ms - g.alloc.v[i].start_ms) / 1e3;
	/* sum of gres/gpu x ElapsedRaw over the job rows, plus a GPU for 1 s each of the mps and
	 * the shard job */
	assert_float_equal(gpu_s, 1584, 1e-9);

	const struct allocation *a = job(&g, "1", 0);
	assert_int_equal(a->gpus_milli, 2000); /* gres/gpu and gres/gpu:a100 are the same two */
	assert_sv(a->gpu_model, "a100");
	assert_sv(a->node, "gpu1");
	assert_sv(a->name, "train-bert");
	assert_sv(a->user, "root");
	assert_sv(a->account, "team-ml");
	assert_sv(a->queue, "gpu");
	assert_sv(a->project, "llm");
	assert_sv(a->env, "dev");
	assert_sv(a->workload, "training");
	assert_sv(
		a->tags,
		"{\"project\":\"llm\",\"env\":\"dev\",\"workload\":\"training\",\"qos\":\"spot\"}");
	assert_int_equal(a->start_ms, at("2026-11-21T01:40:20Z"));
	assert_int_equal(a->end_ms, at("2026-11-21T01:40:37Z"));
	assert_int_equal(a->submit_ms, at("2026-11-21T01:40:19Z"));
	assert_int_equal(a->limit_ms, 600000);
	assert_int_equal(a->checkpointable, -1);
	got_free(&g);
}

static void real_kinds_of_shares(void **state)
{
	struct got g;

	got_shared(&g, "facts/slurm_samples/sacct_all.psv", "sacct", NULL, UNKNOWN_MS);
	assert_done(&g);
	const struct allocation *mig = job(&g, "2", 0), *mps = job(&g, "20", 0),
				*shard = job(&g, "21", 0), *wckey = job(&g, "15", 0);
	assert_int_equal(mig->share_kind, SHARE_MIG);
	assert_sv(mig->mig_profile, "1g.10gb");
	assert_sv(mig->gpu_model, "(null)");
	assert_int_equal(mig->limit_ms, UNKNOWN_MS); /* UNLIMITED */
	assert_int_equal(mps->share_kind, SHARE_MPS);
	assert_int_equal(mps->share_ppb, 500000000);
	assert_int_equal(mps->gpus_milli, 1000);
	assert_int_equal(shard->share_kind, SHARE_TIMESLICE);
	assert_int_equal(shard->share_ppb, -1);
	assert_sv(wckey->project, "proj-llm");
	assert_sv(wckey->state, "NODE_FAIL");
	assert_sv(job(&g, "16", 0)->state, "CANCELLED"); /* "CANCELLED by 0" */
	assert_sv(job(&g, "16", 0)->project, "(null)");  /* WCKey "*" is nobody's choice */
	got_free(&g);
}

#define HEAD "JobID|JobIDRaw|User|State|Start|End|TimelimitRaw|AllocTRES|NodeList|JobName\n"

static void attempts_of_one_job(void **state)
{
	struct got g;

	got_text(
		&g, NULL,
		HEAD
		"8|8|ann|PREEMPTED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/gpu=4,node=1|gpu1|victim\n"
		"8|8|ann|REQUEUED|2026-01-01T02:00:00|2026-01-01T03:00:00|30|gres/gpu=4,node=1|gpu2|victim\n"
		"8|8|ann|PENDING|Unknown|Unknown|30||None assigned|victim\n"
		"8|8|ann|RUNNING|2026-01-01T04:00:00|Unknown|30|gres/gpu=4,node=1|gpu2|victim\n",
		NULL);
	assert_done(&g);
	assert_int_equal(g.alloc.n, 3);
	assert_int_equal(g.alloc.v[0].attempt, 0);
	assert_int_equal(g.alloc.v[1].attempt, 1);
	assert_true(g.alloc.v[2].attempt > 1);
	assert_int_equal(g.alloc.v[2].end_ms, UNKNOWN_MS);
	assert_int_equal(g.report.skipped.n, 1);
	assert_string_equal(g.report.skipped.v[0].key, "8");
	assert_int_equal(g.report.skipped.v[0].line, 4);
	got_free(&g);
}

/* CPU and memory go with the GPUs; where they are not told they are not known. */
static void host_goes_with_the_gpus(void **state)
{
	struct got g;

	got_text(
		&g, "sacct",
		HEAD
		"1|1|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|cpu=64,mem=240G,gres/gpu=16,node=2|gpu-[01-02]|even\n"
		"2|2|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|cpu=10,gres/gpu=5,node=2|a1,b[7]|odd\n"
		"3|3|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|cpu=4,mem=8000M,gres/mps=50,node=1|c1|part\n",
		NULL);
	assert_done(&g);
	assert_int_equal(g.alloc.n, 5);
	assert_int_equal(g.alloc.v[0].cpu_milli, 32000);
	assert_int_equal(g.alloc.v[1].ram_mib, 120 * 1024);
	assert_int_equal(g.alloc.v[2].cpu_milli, 6000); /* 3 of 5 GPUs */
	assert_int_equal(g.alloc.v[3].cpu_milli, 4000);
	assert_int_equal(g.alloc.v[3].ram_mib, UNKNOWN_I64);
	assert_int_equal(g.alloc.v[4].cpu_milli, 4000);
	assert_int_equal(g.alloc.v[4].ram_mib, 8000);
	got_free(&g);
}

/* A count that no cluster has costs neither time nor a number that wraps. */
static void parts_without_end(void **state)
{
	struct got g;

	got_text(
		&g, "sacct",
		HEAD
		"1|1|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/mps=1000000000K,node=1|c1|much\n"
		"2|2|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/mps=150,node=1|c1|more\n",
		NULL);
	assert_done(&g);
	assert_int_equal(g.alloc.n, 2);
	assert_int_equal(g.alloc.v[0].share_ppb, 1000000000);
	assert_int_equal(g.alloc.v[0].gpus_milli, INT64_C(10240000000000));
	assert_int_equal(g.alloc.v[1].share_ppb, 750000000);
	assert_int_equal(g.alloc.v[1].gpus_milli, 2000);
	got_free(&g);
}

static void gpus_over_nodes(void **state)
{
	struct got g;

	got_text(
		&g, "sacct",
		HEAD
		"1|1|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/gpu:h100=16,gres/gpu=16,node=2|gpu-[01-02]|even\n"
		"2|2|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/gpu=5,node=2|a1,b[7]|odd\n"
		"3|3|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/gpu=2,node=3|c[1-3]|few\n"
		"4|4|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|cpu=2,node=1|c1|none\n"
		"5|5|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/gpu:a100=1,gres/gpu:3g.20gb=2,gres/gpu=4,node=1|c1|mixed\n",
		NULL);
	assert_done(&g);
	assert_int_equal(g.alloc.n, 8);
	assert_sv(g.alloc.v[0].node, "gpu-01");
	assert_sv(g.alloc.v[1].node, "gpu-02");
	assert_int_equal(g.alloc.v[0].gpus_milli, 8000);
	assert_int_equal(g.alloc.v[1].gpus_milli, 8000);
	assert_sv(g.alloc.v[2].node, "a1");
	assert_int_equal(g.alloc.v[2].gpus_milli, 3000);
	assert_sv(g.alloc.v[3].node, "b7");
	assert_int_equal(g.alloc.v[3].gpus_milli, 2000);
	assert_sv(g.alloc.v[4].node, "(null)");
	assert_int_equal(g.alloc.v[4].gpus_milli, 2000);
	assert_sv(g.alloc.v[5].gpu_model, "a100");
	assert_int_equal(g.alloc.v[6].share_kind, SHARE_MIG);
	assert_int_equal(g.alloc.v[6].gpus_milli, 2000);
	/* the fourth is of a type that is not recorded */
	assert_int_equal(g.alloc.v[7].share_kind, SHARE_WHOLE);
	assert_int_equal(g.alloc.v[7].gpus_milli, 1000);
	assert_true(noted(&g, "divide evenly"));
	assert_true(noted(&g, "fewer GPUs than nodes"));
	assert_true(noted(&g, "held no GPU: 1 job"));
	got_free(&g);
}

static void arrays_and_het_jobs(void **state)
{
	struct got g;

	got_text(
		&g, "sacct",
		HEAD
		"12_3|15|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/gpu=1,node=1|c1|sweep\n"
		"20+1|21|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/gpu=1,node=1|c1|het\n"
		"12_3.batch|15.batch|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00||gres/gpu=1,node=1|c1|batch\n"
		"12_[4-9]|12|ann|PENDING|Unknown|Unknown|30||None assigned|sweep\n",
		NULL);
	assert_done(&g);
	assert_int_equal(g.alloc.n, 2);
	assert_sv(g.alloc.v[0].job_id, "12_3");
	assert_sv(g.alloc.v[0].tags, "{\"array_job\":\"12\",\"slurm_job_id\":\"15\"}");
	assert_sv(g.alloc.v[1].job_id, "20+1");
	got_free(&g);
}

/* The separator is not escaped: what is too much belongs to the free text, wherever that stands. */
static void separator_in_text(void **state)
{
	struct got g;

	got_text(
		&g, "sacct",
		HEAD
		"1|1|ann|COMPLETED|2026-01-01T00:00:00|2026-01-01T01:00:00|30|gres/gpu=1,node=1|c1|a|b \"c|d\n",
		NULL);
	assert_done(&g);
	assert_sv(g.alloc.v[0].name, "a|b \"c|d");
	got_free(&g);

	got_text(
		&g, "sacct",
		"JobName|JobIDRaw|Start|ElapsedRaw|AllocTRES\nx|y|7|2026-01-01T00:00:00|60|gres/gpu=1,node=1\n",
		NULL);
	assert_done(&g);
	assert_sv(g.alloc.v[0].name, "x|y");
	assert_int_equal(g.alloc.v[0].end_ms - g.alloc.v[0].start_ms, 60000);
	got_free(&g);

	got_text(&g, "sacct",
		 "JobIDRaw|Start|ElapsedRaw|AllocTRES\n7|2026-01-01T00:00:00|60|gres/gpu=1|x\n",
		 NULL);
	assert_int_equal(g.rc, -EINVAL);
	assert_non_null(strstr(g.err.msg, "4 columns"));
	got_free(&g);
}

/* Several free texts, as --format=ALL gives them: the columns between them tell which one holds the
 * separator. */
static void separator_in_one_of_several_texts(void **state)
{
	static const char head[] =
		"JobID|Comment|Start|End|AllocTRES|SubmitLine|Suspended|TimelimitRaw|UID|User|WorkDir\n";
	struct got g;
	char text[1024];

	snprintf(
		text, sizeof text,
		"%s1||2026-01-01T00:00:00|2026-01-01T01:00:00|gres/gpu=1|sbatch --wrap a | b | c|00:00:00|UNLIMITED|1000|ann|/home/ann\n"
		"2|x|y|2026-01-01T00:00:00|2026-01-01T01:00:00|gres/gpu=1|sbatch|00:00:00|UNLIMITED|1000|bob|/home/bob\n"
		"3||2026-01-01T00:00:00|2026-01-01T01:00:00|gres/gpu=1|sbatch|00:00:00|60|1000|cat|/home/c|at\n",
		head);
	got_text(&g, "sacct", text, NULL);
	assert_done(&g);
	assert_int_equal(g.alloc.n, 3);
	assert_sv(g.alloc.v[0].user, "ann");
	assert_sv(g.alloc.v[1].user, "bob");
	assert_sv(g.alloc.v[1].tags, "{\"comment\":\"x|y\"}");
	assert_sv(g.alloc.v[2].user, "cat");
	assert_int_equal(g.alloc.v[2].limit_ms, 3600000);
	got_free(&g);

	/* nobody can tell */
	snprintf(
		text, sizeof text,
		"%s1||2026-01-01T00:00:00|x|2026-01-01T01:00:00|gres/gpu=1|sbatch|00:00:00|60|1000|ann|/home/ann\n",
		head);
	got_text(&g, "sacct", text, NULL);
	assert_int_equal(g.rc, -EINVAL);
	got_free(&g);
}

static void other_formats(void **state)
{
	struct got g;

	/* sacct -p: a separator at the end; Elapsed instead of End; older AllocGRES; an offset for
	 * local times */
	got_text(
		&g, NULL,
		"JobID|Start|Elapsed|Timelimit|AllocGRES|NodeList|\n7|2026-06-01T10:00:00|1-02:03:04|2-00:00:00|gpu:v100:2|n1|\n",
		SETS("utc_offset=+02:00", "usd_gpu_hour=1.25", "cluster=hpc"));
	assert_done(&g);
	assert_int_equal(g.alloc.n, 1);
	assert_int_equal(g.alloc.v[0].start_ms, at("2026-06-01T08:00:00Z"));
	assert_int_equal(g.alloc.v[0].end_ms - g.alloc.v[0].start_ms,
			 ((26 * 60 + 3) * 60 + 4) * 1000LL);
	assert_int_equal(g.alloc.v[0].limit_ms, 2 * MS_DAY);
	assert_int_equal(g.alloc.v[0].gpus_milli, 2000);
	assert_sv(g.alloc.v[0].gpu_model, "v100");
	assert_sv(g.alloc.v[0].cluster, "hpc");
	assert_true(g.alloc.v[0].has_usd_gpu_hour && g.alloc.v[0].usd_gpu_hour == DEC_ONE * 5 / 4);
	got_free(&g);

	got_text(
		&g, NULL,
		"JobID;;Start;;End;;AllocTRES\n7;;2026-06-01T10:00:00;;2026-06-01T11:00:00;;gres/gpu=1,gres/gpumem=3G\n",
		NULL);
	assert_done(&g);
	assert_int_equal(g.alloc.n, 1);
	got_free(&g);

	got_text(
		&g, NULL,
		HEAD
		"1|1|a|COMPLETED|2026-06-01T10:00:00|2026-06-01T11:00:00||gres/shard=6,node=1|n1|x\n",
		SETS("shards_per_gpu=4"));
	assert_done(&g);
	assert_int_equal(g.alloc.v[0].gpus_milli, 2000);
	assert_int_equal(g.alloc.v[0].share_ppb, 750000000);
	got_free(&g);
}

static void bad_rows(void **state)
{
	struct got g;

	got_text_named(
		&g, "jobs.psv", "sacct",
		HEAD
		"1|1|a|COMPLETED|2026-13-01T10:00:00|2026-06-01T11:00:00||gres/gpu=1|n1|x\n"
		"2|2|a|COMPLETED|2026-06-01T10:00:00|2026-06-01T09:00:00||gres/gpu=1|n1|x\n"
		"3|3|a|COMPLETED|2026-06-01T10:00:00|2026-06-01T11:00:00||gres/gpu=one|n1|x\n"
		"4|4|a|COMPLETED|2026-06-01T10:00:00|2026-06-01T11:00:00||gres/gpu=1|n[3-1]|x\n"
		"5|5|a|COMP\n"
		"6|6|a|COMPLETED|2026-06-01T10:00:00|2026-06-01T11:00:00||gres:vgpu:1|n1|x\n"
		"7|7|a|COMPLETED|2026-06-01T10:00:00|2026-06-01T11:00:00||gres/gpu=1|n1|x\n",
		NULL, UNKNOWN_MS, 6);
	assert_done(&g);
	assert_int_equal(g.report.rows_rejected, 6);
	assert_int_equal(g.report.rows_kept, 1);
	static const char *const field[] = { "Start",    "End", "AllocTRES",
					     "NodeList", "",    "AllocTRES" };
	for (int i = 0; i < 6; i++) {
		assert_string_equal(g.report.rejects.v[i].field, field[i]);
		assert_int_equal(g.report.rejects.v[i].line, i + 2);
	}
	got_free(&g);

	got_text_named(&g, "jobs.psv", "sacct", "JobID|State|Start|End\n", NULL, UNKNOWN_MS, 0);
	assert_int_equal(g.rc, -EINVAL);
	assert_non_null(strstr(g.err.msg, "AllocTRES"));
	assert_non_null(strstr(g.err.msg, "jobs.psv"));
	got_free(&g);
}

static void hostlists(void **state)
{
	struct arena mem = { 0 };
	struct sv *n;

	assert_int_equal(hostlist_expand(&mem, SV("gpu-[01-04,07],login"), 100, &n), 6);
	assert_sv(n[0], "gpu-01");
	assert_sv(n[3], "gpu-04");
	assert_sv(n[4], "gpu-07");
	assert_sv(n[5], "login");
	assert_int_equal(hostlist_expand(&mem, SV("r[1-2]n[08-10]x"), 100, &n), 6);
	assert_sv(n[0], "r1n08x");
	assert_sv(n[5], "r2n10x");
	assert_int_equal(hostlist_expand(&mem, SV(""), 100, &n), 0);
	assert_int_equal(hostlist_expand(&mem, SV("a[1-1000000]"), 100, &n), -E2BIG);
	static const char *const wrong[] = { "a[3-1]", "a[1", "a1]", "a[]",  "a[1-]", "a[[1]]",
					     "a,,b",   ",a",  "a,",  "a[x]", "a[1,]" };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (hostlist_expand(&mem, sv_of(wrong[i]), 100, &n) != -EINVAL)
			fail_msg("%s was taken", wrong[i]);
	arena_free(&mem);
}

static void tres(void **state)
{
	struct tres_gpus t;

	assert_int_equal(
		tres_parse(SV("billing=25,cpu=1,gres/gpu:a100=2,gres/gpu=2,mem=1000M,node=1"), &t),
		0);
	assert_int_equal(t.all, 2);
	assert_int_equal(t.ntype, 1);
	assert_int_equal(t.nodes, 1);
	assert_int_equal(t.mps, -1);
	assert_int_equal(t.cpu, 1);
	assert_int_equal(t.mem_mib, 1000);
	assert_int_equal(tres_parse(SV("cpu=2K,mem=1.50T,gres/gpu=1"), &t), 0);
	assert_int_equal(t.cpu, 2048);
	assert_int_equal(t.mem_mib, 1536 * 1024);
	/* beside the GPUs: not known, no reason to refuse the row */
	assert_int_equal(tres_parse(SV("cpu=many,mem=?,gres/gpu=1"), &t), 0);
	assert_int_equal(t.cpu, -1);
	assert_int_equal(t.mem_mib, -1);
	assert_int_equal(t.all, 1);
	assert_int_equal(tres_parse(SV("gres/gpu=-1"), &t), -EINVAL);
}

/* As sacct, squeue, scontrol, their JSON and older releases write two A100. */
static void spellings(void **state)
{
	static const char *const two[] = {
		"gres/gpu:a100=2,gres/gpu=2",
		"gres/gpu:a100=2",
		"gpu:a100=2",
		"gpu:a100:2",
		"gres:gpu:a100:2",
		"gres/gpu:a100:2",
		"gpu:a100:2(S:0-1)",
		"gpu:a100:2(IDX:0,3)",
		"cpu=1,gres:gpu:a100:2,node=1",
		"gpu:2",
		"gres:gpu:2",
		"gres/gpu:2",
		"gres/gpu=2",
		"gpu=2",
		"gpu,gpu",
		"gpu:a100,gpu:a100",
		"7696487:2",
		"craynetwork:1,gres:gpu:2",
	};
	static const char *const unread[] = { "gres:vgpu:2", "gres/gpus=2", "gpus:2" };
	static const char *const none[] = { "gres/gpumem=4G", "gres/gpuutil=50", "craynetwork:1",
					    "cpu=1,license/gpusim=1" };
	struct tres_gpus t;

	for (size_t i = 0; i < sizeof two / sizeof *two; i++) {
		int64_t typed = 0;
		assert_int_equal(tres_parse(sv_of(two[i]), &t), 0);
		for (size_t k = 0; k < t.ntype; k++) {
			assert_sv(t.type[k].type, "a100");
			typed += t.type[k].n;
		}
		if (typed != 2 && t.all != 2)
			fail_msg("%s", two[i]);
		assert_true(t.all <= 2 && typed <= 2);
	}
	for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
		assert_int_equal(tres_parse(sv_of(unread[i]), &t), 0);
		assert_true(t.unread && t.all < 0 && !t.ntype);
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		assert_int_equal(tres_parse(sv_of(none[i]), &t), 0);
		assert_true(!t.unread && t.all < 0 && !t.ntype);
	}
}

/* A job that ran held what it asked for where nothing else is said; one that never began, nothing.
 */
static void only_asked_for(void **state)
{
	struct got g;

	got_text(
		&g, NULL,
		"JobID|State|Start|End|AllocGRES|ReqGRES|ReqTRES|NodeList\n"
		"1|COMPLETED|2026-06-01T10:00:00|2026-06-01T11:00:00||gpu:a100:2||n[1-2]\n"
		"2|COMPLETED|2026-06-01T10:00:00|2026-06-01T11:00:00|||cpu=4,gres/gpu=3,node=1|n1\n"
		"3|COMPLETED|2026-06-01T10:00:00|2026-06-01T11:00:00||||n1\n"
		"4|CANCELLED|2026-06-01T10:00:00|2026-06-01T10:00:00||gpu:2||n1\n"
		"5|CANCELLED|2026-06-01T10:00:00|2026-06-01T11:00:00||gpu:2||None assigned\n",
		NULL);
	assert_done(&g);
	assert_int_equal(g.alloc.n, 3);
	assert_int_equal(job(&g, "1", 0)->gpus_milli, 2000);
	assert_int_equal(job(&g, "1", 1)->gpus_milli, 2000);
	assert_int_equal(job(&g, "2", 0)->gpus_milli, 3000);
	assert_true(noted(&g, "2 jobs ran and do not say what they held"));
	assert_true(noted(&g, "left out, as they held no GPU: 1 job"));
	assert_int_equal(g.report.rows_skipped, 3);
	got_free(&g);

	got_text(&g, NULL, HEAD "1|1|a|COMPLETED|2026-06-01T10:00:00|2026-06-01T11:00:00|||n1|x\n",
		 NULL);
	assert_done(&g);
	assert_int_equal(g.report.rows_skipped, 1);
	assert_int_equal(g.alloc.n, 0);
	got_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_output),
		cmocka_unit_test(real_kinds_of_shares),
		cmocka_unit_test(attempts_of_one_job),
		cmocka_unit_test(parts_without_end),
		cmocka_unit_test(gpus_over_nodes),
		cmocka_unit_test(host_goes_with_the_gpus),
		cmocka_unit_test(arrays_and_het_jobs),
		cmocka_unit_test(separator_in_text),
		cmocka_unit_test(other_formats),
		cmocka_unit_test(bad_rows),
		cmocka_unit_test(hostlists),
		cmocka_unit_test(tres),
		cmocka_unit_test(spellings),
		cmocka_unit_test(only_asked_for),
		cmocka_unit_test(separator_in_one_of_several_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
