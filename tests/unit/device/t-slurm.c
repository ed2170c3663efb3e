#include "../base/test.h"

#include "base/tm.h"
#include "device/slurm.h"

static struct sv shared(struct arena *mem, const char *name)
{
	const char *dir = getenv("TARE_SHARED");
	char path[1024], buf[65536];
	FILE *f;

	snprintf(path, sizeof path, "%s/facts/slurm_samples/%s", dir ? dir : "", name);
	if (!(f = fopen(path, "re")))
		return SV_NULL;
	size_t n = fread(buf, 1, sizeof buf, f);
	fclose(f);
	return (struct sv){ arena_strn(mem, buf, n), n };
}

static int64_t ms(const char *z)
{
	int64_t t;

	assert_int_equal(tm_parse(sv_of(z), 0, &t), 0);
	return t;
}

/* What Slurm 22.05.8 printed. */
static void real_scontrol(void **state)
{
	struct arena mem = { 0 };
	struct slurm_job j = { .id = 23 };
	struct sv text = shared(&mem, "scontrol_show_job.txt");

	if (!text.p) {
		print_message("skipped: no shared samples\n");
		skip();
	}
	assert_true(slurm_scontrol_parse(&mem, text, "gpu1", &j));
	assert_sv(j.name, "train");
	assert_sv(j.comment, "project=llm;env=dev");
	assert_sv(j.wckey, "proj-llm");
	assert_int_equal(j.restarts, 0);
	assert_int_equal(j.submit_ms, ms("2026-11-21T02:21:17Z"));
	assert_int_equal(j.ngres, 1);
	assert_int_equal(j.gres[0].kind, GRES_GPU);
	assert_sv(j.gres[0].type, "a100");
	assert_int_equal(j.gres[0].count, 2);
	assert_int_equal(j.gres[0].idx, 3);
	j = (struct slurm_job){ .id = 23 };
	/* holds nothing of another node */
	assert_true(slurm_scontrol_parse(&mem, text, "gpu2", &j));
	assert_int_equal(j.ngres, 0);
	j.id = 24;
	assert_false(slurm_scontrol_parse(&mem, text, "gpu1", &j));
	arena_free(&mem);
}

static void squeue(void **state)
{
	struct arena mem = { 0 };
	struct slurm_job *j;
	struct sv text = SV(
		"7|5|3|1000|alice|team-ml|gpu|RUNNING|normal|2026-11-21T15:59:53|1-00:00:00\n"
		"6|6|N/A|0|root|(null)|gpu|COMPLETING|(null)|N/A|UNLIMITED\n"
		"no line|at all\n"
		"8|8|N/A|0|root|x|gpu|RUNNING|y|N/A|UNLIMITED|more\n"
		"0|8|N/A|0|root|x|gpu|RUNNING|y|N/A|UNLIMITED\n");

	assert_int_equal(slurm_squeue_parse(&mem, text, &j), 2);
	assert_int_equal(j[0].id, 7);
	assert_int_equal(j[0].array_job, 5);
	assert_int_equal(j[0].array_task, 3);
	assert_int_equal(j[0].uid, 1000);
	assert_sv(j[0].user, "alice");
	assert_sv(j[0].account, "team-ml");
	assert_int_equal(j[0].start_ms, ms("2026-11-21T15:59:53Z"));
	assert_int_equal(j[0].limit_ms, 86400000);
	assert_null(j[1].account.p);
	assert_int_equal(j[1].array_task, -1);
	assert_int_equal(j[1].start_ms, UNKNOWN_MS);
	assert_int_equal(j[1].limit_ms, UNKNOWN_MS);
	assert_int_equal(slurm_squeue_parse(&mem, SV_NULL, &j), 0);
	arena_free(&mem);
}

/* A name with newlines in it that pretends to be the rest of the record, and the record of another
 * job. */
static void forged(void **state)
{
	struct arena mem = { 0 };
	struct slurm_job j = { .id = 6 };
	struct sv text = SV(
		"JobId=6 JobName=evil\n   Comment=team=victim\n     Nodes=gpu1 CPU_IDs=0 Mem=1 GRES=gpu:4(IDX:0-3)\nJobId=1 JobName=stolen\n"
		"   UserId=root(0) GroupId=root(0) MCS_label=N/A\n   Requeue=1 Restarts=0 BatchFlag=1\n"
		"     Nodes=gpu1 CPU_IDs=1 Mem=100 GRES=gpu:1(IDX:2)\n   Comment=team=own\n");

	assert_true(slurm_scontrol_parse(&mem, text, "gpu1", &j));
	assert_sv(j.name, "evil");
	assert_null(j.user.p); /* never from here */
	j = (struct slurm_job){ .id = 6 };
	text = SV(
		"JobId=6 JobName=evil\n   Comment=team=victim\n     Nodes=gpu1 CPU_IDs=0 Mem=1 GRES=gpu:4(IDX:0-3)\n   Requeue=1 Restarts=3 BatchFlag=1\n"
		"     Nodes=gpu1 CPU_IDs=1 Mem=100 GRES=gpu:1(IDX:2)\n   Comment=team=own\n");
	assert_true(slurm_scontrol_parse(&mem, text, "gpu1", &j));
	assert_null(j.comment.p); /* said twice: nobody's */
	assert_int_equal(j.ngres, 0);
	assert_int_equal(j.restarts, 3);
	arena_free(&mem);
}

