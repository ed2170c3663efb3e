#include "model/job_end.h"

enum job_end job_end_of(struct sv state)
{
	static const struct {
		const char *word;
		enum job_end end;
	} words[] = { /* the first that is found */
		      { "NODE_FAIL", JOB_END_NODE_FAILED },
		      { "BOOT_FAIL", JOB_END_NODE_FAILED },
		      { "LOST", JOB_END_NODE_FAILED },
		      { "OUT_OF_ME", JOB_END_FAILED },
		      { "OOM", JOB_END_FAILED },
		      { "FAIL", JOB_END_FAILED },
		      { "ERROR", JOB_END_FAILED },
		      { "CRASH", JOB_END_FAILED },
		      { "TIMEOUT", JOB_END_TIMEOUT },
		      { "TIMED_OUT", JOB_END_TIMEOUT },
		      { "DEADLINE", JOB_END_TIMEOUT },
		      { "CANCEL", JOB_END_CANCELLED },
		      { "ABORT", JOB_END_CANCELLED },
		      { "KILL", JOB_END_KILLED },
		      { "PREEMPT", JOB_END_PREEMPTED },
		      { "EVICT", JOB_END_EVICTED },
		      { "HUNG", JOB_END_HUNG },
		      { "REQUEUE", JOB_END_REQUEUED }
	};

	if (!state.n)
		return JOB_END_UNTOLD;
	if (sv_ieq(state, SV("EXIT"))) /* LSF's; a container that is "Exited" may have done well */
		return JOB_END_FAILED;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (sv_ihas(state, sv_of(words[i].word)))
			return words[i].end;
	return JOB_END_WELL;
}

bool job_end_is_known(struct sv state)
{
	/* that it ended well, or has not ended */
	static const char *const well[] = { "COMPLET", "SUCCE",  "EXITED", "FINISH", "DONE",
					    "PASS",    "RUN",    "PEND",   "QUEUE",  "SUSP",
					    "STOP",    "TERMIN", "RESIZ",  "CONFIG", "SIGNAL",
					    "STAGE",   "EXPIRE", "ACTIVE", "START",  "CREAT" };

	if (!state.n || job_end_of(state) != JOB_END_WELL)
		return true;
	for (size_t i = 0; i < sizeof well / sizeof *well; i++)
		if (sv_ihas(state, sv_of(well[i])))
			return true;
	return sv_ieq(state, SV("OK"));
}
