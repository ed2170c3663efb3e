#include "../base/test.h"

#include <errno.h>

#include "device/cgroup.h"
#include "device/procinfo.h"

#define ID   "3bd871e9bdc3d1954eabddf73691982a3bd871e9bdc3d1954eabddf73691982a"
#define UID  "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
#define UID_ "0a1b2c3d_4e5f_6071_8293_a4b5c6d7e8f9"

static struct cgroup_who who;
static void at(const char *text)
{
	cgroup_parse(sv_of(text), &who);
}

static void slurm(void **state)
{
	at("0::/system.slice/slurmstepd.scope/job_123/step_0/user/task_3\n");
	assert_int_equal(who.slurm_job, 123);
	assert_string_equal(who.slurm_step, "0");
	at("0::/system.slice/gpu1_slurmstepd.scope/job_7/step_batch/user/task_0\n");
	assert_int_equal(who.slurm_job, 7);
	assert_string_equal(who.slurm_step, "batch");
	at("11:cpuset:/slurm/uid_1000/job_42/step_extern\n10:memory:/slurm/uid_1000/job_42/step_extern\n1:name=systemd:/system.slice/slurmd.service\n"
	   "0::/system.slice/slurmd.service\n");
	assert_int_equal(who.slurm_job, 42);
	assert_int_equal(who.slurm_uid, 1000);
	assert_string_equal(who.slurm_step, "extern");
	at("4:devices:/slurm_gpu-01/uid_5/job_8/step_1/task_0\n");
	assert_int_equal(who.slurm_job, 8);
	/* a container inside a job */
	at("0::/system.slice/slurmstepd.scope/job_9/step_0/user/task_0/libpod-" ID ".scope\n");
	assert_int_equal(who.slurm_job, 9);
	assert_string_equal(who.container, ID);
	assert_int_equal(who.engine, ENGINE_PODMAN);
}

/* Paths that anybody can make below what was delegated to him. */
static void no_false_job(void **state)
{
	static const char *const paths[] = {
		"0::/user.slice/user-1000.slice/user@1000.service/slurmstepd.scope/job_5/step_0",
		"0::/user.slice/user-1000.slice/session-2.scope/slurm/uid_0/job_5",
		"0::/system.slice/docker-" ID ".scope/slurm/uid_0/job_5",
		"0::/kubepods/burstable/pod" UID "/" ID "/system.slice/slurmstepd.scope/job_5",
		"0::/system.slice/evil.service/slurm/job_5",
		"0::/job_5/step_0",
		"0::/slurm/uid_1/job_-5",
		"0::/slurm/uid_1/job_5x",
		"0::/slurm/uid_1/job_99999999999",
		"0::/slurm/job_0",
	};
	for (size_t i = 0; i < COUNT(paths); i++) {
		at(paths[i]);
		if (who.slurm_job != -1)
			fail_msg("%s: job %d", paths[i], (int)who.slurm_job);
	}
}

static void kubernetes(void **state)
{
	static const struct {
		const char *path;
		enum cgroup_engine engine;
	} t[] = {
		{ "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
		  ".slice/cri-containerd-" ID ".scope",
		  ENGINE_CONTAINERD },
		{ "0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_
		  ".slice/crio-" ID ".scope",
		  ENGINE_CRIO },
		{ "0::/kubepods.slice/kubepods-pod" UID_ ".slice/docker-" ID ".scope",
		  ENGINE_DOCKER },
		{ "12:pids:/kubepods/burstable/pod" UID "/" ID "\n0::/", ENGINE_OTHER },
		{ "4:memory:/kubepods/pod" UID "/" ID, ENGINE_OTHER },
		{ "0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod" UID_
		  ".slice/cri-containerd-" ID ".scope",
		  ENGINE_CONTAINERD },
		{ "0::/docker/" ID "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_
		  ".slice/cri-containerd-" ID ".scope",
		  ENGINE_CONTAINERD },
		{ "0::/../../kubepods-burstable-pod" UID_ ".slice/cri-containerd-" ID ".scope",
		  ENGINE_CONTAINERD },
		{ "0::/system.slice/containerd.service/kubepods-burstable-pod" UID_
		  ".slice:cri-containerd:" ID,
		  ENGINE_CONTAINERD },
	};
	for (size_t i = 0; i + 1 < COUNT(t); i++) {
		at(t[i].path);
		assert_string_equal(who.pod, UID);
		assert_string_equal(who.container, ID);
		assert_int_equal(who.engine, t[i].engine);
		assert_int_equal(who.slurm_job, -1);
		assert_string_equal(who.unit, "");
	}
	/* containerd that was told of systemd's names but does not use it */
	at(t[COUNT(t) - 1].path);
	assert_string_equal(who.pod, UID);
	assert_string_equal(who.container, ID);
	at("0::/kubepods/pod0a1b2c3d4e5f60718293a4b5c6d7e8f9/" ID); /* a static pod */
	assert_string_equal(who.pod, "0a1b2c3d4e5f60718293a4b5c6d7e8f9");
	at("0::/kubepods/podnotauid/" ID);
	assert_string_equal(who.pod, "");
	at("0::/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" ID ".scope");
	assert_string_equal(who.container, "");
}

