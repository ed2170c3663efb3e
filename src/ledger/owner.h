#ifndef TARE_LEDGER_OWNER_H
#define TARE_LEDGER_OWNER_H
/*
 * From evidence to an owner: declared fields first, then tags (with aliases), then virtual-tag
 * rules, then inference of the workload class (marked FROM_INFERENCE). Texts returned live in the
 * resolver. Memoised: cheap per call.
 */
#include "ledger/conf.h"
#include "model/model.h"

struct owner_evidence {
	struct sv user, team, project, env, workload, job, name, account, sub_account,
		sub_account_name, namespace_, node, cluster, queue, service, gpu_model;
	struct sv tags;      /* JSON object text */
	int64_t duration_ms; /* UNKNOWN_MS */
	int64_t gpus_milli;  /* UNKNOWN_I64 */
	bool has_requests;   /* a request log names this service */
	bool open_end;
};
/* What a line of a bill says of its owner: texts of the line. */
struct owner_evidence owner_evidence_of_bill(const struct bill_line *l);
/* The i-th key of the tags that mean a field, in the order they are tried: aliases of the settings,
 * then the usual keys; NULL: there are no more. */
const char *owner_tag_key(const struct conf *c, enum owner_field f, size_t i);
/* Does a rule of the settings make a team of a job's account? c: NULL has none. */
bool owner_accounts_are_teams(const struct conf *c);
/* The cluster that a cloud's own tags name, {NULL,0}: none. */
struct tagset;
struct sv owner_tag_cluster(const struct tagset *t);
struct owner_resolver;
struct owner_resolver *owner_resolver_new(const struct conf *c);
void owner_resolver_free(struct owner_resolver *r);
/* Stable pointer, owned by the resolver; equal evidence gives the same pointer. */
const struct owner *owner_resolve(struct owner_resolver *r, const struct owner_evidence *e);
/* The same by value, of a job: there are as many as jobs, and the resolver keeps none of them. Its
 * texts are those of the evidence, or live in the resolver. */
struct owner owner_evaluate(struct owner_resolver *r, const struct owner_evidence *e);
/*
 * What became of the i-th rule of the settings in all that was evaluated: did it match? Where it
 * did not, *ret_near is a sentence on the value that is nearest to what it asks for, or NULL.
 * False: nothing was evaluated. The sentence in a.
 */
bool owner_rule_tried(struct owner_resolver *r, size_t i, struct arena *a, bool *ret_matched,
		      const char **ret_near);
/* Canonical JSON of a tag object: sorted keys, text values only; broken input such as missing
 * braces is mended where that is unambiguous, else {NULL,0}. */
struct sv owner_tags_normalise(struct owner_resolver *r, struct sv json);

/*
 * Runs: retries (same job id or name+user restarted within a day after a failure) and sweeps (same
 * user and name but for numbers, arrays 12_0..12_99) are one run. Sets run[i] (index into `names`
 * interned by the caller) from the allocations, any order. O(n log n).
 */
void runs_group(const struct allocation *a, size_t n, struct arena *mem, const char **ret_run,
		int *ret_attempt);

#endif
