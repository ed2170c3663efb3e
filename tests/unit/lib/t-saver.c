#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/runmsg.h"
#include "tare/tare.h"

enum { BIG = 6 * 1000 * 1000 };
static char top[200], err[500];

static int setup(void **state)
{
	const char *t = getenv("TMPDIR");

	snprintf(top, sizeof top, "%s/tare-lib-XXXXXX", t ? t : "/tmp");
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	char cmd[300];

	snprintf(cmd, sizeof cmd, "rm -rf '%s'", top);
	return system(cmd);
}

static tare_saver *open_saver(const char *name)
{
	char path[300];
	tare_saver *s;

	snprintf(path, sizeof path, "%s/%s", top, name);
	s = tare_saver_open(&(tare_saver_options){ .size = sizeof(tare_saver_options),
						   .dir = path,
						   .world = 1,
						   .keep_last = 2 },
			    err, sizeof err);
	if (!s)
		fail_msg("%s", err);
	return s;
}

static tare_loaded *load(const char *name)
{
	char path[300];
	tare_loaded *l = NULL;

	snprintf(path, sizeof path, "%s/%s", top, name);
	return tare_load_latest(path, &l, err, sizeof err) > 0 ? l : NULL;
}

/* The caller may change its state as soon as save returns: what is kept is what was there. */
static void copy_is_kept(void **state)
{
	tare_saver *s = open_saver("copy");
	uint8_t *w = malloc(BIG), *back = malloc(BIG);
	tare_piece p[] = { { "weights", w, BIG },
			   { "loader", "epoch 3", 7 },
			   { "nothing", NULL, 0 } };

	for (int64_t step = 1; step <= 5; step++) {
		memset(w, (int)step, BIG);
		assert_int_equal(tare_saver_save(s, step, p, 3, "{\"a\":1}"), 0);
		memset(w, 0xee, BIG);
	}
	assert_int_equal(tare_saver_wait(s, -1), 0);
	assert_int_equal(tare_saver_safe_step(s), 5);
	assert_int_equal(tare_saver_close(s), 0);
	tare_loaded *l = load("copy");
	assert_non_null(l);
	assert_int_equal(tare_loaded_step(l), 5);
	assert_string_equal(tare_loaded_meta(l), "{\"a\":1}");
	assert_int_equal(tare_loaded_count(l), 3);
	int64_t i = tare_loaded_find(l, "weights");
	assert_int_equal(tare_loaded_bytes(l, (size_t)i), BIG);
	assert_int_equal(tare_loaded_read(l, (size_t)i, back), 0);
	for (size_t k = 0; k < BIG; k += 999)
		assert_int_equal(back[k], 5);
	assert_int_equal(tare_load_older(l), 1);
	assert_int_equal(tare_loaded_step(l), 4);
	assert_int_equal(tare_load_older(l), 0); /* two are kept */
	tare_loaded_close(l);
	free(w);
	free(back);
}

static void nothing_saved(void **state)
{
	assert_null(load("never"));
	assert_string_equal(err, "");
}

/* A save that fails is told of at the next call; the older checkpoint is still there. */
static void failure_is_told(void **state)
{
	tare_saver *s = open_saver("fails");
	tare_piece good[] = { { "w", "x", 1 } }, bad[] = { { "../w", "x", 1 } };

	assert_int_equal(tare_saver_save(s, 1, good, 1, NULL), 0);
	assert_int_equal(tare_saver_wait(s, -1), 0);
	assert_int_equal(tare_saver_save(s, 2, bad, 1, NULL), 0);
	assert_true(tare_saver_wait(s, -1) < 0);
	assert_non_null(strstr(tare_saver_error(s), "../w"));
	assert_int_equal(tare_saver_safe_step(s), 1);
	assert_int_equal(tare_saver_close(s), 0);
	tare_loaded *l = load("fails");
	assert_int_equal(tare_loaded_step(l), 1);
	tare_loaded_close(l);
}

static int next_packet(int fd, struct runmsg *m)
{
	char packet[RUNMSG_MAX];
	ssize_t n = recv(fd, packet, sizeof packet, 0);

	return n > 0 ? runmsg_parse((struct sv){ packet, (size_t)n }, m) : -1;
}