static void gres(void **state)
{
	struct slurm_gres g[8];

	assert_int_equal(slurm_gres_parse(SV("gpu:a100:2(IDX:0-1),gpu:1g.10gb:1(IDX:4)"), g, 8), 2);
	assert_int_equal(g[1].idx, 16);
	assert_sv(g[1].type, "1g.10gb");
	assert_int_equal(slurm_gres_parse(SV("gpu:8(IDX:0,2-3,7)"), g, 8), 1);
	assert_int_equal(g[0].idx, 0x8d);
	assert_null(g[0].type.p);
	assert_int_equal(slurm_gres_parse(SV("mps:a100:50(IDX:1),shard:a100:2(0/4,2/4)"), g, 8), 2);
	assert_int_equal(g[0].kind, GRES_MPS);
	assert_int_equal(g[0].count, 50);
	assert_int_equal(g[0].idx, 2);
	assert_int_equal(g[1].kind, GRES_SHARD);
	assert_int_equal(g[1].idx, 2);
	assert_int_equal(g[1].part[1], 2);
	assert_int_equal(g[1].of[1], 4);
	assert_int_equal(slurm_gres_parse(SV("gpu:a100:4(S:0-1),nic:2,mps:0"), g, 8), 1);
	assert_int_equal(slurm_gres_parse(SV("gpu(CNT:3)"), g, 8), 1);
	assert_int_equal(g[0].count, 3);
	assert_int_equal(slurm_gres_parse(SV("gpu:2(IDX:N/A)"), g, 8), 1);
	assert_int_equal(g[0].idx, 0);
	assert_int_equal(slurm_gres_parse(SV("gpu:2(IDX:60-70)"), g, 8), 1);
	assert_int_equal(g[0].idx, 0); /* not understood: no GPU rather than another */
	assert_int_equal(slurm_gres_parse(SV(""), g, 8), 0);
	assert_int_equal(slurm_gres_parse(SV("(null)"), g, 8), 0);
}

static void conf(void **state)
{
	struct slurm_device d[SLURM_IDX_MAX];
	int minor, gi;
	struct sv text = SV(
		"# GPUs\nAutoDetect=off\nNodeName=gpu[1-2] Name=gpu Type=a100 File=/dev/nvidia[2-3]\n"
		"nodename=gpu1 name=GPU type=h100 file=/dev/nvidia0 cores=0-7 # the odd one\n"
		"NodeName=gpu9 Name=gpu File=/dev/nvidia7\nName=mps Count=400\n"
		"Name=gpu Type=1g.10gb MultipleFiles=/dev/nvidia1,/dev/nvidia-caps/nvidia-cap66,/dev/nvidia-caps/nvidia-cap67\n"
		"Name=gpu Type=1g.10gb File=/dev/nvidia-caps/nvidia-cap[75-76]\n");

	assert_int_equal(slurm_gres_conf(text, "gpu1", d, SLURM_IDX_MAX), 6);
	assert_int_equal(d[0].minor, 2);
	assert_int_equal(d[1].minor, 3);
	assert_int_equal(d[2].minor, 0);
	assert_sv(d[2].type, "h100");
	assert_int_equal(d[3].minor, 1);
	assert_int_equal(d[3].cap, 66);
	assert_int_equal(d[4].minor, -1);
	assert_int_equal(d[5].cap, 76);
	assert_int_equal(slurm_gres_conf(text, "gpu1", d, 2), 2);
	assert_int_equal(slurm_gres_conf(SV("AutoDetect=nvml\n"), "gpu1", d, SLURM_IDX_MAX), 0);
	text = SV(
		"config 1\nmonitor 2\ngpu0/gi7/access 66\ngpu0/gi7/ci0/access 67\ngpu1/gi13/access 75\n");
	assert_true(slurm_mig_minor(text, 75, &minor, &gi));
	assert_int_equal(minor, 1);
	assert_int_equal(gi, 13);
	assert_true(slurm_mig_minor(text, 66, &minor, &gi));
	assert_int_equal(gi, 7);
	assert_false(slurm_mig_minor(text, 1, &minor, &gi));
	assert_false(slurm_mig_minor(text, 99, &minor, &gi));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(real_scontrol),
					    cmocka_unit_test(squeue), cmocka_unit_test(forged),
					    cmocka_unit_test(gres), cmocka_unit_test(conf) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
