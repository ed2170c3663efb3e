#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <stdlib.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ckpt/ckpt.h"

enum { BIG = 9 * 1000 * 1000 + 7 };

static char top[200];
static uint8_t *state_bytes;

static int setup(void **state)
{
	const char *t = getenv("TMPDIR");

	snprintf(top, sizeof top, "%s/tare-ckpt-XXXXXX", t ? t : "/tmp");
	assert_non_null(mkdtemp(top));
	assert_int_equal(posix_memalign((void **)&state_bytes, CKPT_ALIGN, BIG + CKPT_ALIGN), 0);
	for (size_t i = 0; i < BIG; i++)
		state_bytes[i] = (uint8_t)(i * 2654435761u >> 13);
	return 0;
}

static int teardown(void **state)
{
	char cmd[300];

	free(state_bytes);
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", top);
	return system(cmd);
}

static struct ckpt_dir *open_dir(const char *name, const struct ckpt_opt *opt)
{
	char path[300];
	struct ckpt_dir *d;
	struct err err = { 0 };

	snprintf(path, sizeof path, "%s/%s", top, name);
	if (ckpt_open(path, opt, &d, &err) < 0)
		fail_msg("%s", err.msg);
	return d;
}

static struct ckpt_stat save(struct ckpt_dir *d, int64_t step, const void *p, size_t n, char id[40])
{
	struct ckpt_writer *w;
	struct ckpt_stat st;
	struct err err = { 0 };

	assert_int_equal(ckpt_begin(d, step, step * 60000, &w, &err), 0);
	assert_int_equal(ckpt_put(w, "state", p, n, &err), 0);
	assert_int_equal(ckpt_put(w, "rng", "seed", 4, &err), 0);
	if (ckpt_commit(w, "{\"n\":1}", 0, id, &err) < 0)
		fail_msg("%s", err.msg);
	ckpt_writer_stat(w, &st);
	ckpt_writer_free(w);
	return st;
}

static int files_in(const char *name, const char *sub)
{
	char path[300];
	int n = 0;

	snprintf(path, sizeof path, "%s/%s/%s", top, name, sub);
	DIR *d = opendir(path);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void saved_is_read(void **state)
{
	struct ckpt_dir *d = open_dir("one", NULL);
	struct ckpt c;
	struct err err;
	char id[40];
	uint8_t *back = malloc(BIG);

	assert_int_equal(ckpt_newest(d, NULL, true, &c, NULL, &err), 0);
	struct ckpt_stat st = save(d, 10, state_bytes, BIG, id);
	assert_int_equal(st.written_bytes, BIG + 4);
	state_bytes[5000000]++;
	st = save(d, 20, state_bytes, BIG, id);
	assert_int_equal(st.written_bytes, CKPT_CHUNK_BYTES); /* the changed chunk alone */
	assert_int_equal(st.same_bytes, BIG + 4 - CKPT_CHUNK_BYTES);
	ckpt_close(d);

	d = open_dir("one", &(struct ckpt_opt){ .read_only = true });
	assert_int_equal(ckpt_newest(d, NULL, true, &c, NULL, &err), 1);
	assert_string_equal(c.id, id);
	assert_string_equal(c.meta, "{\"n\":1}");
	assert_int_equal(ckpt_read(d, &c, 0, back, &err), 0);
	assert_memory_equal(back, state_bytes, BIG);
	ckpt_free(&c);
	ckpt_close(d);
	free(back);
}

static void damage_goes_to_the_one_before(void **state)
{
	struct ckpt_dir *d = open_dir("damage", NULL);
	struct ckpt c;
	struct err err;
	char id[40], second[40], path[400];
	struct ckpt_damage damage = { 0 };

	save(d, 1, state_bytes, BIG, id);
	state_bytes[0]++;
	save(d, 2, state_bytes, BIG, second);
	snprintf(path, sizeof path, "%s/damage/data/%s.r0", top, second);
	int fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "x", 1, 100), 1);
	close(fd);
	assert_int_equal(ckpt_newest(d, NULL, true, &c, &damage, &err), 1);
	assert_int_equal(damage.v.n, 1);
	assert_string_equal(damage.v.v[0].id, second);
	assert_non_null(strstr(damage.v.v[0].why, "not those that were saved"));
	assert_string_equal(c.id, id);
	ckpt_free(&c);
	/* who does not compare the bytes passes over what is known of them */
	assert_int_equal(ckpt_newest(d, NULL, false, &c, &damage, &err), 1);
	assert_string_equal(c.id, id);
	assert_int_equal(damage.v.n, 1);
	ckpt_free(&c);
	ckpt_damage_free(&damage);
	ckpt_close(d);
}

