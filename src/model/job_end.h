#ifndef TARE_MODEL_JOB_END_H
#define TARE_MODEL_JOB_END_H
/* How a job ended, by the word that its source has for it. */
#include "base/str.h"

enum job_end {
	JOB_END_UNTOLD, /* no word */
	JOB_END_WELL,   /* any word that is none of the others: "COMPLETED", "RUNNING", "Pass" */
	JOB_END_FAILED,
	JOB_END_NODE_FAILED,
	JOB_END_TIMEOUT, /* the time that it booked was over */
	JOB_END_CANCELLED,
	JOB_END_KILLED, /* by whom is not told */
	JOB_END_PREEMPTED,
	JOB_END_EVICTED,
	JOB_END_HUNG,
	JOB_END_REQUEUED,
};
/* In any case of letters, and with more around it ("CANCELLED by 1000", "JOB_STATE_FAILED"): words
 * of Slurm, Kubernetes, LSF, W&B, Vertex AI. */
enum job_end job_end_of(struct sv state);
/* Is it a word that is read; false: it says something that nobody here knows, and the job is taken
 * to have ended well. */
bool job_end_is_known(struct sv state);

#endif
