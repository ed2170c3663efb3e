#ifndef TESTS_SCORE_SPEEDFILE_H
#define TESTS_SCORE_SPEEDFILE_H
/*
 * Tables of measured speeds, work x GPU, to score predictions on. Known by their shape:
 *
 *   lambda  CSV, a row a system ("8x H100 80GB SXM5"; first column without a name, or name_gpu), a
 *           column a workload, items/s; 0 = did not run
 *   gavel   JSON {gpu: {"('ResNet-18 (batch size 16)', 2)": {"null": steps/s alone, other jobs:
 *           ...}}}; gpu may end in _unconsolidated
 *   mlperf  CSV with id, submitter, division, model, scenario, accelerator, accelerators_per_node,
 *           nodes, result, valid
 *   plain   CSV with gpu (or gpu_model), workload, speed; gpus, batch, class, submitter where they
 *           matter
 */
#include "base/err.h"
#include "base/input.h"
#include "base/mem.h"
#include "catalog/catalog.h"

enum speed_kind { SPEED_LAMBDA, SPEED_GAVEL, SPEED_MLPERF, SPEED_PLAIN };

struct speed_row {
	const struct gpu_spec *gpu;  /* of the catalogue */
	const char *workload;        /* the column: unit of speed and GPUs included */
	const char *job;             /* the work whatever number of GPUs it is split over */
	const char *family;          /* works that resemble each other */
	const char *submitter;       /* "" = one source */
	double gpus;                 /* of the run */
	double workload_gpus, batch; /* of the work, 1 where that does not matter */
	int layout;                  /* 1: spread over machines */
	double speed;                /* of the whole run, above 0 */
};
struct speed_file {
	enum speed_kind kind;
	/* precision of the works: single (by the file's name; Gavel's) or half */
	bool fp32;
	VEC(struct speed_row) row;
	int64_t not_run;          /* cells of 0 or nothing */
	int64_t left_out;         /* results that are not valid or not closed division */
	int64_t unknown_gpu;      /* rows whose GPU the catalogue does not know */
	const char *unknown_name; /* the first of them, or NULL */
	struct arena mem;
};

/* Returns 0; -ENODATA without a row; -EINVAL, -EBADMSG, -E2BIG with file, line and column. What was
 * read is freed by speed_file_free(). */
int speed_file_read(struct input *in, const struct catalog *cat, struct speed_file *ret,
		    struct err *err);
void speed_file_free(struct speed_file *f);

#endif