static void line_to_run(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0), c;
	char packet[RUNMSG_MAX];
	struct runmsg m;

	snprintf(a.sun_path, sizeof a.sun_path, "%.80s/run.sock", top);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(listen(fd, 1), 0);
	setenv("TARE_RUN_SOCKET", a.sun_path, 1);
	assert_int_equal(tare_should_stop(), 0);
	c = accept(fd, NULL, NULL);
	tare_saver *s = open_saver("under-run");
	assert_int_equal(next_packet(c, &m), 0);
	assert_int_equal(m.kind, RUN_HELLO);
	assert_int_equal(tare_saver_save(s, 9, (tare_piece[]){ { "w", "x", 1 } }, 1, NULL), 0);
	assert_int_equal(tare_saver_wait(s, -1), 0);
	assert_int_equal(next_packet(c, &m), 0);
	assert_int_equal(m.kind, RUN_SAVING);
	assert_int_equal(next_packet(c, &m), 0);
	assert_int_equal(m.kind, RUN_SAFE);
	assert_int_equal(m.step, 9);
	m = (struct runmsg){ .kind = RUN_SAVE, .deadline_ms = INT64_MIN };
	send(c, packet, runmsg_write(&m, packet), 0);
	assert_int_equal(tare_should_save(), 1);
	assert_int_equal(tare_should_save(), 0);
	assert_int_equal(tare_notice_left_ms(), -1);
	m = (struct runmsg){ .kind = RUN_STOP, .deadline_ms = 1 };
	send(c, packet, runmsg_write(&m, packet), 0);
	assert_int_equal(tare_should_stop(), 1);
	assert_int_equal(tare_notice_left_ms(), 0);
	close(c);
	close(fd);
	tare_step(10); /* to nobody */
	assert_int_equal(tare_saver_close(s), 0);
}

/* The best stays while newer ones push the others out; a step can be asked for. */
static void best_is_kept(void **state)
{
	tare_saver *s = open_saver("best");
	tare_loaded *l = NULL;
	char path[300];

	for (int64_t step = 1; step <= 6; step++) {
		char text[20];
		snprintf(text, sizeof text, "step %d", (int)step);
		if (step == 2)
			tare_saver_keep_best(s, 2);
		assert_int_equal(
			tare_saver_save(s, step, (tare_piece[]){ { "w", text, 6 } }, 1, NULL), 0);
	}
	assert_int_equal(tare_saver_close(s), 0);
	snprintf(path, sizeof path, "%s/best", top);
	assert_int_equal(tare_load_step(path, 3, &l, err, sizeof err), 0);
	assert_int_equal(tare_load_step(path, 2, &l, err, sizeof err), 1);
	char back[7] = "";
	assert_int_equal(tare_loaded_read(l, 0, back), 0);
	assert_string_equal(back, "step 2");
	tare_loaded_close(l);
}

static void spoil(const char *path)
{
	char cmd[400];

	snprintf(
		cmd, sizeof cmd,
		"f=$(ls '%s'/data/*2-*.r0); printf X | dd of=\"$f\" bs=1 seek=2 conv=notrunc 2>/dev/null",
		path);
	assert_int_equal(system(cmd), 0);
}