static void write_over(const char *dir, const char *below, const char *text)
{
	char path[400];

	snprintf(path, sizeof path, "%s/%s/%s", top, dir, below);
	int fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* Checkpoints that are there and cannot be used are no empty folder. */
static void all_damaged_is_an_error(void **state)
{
	struct ckpt_dir *d = open_dir("all", NULL);
	struct ckpt_damage damage = { 0 };
	struct ckpt c;
	struct err err;
	char id[2][40], name[60];

	save(d, 1, state_bytes, BIG, id[0]);
	state_bytes[0]++;
	save(d, 2, state_bytes, BIG, id[1]);
	ckpt_close(d);
	snprintf(name, sizeof name, "data/%s.r0", id[1]);
	write_over("all", name, "short");
	snprintf(name, sizeof name, "ckpt/%s", id[0]);
	write_over("all", name, "garbage\n");
	d = open_dir("all", &(struct ckpt_opt){ .read_only = true });
	assert_int_equal(ckpt_newest(d, NULL, true, &c, &damage, &err), -EBADMSG);
	assert_non_null(strstr(err.msg, "none of the 2 checkpoints"));
	assert_non_null(strstr(err.msg, "is truncated"));
	assert_int_equal(damage.v.n, 2);
	assert_string_equal(damage.v.v[0].id, id[1]);
	assert_string_equal(damage.v.v[1].id, id[0]);
	/* older than the oldest there is none, which is another thing */
	assert_int_equal(ckpt_newest(d, id[0], true, &c, NULL, &err), 0);
	assert_int_equal(ckpt_newest(d, id[1], true, &c, NULL, &err), -EBADMSG);
	ckpt_damage_free(&damage);
	ckpt_close(d);
	/* a run that begins again writes all of it, and its checkpoint holds */
	d = open_dir("all", NULL);
	struct ckpt_stat st = save(d, 1, state_bytes, BIG, id[0]);
	assert_int_equal(st.same_bytes, 0);
	assert_int_equal(ckpt_newest(d, NULL, true, &c, NULL, &err), 1);
	assert_string_equal(c.id, id[0]);
	ckpt_free(&c);
	ckpt_close(d);
}

/* A link in place of a file or folder is not followed: nothing is read or written elsewhere. */
static void links_are_not_followed(void **state)
{
	static const char *const made[] = { "lock", "run.tmp", "tare-checkpoints.tmp",
					    "latest.tmp" };
	static const char *const folder[] = { "ckpt", "data", "part" };
	char path[400], victim[300], text[16] = "";
	struct err err;
	struct ckpt_dir *d;
	struct ckpt c;
	char id[40], name[60];

	snprintf(victim, sizeof victim, "%s/victim", top);
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		int fd = open(victim, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		assert_int_equal(write(fd, "precious", 8), 8);
		close(fd);
		snprintf(path, sizeof path, "%s/links%zu", top, i);
		assert_int_equal(mkdir(path, 0755), 0);
		snprintf(path, sizeof path, "%s/links%zu/%s", top, i, made[i]);
		assert_int_equal(symlink(victim, path), 0);
		snprintf(path, sizeof path, "%s/links%zu", top, i);
		int rc = ckpt_open(path, NULL, &d, &err);
		if (rc == 0) {
			save(d, 1, state_bytes, BIG, id);
			ckpt_close(d);
		} else {
			assert_int_equal(rc, -ELOOP);
			assert_non_null(strstr(err.msg, made[i]));
		}
		fd = open(victim, O_RDONLY);
		assert_int_equal(read(fd, text, sizeof text), 8);
		assert_memory_equal(text, "precious", 8);
		close(fd);
	}
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/linkd%zu", top, i);
		assert_int_equal(mkdir(path, 0755), 0);
		snprintf(path, sizeof path, "%s/linkd%zu/%s", top, i, folder[i]);
		assert_int_equal(symlink("/tmp", path), 0);
		snprintf(path, sizeof path, "%s/linkd%zu", top, i);
		assert_true(ckpt_open(path, NULL, &d, &err) < 0);
	}
	/* of a checkpoint: damage */
	d = open_dir("linked-data", NULL);
	save(d, 1, state_bytes, BIG, id);
	snprintf(name, sizeof name, "data/%s.r0", id);
	snprintf(path, sizeof path, "%s/linked-data/%s", top, name);
	snprintf(victim, sizeof victim, "%s/elsewhere", top);
	assert_int_equal(rename(path, victim), 0);
	assert_int_equal(symlink(victim, path), 0);
	assert_int_equal(ckpt_newest(d, NULL, false, &c, NULL, &err), -EBADMSG);
	assert_non_null(strstr(err.msg, "link"));
	ckpt_close(d);
}

