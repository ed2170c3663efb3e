#ifndef TARE_FEED_JOBS_SACCT_H
#define TARE_FEED_JOBS_SACCT_H
/* What Slurm's TRES texts say of GPUs:
 * "billing=25,cpu=1,gres/gpu:a100=2,gres/gpu=2,mem=1000M,node=1". */
#include "model/model.h"

#define TRES_TYPES_MAX 16

struct tres_gpus {
	/* gres/gpu: counts every type, so types are never added to it; -1 = not there */
	int64_t all;
	struct tres_type {
		struct sv type; /* "a100", "1g.10gb" */
		int64_t n;
		/* gres/gpu:TYPE, only as far as the cluster's accounting records types */
	} type[TRES_TYPES_MAX];
	size_t ntype;
	int64_t cpu, mem_mib; /* of the host, all nodes together; -1 = not there */
	/* gres/mps, gres/shard, node; -1 = not there. Jobs with mps or shard have no gres/gpu */
	int64_t mps, shard, nodes;
	bool unread; /* something names GPUs in a way that is not known */
};

/* Read AllocTRES, ReqTRES, the older AllocGRES ("gpu:a100:2,gpu:4"), or ReqGRES
 * ("gres:gpu:a100:2"). 0, or -EINVAL for a count that is none. */
int tres_parse(struct sv text, struct tres_gpus *ret);

/* Columns of an output, for cutting its rows. Zero-initialise, set sep, add the columns in
 * order. */
#define SACCT_COLS_MAX 256
struct sacct_cols {
	struct sv sep;
	size_t ncol;
	uint8_t shape[SACCT_COLS_MAX];
};
void sacct_column(struct sacct_cols *c, struct sv name); /* c->ncol < SACCT_COLS_MAX */
/* Cut a row into cell[ncol]; separators within free text are put back. -EDOM where the number of
 * cells cannot be made right. */
int sacct_split(const struct sacct_cols *c, struct sv line, struct sv *cell);
/* The text before the first sep; *rest {NULL,0} when there is none. */
struct sv sacct_cut(struct sv text, struct sv sep, struct sv *rest);

#endif
