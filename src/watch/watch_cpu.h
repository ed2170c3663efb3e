#ifndef TARE_WATCH_WATCH_CPU_H
#define TARE_WATCH_WATCH_CPU_H
/*
 * Processor use of processes, as differences between two readings of /proc. A process is its number
 * and the moment it started, so that a number used again is another process. Memory is that of the
 * processes asked for in the last two rounds.
 */
#include <stddef.h>
#include <stdint.h>

struct watch_cpu;
/* proc: NULL = "/proc"; a process is read at most once every every_ms (0: every time). */
struct watch_cpu *watch_cpu_new(const char *proc, int64_t every_ms);
void watch_cpu_free(struct watch_cpu *c);
/* a new poll: forgets who was not asked for in the last */
void watch_cpu_round(struct watch_cpu *c, int64_t mono_ms);
/* Percent of one processor since the reading before, NAN at the first, for one that is gone or that
 * may not be read. */
double watch_cpu_of(struct watch_cpu *c, int32_t pid, uint64_t start_ticks);

#endif