static unsigned mode_of(const char *dir, const char *below)
{
	char path[400];
	struct stat st;

	snprintf(path, sizeof path, "%s/%s/%s", top, dir, below);
	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 0777;
}

static void they_are_their_owners_alone(void **state)
{
	char id[40], name[2][60];
	mode_t old = umask(022);

	for (int shared = 0; shared < 2; shared++) {
		const char *dir = shared ? "shared" : "own";
		if (shared)
			setenv("TARE_CHECKPOINT_SHARED", "1", 1);
		struct ckpt_dir *d = open_dir(dir, NULL);
		save(d, 1, state_bytes, BIG, id);
		ckpt_close(d);
		unsetenv("TARE_CHECKPOINT_SHARED");
		snprintf(name[0], sizeof name[0], "ckpt/%s", id);
		snprintf(name[1], sizeof name[1], "data/%s.r0", id);
		const char
			*file[] = { name[0], name[1], "lock", "run", "latest", "tare-checkpoints" },
			*folder[] = { "", "ckpt", "data", "part" };
		for (size_t i = 0; i < sizeof file / sizeof *file; i++)
			assert_int_equal(mode_of(dir, file[i]), shared ? 0644 : 0600);
		for (size_t i = 0; i < sizeof folder / sizeof *folder; i++)
			assert_int_equal(mode_of(dir, folder[i]), shared ? 0755 : 0700);
	}
	umask(old);
}

/* A run that resumes from an older one comes to the same bytes again: those that lie damaged on
 * the disk are not named, what holds is. */
static void damaged_chunks_are_not_named_again(void **state)
{
	struct ckpt_dir *d = open_dir("again", NULL);
	struct ckpt c;
	struct err err;
	char id[40], path[400];

	save(d, 1, state_bytes, BIG, id);
	ckpt_close(d);
	snprintf(path, sizeof path, "%s/again/data/%s.r0", top, id);
	int fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "x", 1, 100), 1);
	close(fd);
	d = open_dir("again", NULL);
	struct ckpt_stat st = save(d, 2, state_bytes, BIG, id);
	/* the damaged chunk alone, whichever lies first */
	assert_in_range(st.written_bytes, 1, CKPT_CHUNK_BYTES);
	assert_int_equal(st.same_bytes, BIG + 4 - st.written_bytes);
	assert_int_equal(ckpt_newest(d, NULL, true, &c, NULL, &err), 1);
	assert_string_equal(c.id, id);
	ckpt_free(&c);
	st = save(d, 3, state_bytes, BIG, id);
	assert_int_equal(st.written_bytes, 0);
	ckpt_close(d);
}

