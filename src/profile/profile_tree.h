#ifndef TARE_PROFILE_PROFILE_TREE_H
#define TARE_PROFILE_PROFILE_TREE_H
/*
 * A command with everything it started, however deep, and their processor time. The caller is made
 * the reaper of orphans (PR_SET_CHILD_SUBREAPER), so that a process whose parents are gone is a
 * child of the caller and still found; the caller must wait for all its children and tell of each
 * (profile_tree_reaped()). Processor time is then complete: of the living, of children they waited
 * for, of those the caller waited for.
 *
 * What a daemon starts on behalf of the command (docker run, srun, ssh) is not among its
 * descendants.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_proc { /* a living process of the command, by pid */
	int32_t pid, ppid;
	uint64_t start_ticks, cpu_ticks;
	/* 100 = one processor, over the time since the reading before; NAN for one that is new */
	double cpu_pct;
	char state;
};
struct profile_tree;
/* proc: "/proc", or another folder in tests; self: the caller, whose descendants are meant. */
struct profile_tree *profile_tree_new(const char *proc, int32_t self);
void profile_tree_free(struct profile_tree *t); /* NULL is fine */
/* the caller waited for a child that used this much, with its own children */
void profile_tree_reaped(struct profile_tree *t, double cpu_s);

/*
 * Look again. Reads every process of the machine (their parents are not known otherwise), so it is
 * left out where it would take more than a twentieth of the time: false, and everything stays as it
 * was. The first look is never left out.
 */
bool profile_tree_look(struct profile_tree *t, int64_t mono_ms);

const struct profile_proc *profile_tree_procs(const struct profile_tree *t, size_t *ret_n);
/* start_ticks 0: any. NULL where it is not one of the command's. */
const struct profile_proc *profile_tree_find(const struct profile_tree *t, int32_t pid,
					     uint64_t start_ticks);
/* The same for a process that came after the last look: asks for its parents one by one. */
bool profile_tree_has(const struct profile_tree *t, int32_t pid, uint64_t start_ticks);
/* of all of them since the look before, 100 = one processor; NAN at the first */
double profile_tree_cpu_pct(const struct profile_tree *t);
double profile_tree_cpu_s(const struct profile_tree *t); /* since the start */
/* shared pages count in each process */
double profile_tree_rss_bytes(const struct profile_tree *t);
/* different processes so far; those between two looks are not among them */
size_t profile_tree_seen(const struct profile_tree *t);

#endif
