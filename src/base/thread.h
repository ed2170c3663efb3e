#ifndef TARE_BASE_THREAD_H
#define TARE_BASE_THREAD_H
/* Threads of tare's own beside the one that takes the signals. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * Start f(ctx) with all signals but those of faults blocked: they are for the threads that were
 * there before. stack_bytes 0 = the system's usual (8 MiB); what looks up names needs half a
 * megabyte. 0, or an errno as a positive number, as pthread_create() has it; *ret is then
 * undefined.
 */
int thread_start(pthread_t *ret, size_t stack_bytes, void *(*f)(void *ctx), void *ctx);
/* A condition whose timed waits go by CLOCK_MONOTONIC: setting the wall clock neither ends nor
 * lengthens them. */
void thread_cond_init(pthread_cond_t *c);
/* When its timed wait ends that begins now and may take ms >= 0. */
struct timespec thread_until(int64_t ms);

#endif
