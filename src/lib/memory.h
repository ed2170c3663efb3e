#ifndef TARE_LIB_MEMORY_H
#define TARE_LIB_MEMORY_H
/* Memory that states are copied into, and the copying: what training stands still for. */
#include <stdbool.h>
#include <tare/tare.h>

struct lib_mem {
	uint8_t *p;    /* aligned to pages, NULL: none yet */
	uint64_t room; /* bytes */
	bool pinned;   /* registered with the CUDA runtime of the program */
};

/* At least so many bytes, untouched where they are new and not pinned; what was in them is lost
 * then. Huge pages where the kernel gives them; not in children. 0 or -ENOMEM. */
int lib_mem_room(struct lib_mem *m, uint64_t bytes);
/* Touch them, so that no copy has to wait for the kernel to find pages: several times the time of
 * the copy itself. */
void lib_mem_touch(struct lib_mem *m, uint64_t bytes);
void lib_mem_drop(struct lib_mem *m);
/*
 * The CUDA runtime's device of the calling thread (-1: there is no such runtime), and that it be
 * the same for another thread: memory pinned by a thread that was told nothing makes a context on
 * GPU 0, some 500 MB of it for each rank of a machine.
 */
int lib_mem_device(void);
void lib_mem_on(int device);

/*
 * Copies by the caller and up to three helpers, which are started at the first copy that is worth
 * it and wait between two. The caller never waits for a helper to be given a processor: what no
 * helper has taken it copies itself, so that on a busy machine this takes as long as memcpy, and
 * about half of it on a free one.
 * One caller at a time. Nothing of it is there in a child after fork().
 */
struct lib_copier;
struct lib_copier *lib_copier_new(void);
void lib_copier_run(struct lib_copier *c, const tare_copy *copy, size_t n);
void lib_copier_free(struct lib_copier *c); /* NULL is fine */

#endif
