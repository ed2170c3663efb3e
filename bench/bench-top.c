/*
 * Redraw of `tare top`: CPU time of a poll's page (rows sorted, painted, sent) for N GPUs and M
 * processes, and beside it in the same run a bound: the same cells, all of them every time, put
 * with plain addnwstr() by ncurses and refreshed, without any work on what they say. Both write to
 * /dev/null as an xterm of 200 x 60 (and of 80 x 24). Every redraw follows a poll in which all
 * readings moved.
 *
 *   bench-top [CARDS [PROCESSES [ROUNDS]]]      16 200 2000
 *
 * Prints: what, median and 99th percentile in microseconds of CPU, bytes a redraw.
 */
#include <fcntl.h>
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "../tests/unit/top/top_fix.h"
#include "top/top_paint.h"
#include "top/top_screen.h"

static double cpu_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print(const char *what, int w, int h, double *us, int n, double bytes)
{
	qsort(us, (size_t)n, sizeof *us, by_value);
	printf("%-34s %3dx%-3d %9.0f us %9.0f us p99 %10.0f bytes\n", what, w, h, us[n / 2],
	       us[(int)(n * 0.99)], bytes);
}

static struct fix *fleet(int gpus, int procs)
{
	struct fix *f = fix_new();
	static char job[FIX_DEVS][16];
	for (int i = 0; i < gpus; i++) {
		size_t d = fix_gpu(f, 50, 20 + i, 300);
		snprintf(job[i], sizeof job[i], "%d", 4400 + i);
		fix_hold(f, d, "vision", i % 2 ? "ana" : "bo", job[i], 1,
			 i % 3 ? STATE_BUSY : STATE_IDLE_HELD, i % 3 ? CAUSE_NONE : CAUSE_FINISHED);
		for (int k = i; k < procs; k += gpus)
			fix_proc(f, d, 9000000 + k, 1 + k % 7, 10);
	}
	return f;
}

/* All readings move, as noise does. */
static void drift(struct fix *f, unsigned *seed)
{
	for (size_t i = 0; i < f->view.ndev; i++) {
		*seed = *seed * 1103515245 + 12345;
		double r = (double)(*seed >> 16 & 0xff) / 255;
		f->gpu[i].value[METRIC_GPU_UTIL_PCT] = f->use[i][0].state == STATE_BUSY
							       ? 30 + 70 * r
							       : 0;
		f->gpu[i].value[METRIC_POWER_W] = 100 + 500 * r;
		f->gpu[i].value[METRIC_TEMP_CELSIUS] = 40 + 40 * r;
		f->gpu[i].value[METRIC_MEM_USED_BYTES] = (20 + 40 * r) * GIB;
		for (size_t k = 0; k < f->dev[i].nproc; k++)
			f->proc[i][k].sm_util_pct = 100 * r;
	}
}

static SCREEN *screen;
static FILE *out;
static int fd;

static double written(void)
{
	fflush(out);
	return (double)lseek(fd, 0, SEEK_CUR);
}

/* Every cell, whatever it was. */
static void plain(const struct cells *g)
{
	wchar_t line[1001];
	for (int y = 0; y < g->h; y++) {
		for (int x = 0; x < g->w; x++)
			line[x] = g->cell[y * g->w + x].ch;
		mvaddnwstr(y, 0, line, g->w);
	}
	refresh();
}

static void run(int w, int h, int gpus, int procs, int rounds)
{
	struct fix *f = fleet(gpus, procs);
	struct snap_taker *t = snap_taker_new("/nonexistent");
	struct top_model m = { 0 };
	struct top_ui ui;
	struct cells g;
	double *us = calloc((size_t)rounds, sizeof *us),
	       *bound = calloc((size_t)rounds, sizeof *us),
	       *feed = calloc((size_t)rounds, sizeof *us);
	unsigned seed = 1;
	resizeterm(h, w);
	cells_init(&g, w, h, true);
	top_ui_init(&ui, 1000);
	ui.gpu_sort = GPU_UTIL;
	double before = written();
	for (int i = 0; i < rounds; i++) {
		drift(f, &seed);
		double t0 = cpu_us();
		fix_poll(f, t, &m, 1000);
		double t1 = cpu_us();
		top_ui_rows(&ui, &m);
		top_paint(&g, &m, &ui);
		top_screen_show(&g);
		us[i] = cpu_us() - t1;
		feed[i] = t1 - t0;
	}
	double bytes = (written() - before) / rounds;
	print("tare top: rows, paint, send", w, h, us, rounds, bytes);
	print("  (poll taken over and counted)", w, h, feed, rounds, 0);
	before = written();
	for (int i = 0; i < rounds; i++) { /* the same pages */
		drift(f, &seed);
		fix_poll(f, t, &m, 1000);
		top_ui_rows(&ui, &m);
		top_paint(&g, &m, &ui);
		double t1 = cpu_us();
		plain(&g);
		bound[i] = cpu_us() - t1;
	}
	print("bound: same cells, plain ncurses", w, h, bound, rounds,
	      (written() - before) / rounds);
	printf("%-34s %3dx%-3d %9.2f\n", "ratio of medians", w, h,
	       us[rounds / 2] / bound[rounds / 2]);
	cells_free(&g);
	top_ui_free(&ui);
	top_model_free(&m);
	snap_taker_free(t);
	free(us), free(bound), free(feed), free(f);
}

int main(int argc, char **argv)
{
	int gpus = argc > 1 ? atoi(argv[1]) : 16, procs = argc > 2 ? atoi(argv[2]) : 200,
	    rounds = argc > 3 ? atoi(argv[3]) : 2000;
	char name[] = "/tmp/bench-top.XXXXXX";
	setlocale(LC_CTYPE, "C.UTF-8");
	if (gpus < 1 || gpus > FIX_DEVS || procs < 0 || procs > gpus * FIX_PROCS || rounds < 10)
		return 2;
	fd = mkstemp(name);
	unlink(name);
	out = fdopen(fd, "w+");
	screen = newterm("xterm-256color", out, stdin);
	if (!screen)
		return 77;
	run(80, 24, gpus, procs, rounds);
	run(200, 60, gpus, procs, rounds);
	endwin();
	return 0;
}