/* The mark says what version the folder is of; without it the checkpoints are still there. */
static void lost_mark_hides_nothing(void **state)
{
	struct ckpt_dir *d = open_dir("mark", NULL);
	struct ckpt c;
	struct err err;
	char id[40], path[400];

	save(d, 1, state_bytes, BIG, id);
	ckpt_close(d);
	snprintf(path, sizeof path, "%s/mark/tare-checkpoints", top);
	assert_int_equal(unlink(path), 0);
	d = open_dir("mark", &(struct ckpt_opt){ .read_only = true });
	assert_int_equal(ckpt_newest(d, NULL, true, &c, NULL, &err), 1);
	assert_string_equal(c.id, id);
	ckpt_free(&c);
	ckpt_close(d);
}

static void drop(const char *dir, const char *below)
{
	char cmd[700];

	snprintf(cmd, sizeof cmd, "rm -rf %s/%s/%s", top, dir, below);
	assert_int_equal(system(cmd), 0);
}

static void expect_lost(const char *dir, const char *id, bool read_only)
{
	struct ckpt_dir *d = open_dir(dir, &(struct ckpt_opt){ .read_only = read_only });
	struct ckpt_damage damage = { 0 };
	struct ckpt c;
	struct err err;

	assert_int_equal(ckpt_newest(d, NULL, true, &c, &damage, &err), -EBADMSG);
	assert_non_null(strstr(err.msg, "none of the 1 checkpoint "));
	assert_int_equal(damage.v.n, 1);
	assert_string_equal(damage.v.v[0].id, id);
	assert_non_null(strstr(damage.v.v[0].why, "its manifest is missing"));
	ckpt_damage_free(&damage);
	ckpt_close(d);
}

/* Manifests that are gone are no empty folder, and no data go with them: neither when it is opened,
 * nor by saves that begin again. */
static void lost_manifests_are_damage(void **state)
{
	/* what is taken away, and what of it is lost in the end */
	static const char *const gone[] = { "ckpt/*", "ckpt", "ckpt latest", "{ckpt/*,latest}",
					    "{ckpt,tare-checkpoints}" };
	struct ckpt_keep keep = { .last = 2 };
	struct err err;
	struct ckpt c;
	char id[40], next[40], name[30], cmd[700];

	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) {
		snprintf(name, sizeof name, "lost%zu", i);
		struct ckpt_dir *d = open_dir(name, NULL);
		save(d, 10, state_bytes, 50000 + i, id);
		ckpt_close(d);
		snprintf(cmd, sizeof cmd, "cd '%s/%s' && bash -c 'rm -r %s'", top, name, gone[i]);
		assert_int_equal(system(cmd), 0);
		expect_lost(name, id, true);
		expect_lost(name, id, true);  /* reading changes nothing */
		expect_lost(name, id, false); /* which writes it down ... */
		expect_lost(name, id, true);  /* ... so that it stays so */
		assert_int_equal(files_in(name, "data"), 1);
		d = open_dir(name, NULL);
		save(d, 1, state_bytes, 50000, next);
		assert_int_equal(ckpt_retain(d, &keep, NULL, &err), 0);
		assert_int_equal(files_in(name, "data"), 2);
		assert_int_equal(ckpt_newest(d, NULL, true, &c, NULL, &err), 1);
		assert_string_equal(c.id, next);
		ckpt_free(&c);
		/* it goes as others do, when enough newer ones hold */
		for (int s = 11; s < 14; s++)
			save(d, s, "new", 3, next);
		assert_int_equal(ckpt_retain(d, &keep, NULL, &err), 0);
		assert_int_equal(files_in(name, "ckpt"), 2);
		assert_int_equal(files_in(name, "data"), 2);
		ckpt_close(d);
	}
}

static int newest_silent(const char *dir, const char *id)
{
	struct ckpt_dir *d = open_dir(dir, &(struct ckpt_opt){ .read_only = true });
	struct ckpt_damage damage = { 0 };
	struct ckpt c = { 0 };
	struct err err;
	int rc = ckpt_newest(d, NULL, true, &c, &damage, &err);

	assert_int_equal(damage.v.n, 0);
	assert_string_equal(c.id, id);
	ckpt_free(&c);
	ckpt_close(d);
	return rc;
}

/* Of a folder that was emptied the number of its run is left; before the first save that is
 * none. */
