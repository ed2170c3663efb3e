/* Death and want at any moment of an import: the batch is atomically. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "common.h"

/* a batch; enough for the writer's thread */
enum { SAMPLES = 20000, LINES = 30000, ENTRIES = 30000 };

static void write_batch(struct store *s, int64_t batch, struct err *err, int *ret)
{
	int r = 0;
	char id[32];
	struct sample_key k = { .node = SV("n1"), .gpu = SV("0") };
	snprintf(id, sizeof id, "resource-of-batch-%lld", (long long)batch);
	for (int i = 0; r == 0 && i < LINES; i++) {
		struct bill_line l = { .provider = SV("aws"),
				       .currency = SV("USD"),
				       .resource_id = sv_of(id),
				       .from_ms = H(batch),
				       .to_ms = H(batch + 1),
				       .cost = { 1, 1, 1 },
				       .has_cost = { true, true, true },
				       .gpu_milli = i % 2 };
		r = store_add_bill(s, 0, "", &l, err);
	}
	for (int i = 0; r == 0 && i < ENTRIES; i++) {
		struct entry e = gpu_entry((int)batch, id, STATE_BUSY, 1, 1);
		r = store_add_entry(s, &e, err);
	}
	for (int i = 0; r == 0 && i < SAMPLES; i++) {
		struct sample v = { .t_ms = H(batch * 10) + i * 1000LL, .step_ms = 1000 };
		for (int m = 0; m < METRIC_N; m++)
			v.value[m] = m < 3 ? (double)((i * 7919LL + m) % 1000) / 3 : NAN;
		r = store_add_sample(s, 0, &k, &v, err);
	}
	*ret = r;
}

/* Import batches until killed, or until the test is; each commit is acknowledged on the pipe. */
static void importer(int ack)
{
	struct err err;
	struct store *s;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (store_open(test_dir, STORE_WRITE, 0, "tare import", &s, &err))
		_exit(1);
	for (;;) {
		int64_t batch;
		int r;
		if (store_begin(s, &batch, &err))
			_exit(2);
		write_batch(s, batch, &err, &r);
		struct batch_file f = { "f", "k", "h", "s", "{}", 0, 0 };
		if (r || store_commit(s, 0, "tare import", &f, 1, &err))
			_exit(3);
		if (write(ack, &batch, sizeof batch) != sizeof batch)
			_exit(4);
	}
}

/* The number of whole batches; anything else than whole batches fails the test. */
static int64_t whole_batches(enum store_mode mode)
{
	struct arena a = { 0 };
	struct err err;
	struct bill_total *t;
	struct ledger_row *row;
	struct series *v;
	struct sample_cursor *c;
	struct sample x;
	size_t n, i;
	struct store *s = open_store(mode);
	struct ledger_query q = { .since_ms = INT64_MIN, .until_ms = INT64_MAX };
	fine(store_bill_totals(s, SPAN_ALL, &a, &t, &n, &err), &err);
	int64_t lines = n ? t[0].rows : 0, entries, samples = 0;
	fine(store_ledger(s, &q, &a, &row, &n, &err), &err);
	entries = n ? row[0].ms : 0;
	fine(store_series(s, NULL, &a, &v, &n, &err), &err);
	fine(store_samples(s, v, n, SPAN_ALL, &c, &err), &err);
	int r;
	while ((r = sample_cursor_next(c, &i, &x, &err)) > 0)
		samples++;
	fine(r, &err);
	sample_cursor_close(c);
	store_close(s);
	arena_free(&a);
	assert_int_equal(lines % LINES, 0);
	assert_int_equal(entries, lines / LINES * ENTRIES);
	assert_int_equal(samples, lines / LINES * SAMPLES);
	return lines / LINES;
}

static int64_t acknowledged(int fd)
{
	int64_t last = 0, batch;
	while (read(fd, &batch, sizeof batch) == sizeof batch)
		last = batch;
	return last;
}

/* Milliseconds from the start of an importer to its first acknowledged batch, on the machine as it
 * is now. */
static int64_t one_batch_ms(void)
{
	struct timespec a, b;
	int ack[2];
	int64_t batch;
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(pipe(ack), 0);
	pid_t pid = fork();
	if (pid == 0)
		importer(ack[1]);
	close(ack[1]);
	assert_int_equal(read(ack[0], &batch, sizeof batch), sizeof batch);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ack[0]);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 + 1;
}

static void killed(void **state)
{
	unsigned seed = (unsigned)time(NULL);
	int64_t before = 0, total = 0;
	const char *rounds = getenv("TARE_TEST_ROUNDS");
	store_close(open_store(STORE_WRITE));
	int64_t ms = one_batch_ms();
	before = whole_batches(STORE_READ);
	print_message("seed %u, a batch takes %lld ms\n", seed, (long long)ms);
	for (int i = 0; i < (rounds ? atoi(rounds) : 12); i++) {
		int ack[2];
		assert_int_equal(pipe(ack), 0);
		pid_t pid = fork();
		if (pid == 0) {
			close(ack[0]);
			importer(ack[1]);
		}
		close(ack[1]);
		usleep((useconds_t)((int64_t)rand_r(&seed) % (ms * 2500)));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		int64_t said = acknowledged(ack[0]);
		close(ack[0]);
		/* A reader right after the death, then the next writer: both see whole batches,
		 * none that was acknowledged is missing. */
		int64_t there = whole_batches(STORE_READ);
		assert_true(there >= before && (!said || there >= said) &&
			    there <= (said ? said : before) + 1);
		assert_int_equal(whole_batches(STORE_WRITE), there);
		total += there - before;
		before = there;
	}
	print_message("%lld batches\n", (long long)total);
}

