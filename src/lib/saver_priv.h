#ifndef TARE_LIB_SAVER_PRIV_H
#define TARE_LIB_SAVER_PRIV_H
/* What saver.c (the caller's side) and saver_write.c (the thread that writes) share; under `lock`
 * where the two meet. */
#include <pthread.h>
#include "lib/lib.h"
#include "lib/memory.h"
#include "ckpt/ckpt.h"

/* Two: one is written while the next is copied. */
enum { SLOTS = 2 };

struct slot { /* memory of one save */
	struct lib_mem mem;
	uint64_t turn; /* the writer takes the least of those that are full */
	int64_t step;
	bool full;      /* waits for the writer, or is with it */
	bool filling;   /* in the caller's hands */
	bool preparing; /* the thread is making room in it */
	char *meta;
	VEC(tare_piece) piece; /* names are copies, p lies in mem */
	double stall_s;
};

struct tare_saver {
	struct ckpt_dir *dir;
	struct ckpt_keep keep;
	int64_t commit_wait_ms;
	int rank;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct slot slot[SLOTS];
	struct slot *filling; /* in the caller's hands */
	uint64_t turn;        /* of the last save */
	struct lib_copier *copier;
	bool ending;
	int failed; /* of the saves since somebody asked; 0 = none */
	int64_t safe_step;
	struct err err, said;              /* of the writer; of the caller's own thread */
	char told[sizeof(struct err) + 4]; /* said with its hint */
	tare_saver_stats last;
	double begun_s;      /* of the save that is being filled */
	uint64_t want_bytes; /* room that both slots should have */
	int device;          /* the caller's GPU when it said so, -1 = none */
	int64_t best_step;   /* kept whatever its age, -1 = none */
	pid_t pid;           /* whose it is: a child after fork() has no thread of it */
	struct tare_saver *next_open;
};

void saver_slot_clear(struct slot *s);
void *saver_run(void *saver); /* the thread */

#endif