static void emptied_is_not_new(void **state)
{
	static const char *const gone[] = { "ckpt", "data", "latest", "tare-checkpoints" };
	struct ckpt_dir *d = open_dir("emptied", NULL);
	char id[40];

	ckpt_close(d);
	d = open_dir("emptied", NULL); /* twice, and nothing saved */
	assert_int_equal(newest_silent("emptied", ""), 0);
	save(d, 10, state_bytes, 5000, id);
	ckpt_close(d);
	for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
		drop("emptied", gone[i]);
	snprintf(id, sizeof id, "000000000000-0000000000000002");
	expect_lost("emptied", id, true);
	expect_lost("emptied", id, false);
	expect_lost("emptied", id, true);
	d = open_dir("emptied", NULL);
	save(d, 0, state_bytes, 5000, id); /* the step that stands for it, of a later run */
	ckpt_close(d);
	d = open_dir("emptied", &(struct ckpt_opt){ .read_only = true });
	struct ckpt c;
	struct err err;
	assert_int_equal(ckpt_newest(d, NULL, true, &c, NULL, &err), 1);
	assert_string_equal(c.id, id);
	ckpt_free(&c);
	ckpt_close(d);
}

/* The newest is gone, and `latest` knows it. */
static void lost_newest_is_damage(void **state)
{
	struct ckpt_dir *d = open_dir("newest", NULL);
	struct ckpt_damage damage = { 0 };
	struct ckpt c;
	struct err err;
	char one[40], two[40], name[60];

	save(d, 1, state_bytes, 50000, one);
	save(d, 2, state_bytes + 4096, 50000, two);
	ckpt_close(d);
	snprintf(name, sizeof name, "ckpt/%s", two);
	drop("newest", name);
	for (int i = 0; i < 3; i++) { /* read, opened, and as it was written down */
		d = open_dir("newest", &(struct ckpt_opt){ .read_only = i != 1 });
		assert_int_equal(ckpt_newest(d, NULL, true, &c, &damage, &err), 1);
		assert_string_equal(c.id, one);
		ckpt_free(&c);
		assert_int_equal(damage.v.n, 1);
		assert_string_equal(damage.v.v[0].id, two);
		/* known, it is passed over without another word */
		assert_int_equal(ckpt_newest(d, NULL, false, &c, &damage, &err), 1);
		assert_int_equal(damage.v.n, 1);
		ckpt_free(&c);
		/* of older ones than it none is lost */
		ckpt_damage_free(&damage);
		assert_int_equal(ckpt_newest(d, two, true, &c, &damage, &err), 1);
		assert_int_equal(damage.v.n, 0);
		ckpt_free(&c);
		assert_int_equal(files_in("newest", "data"), 2);
		ckpt_close(d);
	}
}

