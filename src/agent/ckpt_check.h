#ifndef TARE_AGENT_CKPT_CHECK_H
#define TARE_AGENT_CKPT_CHECK_H
/*
 * What is in a folder of checkpoints and whether it holds: each one's step, time, size, and every
 * hash compared, so that somebody knows before the next interruption. Reads only; a run may write
 * meanwhile.
 */
#include "ckpt/ckpt.h"
#include "report/cost/report.h"

struct ckpt_checked {
	const char *id;
	int64_t step, time_ms; /* -1, UNKNOWN_MS: the manifest cannot be read */
	int64_t bytes;         /* of all files; UNKNOWN_I64 */
	int64_t files, ranks;
	bool whole;
	const char *why; /* it is damaged, NULL: it is not */
};
struct ckpt_check {
	const char *dir;
	const struct ckpt_checked *v; /* [n] newest first */
	size_t n, ndamaged;
	const char *resume; /* id of the one that the next run resumes from, NULL: none */
	const char *lost;   /* manifests are missing, or none can be used: a sentence; NULL */
};
/* Texts in mem. 0; -ENOENT: no such folder, -EPROTO: of a newer version. O(bytes) reads. */
int ckpt_check(const char *dir, struct arena *mem, struct ckpt_check *ret, struct err *err);
void ckpt_check_print(const struct ckpt_check *k, const struct out_as *as, struct str *out);
#endif
