#ifndef TARE_RUN_RUN_PRICE_H
#define TARE_RUN_RUN_PRICE_H
/* The price of the machine while a command runs: read again every few minutes by a thread that may
 * wait. */
#include <pthread.h>
#include "base/str.h"
#include "run/run.h"

struct run_price {
	const struct run_price_src *src;
	int fd; /* eventfd: something was read; -1: nobody reads */
	pthread_t th;
	pthread_mutex_t mu;
	pthread_cond_t wake;
	bool running, quit, news, failed;
	int64_t nano;
	struct err err;
};
int run_price_open(struct run_price *p, const struct run_price_src *src, struct err *err);
/* 1: *ret_nano is what it costs now; 0: nothing new; negative: it could not be read (told once,
 * until it can be again). */
int run_price_take(struct run_price *p, int64_t *ret_nano, struct err *err);
void run_price_close(struct run_price *p);

/* "2.74", "$2.74" in the first line, blanks around it; 0 to 100,000. -EBADMSG. */
int run_price_parse(struct sv text, int64_t *ret_nano, struct err *err);
/* Sources: ctx is the name of the file, or the command of a shell. */
int run_price_file(void *ctx, int64_t now_ms, bool (*stopped)(void *), void *stop_ctx,
		   int64_t *ret_nano, struct err *err);
int run_price_command(void *ctx, int64_t now_ms, bool (*stopped)(void *), void *stop_ctx,
		      int64_t *ret_nano, struct err *err);

#endif