static void write_file(const char *dir, const char *below, const char *text)
{
	char path[400];

	snprintf(path, sizeof path, "%s/%s/%s", top, dir, below);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

/* What a kill or a power cut may leave is no damage. */
static void crashes_lose_nothing(void **state)
{
	struct ckpt_dir *d = open_dir("crash", NULL);
	struct err err;
	char id[3][40], name[60];
	static const char data[] = "000000000001-0000000000000001.r0";

	/* in the middle of the first save */
	snprintf(name, sizeof name, "data/%s", data);
	write_file("crash", name, "data");
	ckpt_close(d);
	assert_int_equal(newest_silent("crash", ""), 0);
	d = open_dir("crash", NULL); /* nobody's */
	assert_int_equal(files_in("crash", "data"), 0);
	assert_int_equal(newest_silent("crash", ""), 0);
	for (int s = 0; s < 3; s++)
		save(d, s, state_bytes, 5000, id[s]);
	/* `latest` is made without a sync: older, removed meanwhile, cut, empty, or missing */
	assert_int_equal(ckpt_retain(d, &(struct ckpt_keep){ .last = 2 }, NULL, &err), 0);
	ckpt_close(d);
	const char *latest[] = { id[0], id[1], "00000000", "", NULL };
	for (size_t i = 0; i < 5; i++) {
		if (latest[i])
			write_file("crash", "latest", latest[i]);
		else
			drop("crash", "latest");
		assert_int_equal(newest_silent("crash", id[2]), 1);
	}
	/* after the first manifest, before the word that there was none */
	write_file("crash", "none-yet", "1\n");
	assert_int_equal(newest_silent("crash", id[2]), 1);
	ckpt_close(open_dir("crash", NULL));
	drop("crash", "'ckpt/'*");
	d = open_dir("crash", &(struct ckpt_opt){ .read_only = true });
	assert_int_equal(ckpt_newest(d, NULL, true, &(struct ckpt){ 0 }, NULL, &err), -EBADMSG);
	ckpt_close(d);
}

/* What stands in the place of a manifest is damage, whatever it is; in the place of a folder it is
 * an error, with or without the mark. */
static void odd_things_are_said(void **state)
{
	static const char *const odd[] = { ": >%s", "mkdir %s", "mkfifo %s", "ln -s nowhere %s",
					   "ln -s ../latest %s" };
	struct ckpt_dir *d;
	struct ckpt c;
	struct err err;
	char id[40], two[40], name[30], at[60], cmd[900], path[400];

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct ckpt_damage damage = { 0 };
		snprintf(name, sizeof name, "odd%zu", i);
		d = open_dir(name, NULL);
		save(d, 1, state_bytes, 5000, id);
		save(d, 2, state_bytes, 5000, two);
		ckpt_close(d);
		snprintf(at, sizeof at, "ckpt/%s", two);
		drop(name, at);
		snprintf(path, sizeof path, odd[i], at);
		snprintf(cmd, sizeof cmd, "cd '%s/%s' && %s", top, name, path);
		assert_int_equal(system(cmd), 0);
		d = open_dir(name, NULL);
		assert_int_equal(ckpt_load(d, two, &c, &err), -EBADMSG);
		assert_int_equal(ckpt_newest(d, NULL, true, &c, &damage, &err), 1);
		assert_string_equal(c.id, id);
		assert_int_equal(damage.v.n, 1);
		ckpt_free(&c);
		ckpt_damage_free(&damage);
		ckpt_close(d);
	}
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		if (i == 1)
			continue; /* a folder */
		snprintf(name, sizeof name, "oddf%zu", i);
		d = open_dir(name, NULL);
		save(d, 1, state_bytes, 5000, id);
		ckpt_close(d);
		snprintf(path, sizeof path, odd[i], "ckpt");
		snprintf(cmd, sizeof cmd, "cd '%s/%s' && rm -r ckpt && %s", top, name, path);
		assert_int_equal(system(cmd), 0);
		snprintf(path, sizeof path, "%s/%s", top, name);
		for (int marked = 1; marked >= 0; marked--) {
			if (!marked)
				drop(name, "tare-checkpoints");
			for (int ro = 1; ro >= 0; ro--) {
				int rc = ckpt_open(path, &(struct ckpt_opt){ .read_only = ro }, &d,
						   &err);
				assert_true(rc == -ENOTDIR || rc == -ELOOP);
				assert_non_null(strstr(err.msg, "'ckpt'"));
			}
		}
		assert_int_equal(files_in(name, "data"), 1);
	}
	snprintf(path, sizeof path, "%s/dangling", top);
	assert_int_equal(symlink("nowhere", path), 0);
	for (int ro = 0; ro < 2; ro++)
		assert_int_equal(ckpt_open(path, &(struct ckpt_opt){ .read_only = ro }, &d, &err),
				 -ENOTDIR);
}

static void second_runner_is_refused(void **state)
{
	struct ckpt_dir *d = open_dir("locked", NULL), *e;
	struct err err;
	char path[300];

	snprintf(path, sizeof path, "%s/locked", top);
	assert_int_equal(ckpt_open(path, NULL, &e, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "pid"));
	ckpt_close(d);
	assert_int_equal(ckpt_open(path, NULL, &e, &err), 0);
	ckpt_close(e);
}