/* A file that may not grow: every size of the limit at which the import fails leaves the store as
 * it was. */
static void limited(void **state)
{
	struct err err = { 0 };
	struct store *s = open_store(STORE_WRITE);
	int r, failures = 0;
	int64_t batch = begin(s);
	write_batch(s, batch, &err, &r);
	fine(r, &err);
	commit(s, "x");
	store_close(s);
	struct stat st;
	char path[300];
	snprintf(path, sizeof path, "%s/facts.duckdb", test_dir);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(stat(path, &st), 0);
		pid_t pid = fork();
		if (pid == 0) {
			struct rlimit lim = { (rlim_t)(st.st_size / 8 * i), RLIM_INFINITY };
			if (i == 7)
				lim.rlim_cur = RLIM_INFINITY;
			signal(SIGXFSZ, SIG_IGN);
			setrlimit(RLIMIT_FSIZE, &lim);
			r = store_open(test_dir, STORE_WRITE, 0, "tare import", &s, &err);
			if (r == 0)
				r = store_begin(s, &batch, &err);
			if (r == 0)
				write_batch(s, batch, &err, &r);
			struct batch_file f = { "f", "k", "h", "s", "{}", 0, 0 };
			if (r == 0)
				r = store_commit(s, 0, "tare import", &f, 1, &err);
			if (r == 0)
				store_close(s);
			else
				fprintf(stderr, "    limit %d/8: %s\n", i, err.msg);
			_exit(r == 0 ? 0 : strstr(err.msg, "size limit") ? 1 : 2);
		}
		int status;
		waitpid(pid, &status, 0);
		assert_true(WIFEXITED(status));
		assert_true(WEXITSTATUS(status) <= 1);
		failures += WEXITSTATUS(status) == 1;
		int64_t there = whole_batches(STORE_READ);
		assert_int_equal(there, 1 + (i + 1 - failures));
	}
	assert_true(failures >= 3 && failures <= 7);
}

/* The same in the middle of a large import, while DuckDB's threads write. */
static void limited_midway(void **state)
{
	store_close(open_store(STORE_WRITE));
	pid_t pid = fork();
	if (pid == 0) {
		struct err err = { 0 };
		struct store *s;
		int64_t batch;
		char job[32];
		struct rlimit lim = { 2 << 20, RLIM_INFINITY };
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &lim);
		int r = store_open(test_dir, STORE_WRITE, 0, "tare import", &s, &err);
		if (r == 0)
			r = store_begin(s, &batch, &err);
		for (int i = 0; r == 0 && i < 3000000; i++) {
			struct entry e = gpu_entry(i % 700, job, STATE_BUSY, i,
						   i * 7919LL % 1000003);
			snprintf(job, sizeof job, "job %lld of this test", i * 104729LL % 1000003);
			e.owner.field[OWNER_TEAM] = sv_of(job);
			r = store_add_entry(s, &e, &err);
		}
		bool clear = r == -EFBIG && strstr(err.msg, "size limit");
		if (!clear)
			fprintf(stderr, "%d: %s\n", r, err.msg);
		store_close(s); /* rolls back */
		_exit(clear ? 0 : 1);
	}
	int status;
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(whole_batches(STORE_READ), 0);
	assert_int_equal(whole_batches(STORE_WRITE), 0);
}

/* A disk that is full, at several moments: a small file system of its own. */
static void disk_full(void **state)
{
	pid_t pid = fork();
	if (pid == 0) {
		int failed = 0, fine_ones = 0;
		if ((unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS)) ||
		    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("tmpfs", test_dir, "tmpfs", 0, "size=8m"))
			_exit(77);
		for (int i = 0; i < 200 && failed < 3; i++) {
			struct err err = { 0 };
			struct store *s;
			int64_t batch = 0;
			int r = store_open(test_dir, STORE_WRITE, 0, "tare import", &s, &err);
			bool opened = r == 0;
			if (r == 0)
				r = store_begin(s, &batch, &err);
			if (r == 0)
				write_batch(s, batch, &err, &r);
			struct batch_file f = { "f", "k", "h", "s", "{}", 0, 0 };
			if (r == 0)
				r = store_commit(s, 0, "tare import", &f, 1, &err);
			if (opened)
				store_close(s);
			fine_ones += r == 0;
			failed += r != 0;
			if (r && (r != -ENOSPC || !strstr(err.msg, "disk is full"))) {
				fprintf(stderr, "%d: %s\n", r, err.msg);
				_exit(1);
			}
			int64_t there = whole_batches(STORE_READ);
			if (there != fine_ones) {
				fprintf(stderr, "%lld batches are there, %d went well\n",
					(long long)there, fine_ones);
				_exit(2);
			}
		}
		_exit(failed == 3 && fine_ones > 0 ? 0 : 3);
	}
	int status;
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("no right to mount a small file system\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh_dir, remove_dir)
		T(killed),
		T(limited),
		T(limited_midway),
		T(disk_full),
#undef T
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