/* Read at once, a damaged one is found out while reading, and the way to the older one is open. */
static void quick_load_finds_damage(void **state)
{
	tare_saver *s = open_saver("quick");
	tare_loaded *l = NULL;
	char path[300], back[8] = "";

	for (int64_t step = 1; step <= 2; step++) {
		const char *text = step == 1 ? "first.." : "second.";
		assert_int_equal(
			tare_saver_save(s, step, (tare_piece[]){ { "w", text, 7 } }, 1, NULL), 0);
	}
	assert_int_equal(tare_saver_close(s), 0);
	snprintf(path, sizeof path, "%s/quick", top);
	spoil(path);
	assert_int_equal(tare_load_quick(path, &l, err, sizeof err), 1);
	assert_int_equal(tare_loaded_step(l), 2);
	assert_int_equal(tare_loaded_read(l, 0, back), -EBADMSG);
	assert_int_equal(tare_load_older(l), 1);
	assert_int_equal(tare_loaded_read(l, 0, back), 0);
	assert_string_equal(back, "first..");
	tare_loaded_close(l);
	assert_int_equal(tare_load_latest(path, &l, err, sizeof err), 1);
	assert_int_equal(tare_loaded_step(l), 1);
	assert_non_null(strstr(err, "damaged"));
	tare_loaded_close(l);
	assert_int_equal(tare_load_step(path, 2, &l, err, sizeof err), -EBADMSG);
	/* a manifest that is gone is no step that never was */
	char cmd[400];
	snprintf(cmd, sizeof cmd, "rm '%s'/ckpt/*2-*", path);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(tare_load_step(path, 2, &l, err, sizeof err), -EBADMSG);
	assert_non_null(strstr(err, "its manifest is missing"));
	assert_int_equal(tare_load_step(path, 3, &l, err, sizeof err), 0);
	assert_int_equal(tare_load_step(path, 1, &l, err, sizeof err), 1);
	tare_loaded_close(l);
	snprintf(cmd, sizeof cmd, "rm '%s'/ckpt/*", path);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(tare_load_step(path, 1, &l, err, sizeof err), -EBADMSG);
}

/* A worker that outlives the program does not hold the folder, and SIGTERM ends it. */
static void children_hold_nothing(void **state)
{
	int go[2], status;
	tare_saver *s = open_saver("forked");
	char c;

	unsetenv("TARE_RUN_SOCKET");
	(void)tare_should_stop(); /* catches SIGTERM */
	assert_int_equal(pipe(go), 0);
	pid_t worker = fork();
	if (worker == 0) {
		tare_saver_close(s);
		close(go[1]);
		(void)!read(go[0], &c, 1);
		_exit(3);
	}
	assert_int_equal(tare_saver_close(s), 0);
	s = open_saver("forked"); /* while the worker lives */
	assert_int_equal(tare_saver_close(s), 0);
	kill(worker, SIGTERM);
	assert_int_equal(waitpid(worker, &status, 0), worker);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	close(go[0]);
	close(go[1]);
}

/* Many copies of all sizes, more than is worth helpers: each byte arrives, whoever copied it. */
static void copies_of_all_sizes(void **state)
{
	enum { N = 3000, ALL = 40 << 20 };
	tare_saver *s = open_saver("fill");
	uint8_t *from = malloc(ALL), *to = NULL;
	tare_copy copy[N + 2];
	uint64_t at = 0;
	size_t n = 0;

	for (size_t i = 0; i < ALL; i++)
		from[i] = (uint8_t)(i * 2654435761u >> 13);
	for (; n < N; n++) {
		uint64_t bytes = n % 7 * 1000 + n % 3;
		copy[n] = (tare_copy){ (void *)(uintptr_t)at, from + at, bytes };
		at += bytes;
	}
	copy[n++] = (tare_copy){ (void *)(uintptr_t)at, from + at, ALL - at };
	copy[n++] = (tare_copy){ 0 };
	for (int turn = 0; turn < 3; turn++) {
		/* the second and third with helpers that are there already */
		uint8_t *mem = tare_saver_memory(s, ALL);
		assert_non_null(mem);
		memset(mem, 0, ALL);
		for (size_t i = 0; i < n; i++)
			copy[i].to = turn == 0 || to == NULL ? mem + (uintptr_t)copy[i].to
							     : (uint8_t *)copy[i].to - to + mem;
		to = mem;
		tare_saver_fill(s, copy, n);
		assert_memory_equal(mem, from, ALL);
		assert_int_equal(
			tare_saver_go(s, turn, (tare_piece[]){ { "all", mem, ALL } }, 1, NULL), 0);
	}
	assert_int_equal(tare_saver_go(s, 9, NULL, 0, NULL), -EINVAL); /* without memory */
	assert_int_equal(tare_saver_close(s), 0);
	free(from);
}

