#ifndef TARE_LEDGER_INFER_H
#define TARE_LEDGER_INFER_H
/*
 * The workload class where nobody says it, from evidence, strongest first. A guess, and marked as
 * one by its caller.
 *
 *   inference   a request log names the service, or the scheduler calls it a service; names with
 *               serve, inference, vllm, triton
 *   research    notebooks: names with notebook, jupyter
 *   evaluation  names with a word that begins with eval, benchmark
 *   training    names with a word that begins with train, finetune, pretrain, sft, rlhf
 *   batch       an element of a job array of at most an hour
 *   training    two GPUs or more for two hours or more
 *   inference   one GPU or less for a week or more with no end in sight
 *
 * {NULL,0} where none of it holds.
 */
#include "ledger/owner.h"

struct sv infer_workload(const struct owner_evidence *e);
/* Does the name of a job say that somebody sits at it: a notebook, a shell that the scheduler
 * named? Such a job ends by being cancelled or by its time limit. */
bool infer_is_session(struct sv name);
/* "1234_7" is element 7 of the array 1234: the length of "1234", 0 when it is no such id.
 * "1234_[1-3]" too. */
size_t array_base(struct sv job_id);
/* Pods are jobs called "namespace/pod"; exporters may know them as "pod" alone. {NULL,0}: no
 * pod. */
struct sv job_pod(struct sv job_id, struct sv namespace_);
#endif