static void all_ranks_or_none(void **state)
{
	struct ckpt_dir *d[2];
	struct ckpt_writer *w[2];
	struct ckpt c;
	struct err err;
	char id[40];

	for (int r = 0; r < 2; r++)
		d[r] = open_dir("ranks",
				&(struct ckpt_opt){ .rank = r, .world = 2, .attempt = "a b" });
	for (int r = 0; r < 2; r++) {
		assert_int_equal(ckpt_begin(d[r], 5, 0, &w[r], &err), 0);
		assert_int_equal(
			ckpt_put(w[r], r ? "rank1" : "rank0", state_bytes + r, 100000, &err), 0);
	}
	assert_int_equal(ckpt_commit(w[0], NULL, 0, id, &err), -ETIMEDOUT);
	assert_int_equal(ckpt_newest(d[0], NULL, true, &c, NULL, &err), 0);
	ckpt_writer_free(w[0]);
	ckpt_writer_free(w[1]);
	for (int r = 0; r < 2; r++) {
		assert_int_equal(ckpt_begin(d[r], 6, 0, &w[r], &err), 0);
		assert_int_equal(
			ckpt_put(w[r], r ? "rank1" : "rank0", state_bytes + r, 100000, &err), 0);
	}
	assert_int_equal(ckpt_prepare(w[1], &err), 0);
	assert_int_equal(ckpt_commit(w[0], NULL, 0, id, &err), 0);
	assert_int_equal(ckpt_commit(w[1], NULL, 0, id, &err), 0);
	assert_int_equal(ckpt_newest(d[1], NULL, true, &c, NULL, &err), 1);
	assert_int_equal(c.file.n, 2);
	assert_int_equal(files_in("ranks", "part"), 0);
	ckpt_free(&c);
	for (int r = 0; r < 2; r++) {
		ckpt_writer_free(w[r]);
		ckpt_close(d[r]);
	}
}

static void kept_by_rule(void **state)
{
	struct ckpt_dir *d = open_dir("keep", NULL);
	struct err err;
	struct ckpt_list l = { 0 };
	char id[40], first[40];
	int removed;

	for (int s = 0; s < 10; s++) {
		state_bytes[s * 800000]++;
		save(d, s, state_bytes, BIG, s ? id : first);
	}
	const char *best[] = { first };
	assert_int_equal(
		ckpt_retain(d,
			    &(struct ckpt_keep){
				    .last = 2, .every_ms = 4 * 60000, .id = best, .nid = 1 },
			    &removed, &err),
		0);
	assert_int_equal(ckpt_list(d, &l, &err), 0);
	assert_int_equal(l.v.n, 4); /* 0, 4, 8, 9 */
	assert_int_equal(removed, 6);
	for (size_t i = 0; i < l.v.n; i++) {
		struct ckpt c;
		assert_int_equal(ckpt_load(d, l.v.v[i].id, &c, &err), 0);
		assert_int_equal(ckpt_verify(d, &c, &err), 0);
		ckpt_free(&c);
	}
	ckpt_list_free(&l);
	ckpt_close(d);
}

static void files_of_others(void **state)
{
	struct ckpt_dir *d = open_dir("linked", NULL);
	struct ckpt_writer *w;
	struct ckpt c;
	struct err err;
	char path[300], out[300], id[40];
	uint8_t *back = malloc(BIG);

	snprintf(path, sizeof path, "%s/model.pt", top);
	snprintf(out, sizeof out, "%s/back.pt", top);
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0666);
	assert_int_equal(write(fd, state_bytes, BIG), BIG);
	close(fd);
	assert_int_equal(ckpt_begin(d, 1, 0, &w, &err), 0);
	assert_int_equal(ckpt_put_path(w, "model.pt", path, &err), 0);
	assert_int_equal(ckpt_commit(w, NULL, 0, id, &err), 0);
	ckpt_writer_free(w);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(ckpt_newest(d, NULL, true, &c, NULL, &err), 1);
	assert_int_equal(ckpt_extract(d, &c, 0, out, &err), 0);
	fd = open(out, O_RDONLY);
	assert_int_equal(read(fd, back, BIG), BIG);
	assert_memory_equal(back, state_bytes, BIG);
	close(fd);
	ckpt_free(&c);
	ckpt_close(d);
	free(back);
}

/* What could not be read back is refused before anything is called safe, and the newest stays what
 * it was. */