static void containers_and_units(void **state)
{
	at("0::/system.slice/docker-" ID ".scope");
	assert_string_equal(who.container, ID);
	assert_int_equal(who.engine, ENGINE_DOCKER);
	assert_string_equal(who.unit, "");
	at("5:memory:/docker/" ID "\n0::/");
	assert_int_equal(who.engine, ENGINE_DOCKER);
	at("0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID
	   ".scope/container");
	assert_string_equal(who.container, ID);
	assert_int_equal(who.engine, ENGINE_PODMAN);
	at("0::/system.slice/ollama.service");
	assert_string_equal(who.unit, "ollama.service");
	assert_false(who.session);
	at("0::/user.slice/user-1000.slice/session-3.scope");
	assert_string_equal(who.unit, "");
	assert_true(who.session);
	at("0::/user.slice/user-1000.slice/user@1000.service/app.slice/jupyter.service");
	assert_string_equal(who.unit, "jupyter.service");
	at("0::/user.slice/user-1000.slice/user@1000.service/init.scope");
	assert_string_equal(who.unit, "");
	at("");
	assert_int_equal(who.slurm_job, -1);
	at("nonsense\n::::\n/\n0::");
	assert_string_equal(who.unit, "");
}

static void stat_line(void **state)
{
	uint64_t ticks;
	struct sv comm;
	struct sv evil = SV(
		"77 (a) R 1 2) S 1 77 77 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 987654 123 4 5\n");

	assert_int_equal(procinfo_stat(evil, &ticks, &comm), 0);
	assert_int_equal(ticks, 987654);
	assert_sv(comm, "a) R 1 2");
	assert_int_equal(
		procinfo_stat(
			SV("77 (x) Z 1 77 77 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 987654 123 4 5\n"),
			&ticks, &comm),
		-ESRCH);
	assert_int_equal(procinfo_stat(SV("77 (x) S 1 2"), &ticks, &comm), -EBADMSG);
	assert_int_equal(procinfo_stat(SV(""), &ticks, &comm), -EBADMSG);
}

/* Whatever the pieces, the same variables; long values are cut, later ones of a name do not
 * count. */
static void environment(void **state)
{
	static char text[3000];
	size_t n = 0;
	static char var[VAR_N][CLEAN_MAX + 1];

	n += (size_t)sprintf(text + n, "PATH=/bin") + 1;
	n += (size_t)sprintf(text + n, "TARE_TEAM=nlp\033[2J") + 1;
	n += (size_t)sprintf(text + n, "TARE_TEAM=other") + 1;
	n += (size_t)sprintf(text + n, "XTARE_PROJECT=no") + 1;
	n += (size_t)sprintf(text + n, "TARE_JOB=");
	memset(text + n, 'j', 2000);
	n += 2001;
	n += (size_t)sprintf(text + n, "SLURM_JOB_ID=77") + 1;
	/* without its NUL */
	n += (size_t)sprintf(text + n, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25");
	for (size_t step = 1; step < 700; step = step * 3 + 1) {
		struct environ_scan s = { .n = 0 };
		memset(var, 0, sizeof var);
		for (size_t at_ = 0; at_ < n; at_ += step)
			environ_feed(&s, (struct sv){ text + at_, n - at_ < step ? n - at_ : step },
				     var);
		environ_end(&s, var);
		assert_string_equal(var[VAR_TARE_TEAM], "nlp [2J");
		assert_string_equal(var[VAR_TARE_PROJECT], "");
		assert_int_equal(strlen(var[VAR_TARE_JOB]), CLEAN_MAX);
		assert_string_equal(var[VAR_SLURM_JOB_ID], "77");
		assert_string_equal(var[VAR_CUDA_MPS_ACTIVE_THREAD_PERCENTAGE], "25");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slurm),      cmocka_unit_test(no_false_job),
		cmocka_unit_test(kubernetes), cmocka_unit_test(containers_and_units),
		cmocka_unit_test(stat_line),  cmocka_unit_test(environment)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