/* ---- a CUDA runtime, as far as memory needs one ------------------------------------------ */

static _Thread_local int cuda_device; /* 0 in a new thread, as the real one has it */
static atomic_int cuda_pinned[4], cuda_unpinned, cuda_refuses, cuda_cleared;
#define CUDA __attribute__((visibility("default")))
CUDA int cudaGetDevice(int *ret);
CUDA int cudaSetDevice(int device);
CUDA int cudaGetLastError(void);
CUDA int cudaHostRegister(void *p, size_t bytes, unsigned flags);
CUDA int cudaHostUnregister(void *p);

int cudaGetDevice(int *ret)
{
	*ret = cuda_device;
	return 0;
}

int cudaSetDevice(int device)
{
	cuda_device = device;
	return 0;
}

int cudaGetLastError(void)
{
	cuda_cleared++;
	return 2;
}

int cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
	if (cuda_refuses)
		return 2;
	cuda_pinned[cuda_device]++;
	return 0;
}

int cudaHostUnregister(void *p)
{
	cuda_unpinned++;
	return 0;
}

/* Rank 3's memory is pinned for GPU 3 by whichever thread gets it, and a refusal is nobody's
 * error. */
static void pinned_for_the_callers_gpu(void **state)
{
	memset(cuda_pinned, 0, sizeof cuda_pinned);
	cuda_unpinned = 0;
	cuda_device = 3;
	tare_saver *s = open_saver("pinned");
	tare_saver_reserve(s, BIG);
	uint8_t *w = calloc(1, BIG);
	for (int64_t step = 1; step <= 3; step++)
		assert_int_equal(
			tare_saver_save(s, step, (tare_piece[]){ { "w", w, BIG } }, 1, NULL), 0);
	assert_int_equal(tare_saver_close(s), 0);
	assert_int_equal(cuda_pinned[0], 0);
	assert_true(cuda_pinned[3] >= 2 && cuda_pinned[3] == cuda_unpinned);
	cuda_refuses = 1;
	cuda_cleared = 0;
	s = open_saver("pinned");
	assert_int_equal(tare_saver_save(s, 4, (tare_piece[]){ { "w", w, BIG } }, 1, NULL), 0);
	assert_int_equal(tare_saver_close(s), 0);
	assert_true(cuda_cleared >= 1);
	cuda_refuses = cuda_device = 0;
	free(w);
}

/* More than there is, or what no manifest takes: an error, and the next one is as if nothing had
 * been. */
static void no_memory(void **state)
{
	tare_saver *s = open_saver("none");

	assert_null(tare_saver_memory(s, UINT64_MAX - 5));
	assert_int_equal(tare_saver_go(s, 1, NULL, 0, NULL), -EINVAL);
	char *meta = calloc(1, (1 << 20) + 2);
	memset(meta, 'x', (1 << 20) + 1);
	/* could not be read back */
	assert_int_equal(tare_saver_save(s, 1, (tare_piece[]){ { "w", "abc", 3 } }, 1, meta),
			 -EINVAL);
	assert_non_null(strstr(tare_saver_error(s), "one line"));
	assert_int_equal(tare_saver_wait(s, -1), 0);
	assert_int_equal(tare_saver_safe_step(s), -1);
	free(meta);
	assert_int_equal(tare_saver_save(s, 1, (tare_piece[]){ { "w", "abc", 3 } }, 1, NULL), 0);
	assert_int_equal(tare_saver_close(s), 0);
	tare_loaded *l = load("none");
	assert_non_null(l);
	tare_loaded_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(pinned_for_the_callers_gpu),
					    cmocka_unit_test(no_memory),
					    cmocka_unit_test(copy_is_kept),
					    cmocka_unit_test(copies_of_all_sizes),
					    cmocka_unit_test(best_is_kept),
					    cmocka_unit_test(quick_load_finds_damage),
					    cmocka_unit_test(children_hold_nothing),
					    cmocka_unit_test(nothing_saved),
					    cmocka_unit_test(failure_is_told),
					    cmocka_unit_test(line_to_run) };
	return cmocka_run_group_tests(tests, setup, teardown);
}
