/*
 * How fast the CSV reader goes through a bill: bench-csv FILE.csv [ROUNDS]. Prints rows, bytes and
 * bytes a second per round, beside what a memchr() over the same bytes reaches, as the limit of
 * reading them at all.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/dec.h"
#include "base/tab.h"
#include "base/tm.h"

static volatile double sink; /* what was read is used, so that nothing is left out */

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int read_table(const char *path, int parse, int64_t *ret_rows, int64_t *ret_bytes,
		      struct err *err)
{
	struct input *in;
	struct tab *t;
	const struct sv *cell;
	int rc = input_open(path, &in, err), cost = 0, start = 0;
	if (rc)
		return rc;
	*ret_bytes = input_packed_size(in);
	*ret_rows = 0;
	rc = tab_csv_open(in, NULL, &t, err);
	if (!rc) {
		cost = tab_col(t, "BilledCost");
		start = tab_col(t, "ChargePeriodStart");
		dec sum = 0, v;
		int64_t ms;
		while ((rc = tab_next(t, &cell, err)) == 1) {
			++*ret_rows;
			if (parse && cost >= 0 && cell[cost].p && !dec_parse(cell[cost], 0, &v))
				sum += v;
			if (parse && start >= 0 && cell[start].p && !tm_parse(cell[start], 0, &ms))
				sum += ms & 1;
		}
		sink += dec_to_double(sum);
		tab_close(t);
	}
	input_close(in);
	return rc;
}

static int64_t count_lines(const char *path)
{
	static char buf[1 << 20];
	struct err e;
	struct input *in;
	int64_t lines = 0, got;
	if (input_open(path, &in, &e))
		return -1;
	while ((got = input_read(in, buf, sizeof buf, &e)) > 0)
		for (char *p = buf; (p = memchr(p, '\n', (size_t)(buf + got - p))); p++)
			lines++;
	input_close(in);
	return lines;
}

int main(int argc, char **argv)
{
	struct err e;
	int64_t rows = 0, bytes = 0;
	if (argc < 2) {
		fprintf(stderr, "usage: bench-csv FILE.csv [ROUNDS]\n");
		return 2;
	}
	printf("what,rows,bytes,seconds,mb_s\n");
	for (int i = 0, n = argc > 2 ? atoi(argv[2]) : 3; i < n; i++) {
		for (int parse = 0; parse < 2; parse++) {
			double t = now_s();
			if (read_table(argv[1], parse, &rows, &bytes, &e)) {
				fprintf(stderr, "bench-csv: %s\n", e.msg);
				return 2;
			}
			t = now_s() - t;
			printf("%s,%" PRId64 ",%" PRId64 ",%.3f,%.0f\n",
			       parse ? "cells+cost+time" : "cells", rows, bytes, t,
			       (double)bytes / t / 1e6);
		}
		double t = now_s();
		rows = count_lines(argv[1]);
		t = now_s() - t;
		printf("memchr,%" PRId64 ",%" PRId64 ",%.3f,%.0f\n", rows, bytes, t,
		       (double)bytes / t / 1e6);
	}
	return 0;
}