static void unreadable_is_not_committed(void **state)
{
	struct ckpt_dir *d = open_dir("unreadable", &(struct ckpt_opt){ .world = 1 });
	char id[40], *meta = malloc(CKPT_META_MAX + 2);
	struct ckpt_writer *w;
	struct ckpt c = { 0 };
	struct err err = { 0 };

	save(d, 1, state_bytes, 5000, id);
	memset(meta, 'x', CKPT_META_MAX + 1);
	meta[CKPT_META_MAX + 1] = 0;
	assert_int_equal(ckpt_begin(d, 2, 0, &w, &err), 0);
	assert_int_equal(ckpt_put(w, "state", state_bytes, 5000, &err), 0);
	assert_int_equal(ckpt_commit(w, meta, 0, id, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "one line"));
	ckpt_writer_free(w);
	meta[CKPT_META_MAX] = 0; /* so much is fine */
	assert_int_equal(ckpt_begin(d, 3, 0, &w, &err), 0);
	assert_int_equal(ckpt_put(w, "state", state_bytes, 5000, &err), 0);
	assert_int_equal(ckpt_commit(w, meta, 0, id, &err), 0);
	ckpt_writer_free(w);
	assert_int_equal(ckpt_newest(d, NULL, true, &c, NULL, &err), 1);
	assert_int_equal(c.step, 3);
	assert_int_equal(strlen(c.meta), CKPT_META_MAX);
	ckpt_free(&c);
	ckpt_close(d);
	memset(meta, 'a', CKPT_ATTEMPT_MAX + 1);
	meta[CKPT_ATTEMPT_MAX + 1] = 0;
	assert_int_equal(
		ckpt_open(top, &(struct ckpt_opt){ .world = 1, .attempt = meta }, &d, &err),
		-EINVAL);
	assert_int_equal(
		ckpt_open(top, &(struct ckpt_opt){ .world = 1, .attempt = "a\nb" }, &d, &err),
		-EINVAL);
	free(meta);
}

/* The same list merged any number of times is one, and what was mended stays told apart. */
static void merged_once(void **state)
{
	struct ckpt_damage all = { 0 }, told = { 0 };
	const char *id = "00000000000000000040.1-0";

	ckpt_damage_add(&all, id, false, "cut");
	ckpt_damage_merge(&told, &all);
	ckpt_damage_mend(&all, id);
	for (int i = 0; i < 3; i++)
		ckpt_damage_merge(&told, &all);
	assert_int_equal(told.v.n, 1);
	assert_true(told.v.v[0].mended);
	assert_false(ckpt_damage_has(&told, id, false));
	/* damaged again after that: another finding, and not mended by what was */
	ckpt_damage_add(&all, id, false, "cut again");
	assert_false(ckpt_damage_knows(&told, &all.v.v[1]));
	for (int i = 0; i < 3; i++)
		ckpt_damage_merge(&told, &all);
	assert_int_equal(told.v.n, 2);
	assert_true(ckpt_damage_has(&told, id, false));
	assert_true(ckpt_damage_knows(&told, &all.v.v[0]));
	ckpt_damage_free(&all);
	ckpt_damage_free(&told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unreadable_is_not_committed),
		cmocka_unit_test(saved_is_read),
		cmocka_unit_test(damage_goes_to_the_one_before),
		cmocka_unit_test(merged_once),
		cmocka_unit_test(all_damaged_is_an_error),
		cmocka_unit_test(lost_mark_hides_nothing),
		cmocka_unit_test(lost_manifests_are_damage),
		cmocka_unit_test(emptied_is_not_new),
		cmocka_unit_test(lost_newest_is_damage),
		cmocka_unit_test(crashes_lose_nothing),
		cmocka_unit_test(odd_things_are_said),
		cmocka_unit_test(damaged_chunks_are_not_named_again),
		cmocka_unit_test(links_are_not_followed),
		cmocka_unit_test(they_are_their_owners_alone),
		cmocka_unit_test(second_runner_is_refused),
		cmocka_unit_test(all_ranks_or_none),
		cmocka_unit_test(kept_by_rule),
		cmocka_unit_test(files_of_others),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
