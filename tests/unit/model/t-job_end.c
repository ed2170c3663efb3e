/* Words of ends, as their sources spell them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/job_end.h"

static void words_of_sources(void **state)
{
	static const struct {
		const char *word;
		enum job_end end;
	} want[] = {
		{ "", JOB_END_UNTOLD },
		/* sacct */
		{ "COMPLETED", JOB_END_WELL },
		{ "RUNNING", JOB_END_WELL },
		{ "CANCELLED by 1000", JOB_END_CANCELLED },
		{ "FAILED", JOB_END_FAILED },
		{ "OUT_OF_ME+", JOB_END_FAILED },
		{ "OUT_OF_MEMORY", JOB_END_FAILED },
		{ "NODE_FAIL", JOB_END_NODE_FAILED },
		{ "BOOT_FAIL", JOB_END_NODE_FAILED },
		{ "TIMEOUT", JOB_END_TIMEOUT },
		{ "DEADLINE", JOB_END_TIMEOUT },
		{ "PREEMPTED", JOB_END_PREEMPTED },
		{ "REQUEUED", JOB_END_REQUEUED },
		/* Kubernetes, Volcano */
		{ "Succeeded", JOB_END_WELL },
		{ "Failed", JOB_END_FAILED },
		{ "OOMKilled", JOB_END_FAILED },
		{ "Exited (0)", JOB_END_WELL },
		{ "EXIT", JOB_END_FAILED }, /* LSF */
		{ "Evicted", JOB_END_EVICTED },
		{ "Aborted", JOB_END_CANCELLED },
		/* W&B, MLflow, Vertex AI, Philly */
		{ "finished", JOB_END_WELL },
		{ "crashed", JOB_END_FAILED },
		{ "preempting", JOB_END_PREEMPTED },
		{ "timed_out", JOB_END_TIMEOUT },
		{ "KILLED", JOB_END_KILLED },
		{ "Killed", JOB_END_KILLED },
		{ "JOB_STATE_FAILED", JOB_END_FAILED },
		{ "JOB_STATE_CANCELLED", JOB_END_CANCELLED },
		{ "Pass", JOB_END_WELL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		assert_int_equal(job_end_of(sv_of(want[i].word)), want[i].end);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(words_of_sources) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
