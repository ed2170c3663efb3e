/*
 * A training that a C program would be, with libtare as its users have it: the header and the
 * shared library, nothing inside.
 *
 *   lib-train STEPS STEP_US [FILE]   FILE (default "from") gets a line with the step it begins from
 *
 * The state is 1 MiB that each step changes, so that its hash at the end tells every step and every
 * byte that came back. Saves when `tare run` asks, and when told to stop. Prints "result HASH".
 * Exit: 0 done, 85 told to stop and saved, 3 what came back is not a state of that step, 2 else.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tare/tare.h>

enum { WORDS = 131072 };
static uint64_t state[WORDS + 2]; /* and the step, and a sum over all */

static void train(int64_t step)
{
	uint64_t x = (uint64_t)step * 0x9e3779b97f4a7c15u + 1;

	for (int i = 0; i < 64; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		uint64_t *w = &state[x % WORDS];
		state[WORDS + 1] -= *w;
		*w = *w * 31 + x;
		state[WORDS + 1] += *w;
	}
	state[WORDS] = (uint64_t)step;
}

static int is_state_of(int64_t step)
{
	uint64_t sum = 0;

	for (int i = 0; i < WORDS; i++)
		sum += state[i];
	return sum == state[WORDS + 1] && state[WORDS] == (uint64_t)step;
}

/* The step that it resumes from, 0 the start, negative: it cannot. */
static int64_t resume(void)
{
	char err[300];
	tare_loaded *l;
	int64_t step = 0, at;
	int rc = tare_load_latest(NULL, &l, err, sizeof err);

	if (rc == 0)
		return 0;
	if (rc < 0) {
		fprintf(stderr, "lib-train: %s\n", err);
		return -2;
	}
	step = tare_loaded_step(l);
	at = tare_loaded_find(l, "state");
	if (at < 0 || tare_loaded_bytes(l, (size_t)at) != sizeof state ||
	    tare_loaded_read(l, (size_t)at, state) < 0 || !is_state_of(step))
		step = -3;
	tare_loaded_close(l);
	return step;
}

static int run(tare_saver *s, int64_t step, int64_t total, useconds_t pause_us)
{
	tare_piece piece = { "state", state, sizeof state };
	int64_t saved = -1;

	while (step < total) {
		train(++step);
		tare_step(step);
		usleep(pause_us);
		int stop = tare_should_stop();
		if (tare_should_save() || stop) {
			if (tare_saver_save(s, step, &piece, 1, "{\"by\":\"lib-train\"}") < 0)
				fprintf(stderr, "lib-train: %s\n", tare_saver_error(s));
			else
				saved = step;
		}
		if (stop)
			return tare_saver_wait(s, -1) == 0 ? 85 : 2;
	}
	/* asked in the last step: that one is on its way already */
	return (saved != step && tare_saver_save(s, step, &piece, 1, NULL) < 0) ||
			       tare_saver_wait(s, -1) < 0
		       ? 2
		       : 0;
}

int main(int argc, char **argv)
{
	char err[300];
	int64_t step;
	FILE *from = fopen(argc > 3 ? argv[3] : "from", "a");
	tare_saver *s;
	int code;

	if (argc < 3 || !from)
		return 2;
	if (!(s = tare_saver_open(
		      &(tare_saver_options){ .size = sizeof(tare_saver_options), .keep_last = 2 },
		      err, sizeof err))) {
		fprintf(stderr, "lib-train: %s\n", err);
		return 2;
	}
	step = resume(); /* by nobody else from here on */
	if (step < 0)
		return (int)-step;
	fprintf(from, "%" PRId64 "\n", step);
	fclose(from);
	code = run(s, step, atoll(argv[1]), (useconds_t)atol(argv[2]));
	if (tare_saver_close(s) < 0 && code == 0)
		code = 2;
	if (code == 0)
		printf("result %016" PRIx64 "\n", state[WORDS + 1]);
	return code;
}
