#ifdef __has_feature /* clang's way to say what gcc says with __SANITIZE_ADDRESS__ */
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "base/utf8.h"
#include "base/mem.h"
#include "base/tab.h"
#include "test.h"

/* A reader over memory with its input. */
struct fix {
	struct input *in;
	struct tab *t;
	struct err e;
};

static int open_text(struct fix *f, struct sv text, const struct tab_csv_opt *opt)
{
	f->t = NULL;
	assert_int_equal(input_from_memory("bill.csv", text.p, text.n, &f->in, &f->e), 0);
	return tab_csv_open(f->in, opt, &f->t, &f->e);
}

static void close_fix(struct fix *f)
{
	tab_close(f->t);
	input_close(f->in);
}

/* The rows as "line:cell|cell;" with ~ for null, ! and the code for an error of a row. */
static char *rows(struct sv text, const struct tab_csv_opt *opt)
{
	struct fix f;
	struct str s = { 0 };
	const struct sv *cell;
	int rc = open_text(&f, text, opt);
	while (!rc) {
		rc = tab_next(f.t, &cell, &f.e);
		if (rc == 0)
			break;
		if (rc < 0)
			str_addf(&s, "!%d;", -rc);
		if (rc == 1) {
			str_addf(&s, "%d:", (int)f.t->line);
			for (size_t i = 0; i < f.t->ncol; i++) {
				str_addz(&s, i ? "|" : "");
				if (cell[i].p)
					str_addsv(&s, cell[i]);
				else
					str_addc(&s, '~');
			}
			str_addc(&s, ';');
		}
		rc = rc == 1 || rc == -EDOM ? 0 : rc;
	}
	if (!f.t)
		str_addf(&s, "open %d", rc);
	close_fix(&f);
	str_addc(&s, 0);
	return s.p;
}

static void check_rows(const char *text, const struct tab_csv_opt *opt, const char *want)
{
	for (size_t buf = 0; buf < 40; buf++) { /* wherever the buffer ends */
		struct tab_csv_opt o = opt ? *opt : (struct tab_csv_opt){ 0 };
		o.buf_bytes = buf;
		char *got = rows(sv_of(text), &o);
		assert_string_equal(got, want);
		free(got);
	}
}

static void reads_rows(void **state)
{
	check_rows("a,b\n1,2\n3,4\n", NULL, "2:1|2;3:3|4;");
	check_rows("a,b\r\n1,2\r\n3,4", NULL, "2:1|2;3:3|4;");
	check_rows("\xef\xbb\xbf a , b\n1,2\n", NULL, "2:1|2;");
	check_rows("a,b\n\n1,2\n\r\n\n3,4\n\n", NULL, "3:1|2;6:3|4;");
	check_rows("a,b\n,\"\"\n\"\",\n", NULL, "2:~|;3:|~;");
	check_rows("a,b\n\"x,\"\"y\"\"\",\"p\nq\"\n1,2\n", NULL, "2:x,\"y\"|p\nq;4:1|2;");
	check_rows("a,b\n\"\"\"\",\"\"\"\"\"\"\n", NULL, "2:\"|\"\";");
	check_rows("a,b\n\"x\",\"y\"", NULL, "2:x|y;");
	check_rows("a,b\n\"x\",\"y\"\r", NULL, "2:x|y;");
	check_rows("a,b\n\"x\",\"y\"\r\n", NULL, "2:x|y;");
	check_rows("a,b\n6\" GPU,x\"y\"\n", NULL, "2:6\" GPU|x\"y\";");
	check_rows("a,b\n1,2\n3\n4,5,6\n7,8\n", NULL, "2:1|2;!33;!33;5:7|8;");
	check_rows("a\n1\n\n2\n", NULL, "2:1;4:2;");
	check_rows("a,b\n", NULL, "");
	check_rows("a,b", NULL, "");
	check_rows("a\tb\n1,5\t2\n", NULL, "2:1,5|2;");
	check_rows("a;b;\"c,d\"\n1;2;3\n", NULL, "2:1|2|3;");
	check_rows("\n\na;b\n1;2\n", NULL, "4:1|2;");
	check_rows("a|b\n1|2\n", NULL, "2:1|2;");
	check_rows("\"a\",\"b\"\n1,2\n", NULL, "2:1|2;");
	check_rows("\n\na,b\n1,2\n", NULL, "4:1|2;");
	check_rows("a,b\nx\ry,2\n", NULL, "2:x\ry|2;");
}

static void options(void **state)
{
	struct sv null[] = { SV("NULL"), SV("N/A") };
	struct tab_csv_opt o = { .null = null, .nnull = 2 };
	check_rows("a,b\nNULL,\"NULL\"\n\nN/A,null\n", &o, "2:~|NULL;4:~|null;");
	o = (struct tab_csv_opt){ .ragged = true };
	check_rows("a,b,c\n1\n1,2,3,,\n1,2,3,4\n", &o, "2:1|~|~;3:1|2|3;!33;");
	/* a last row without its line break: whole, or cut off */
	check_rows("a,b,c\n1\n1,2,3", &o, "2:1|~|~;3:1|2|3;");
	check_rows("a,b,c\n1\n1,2", &o, "2:1|~|~;!33;");
	o = (struct tab_csv_opt){ .no_header = true };
	check_rows("5,6\n7,8\n", &o, "1:5|6;2:7|8;");
	o = (struct tab_csv_opt){ .sep = ';' };
	check_rows("a,b;c\n1,2;3\n", &o, "2:1,2|3;");
	struct fix f;
	o = (struct tab_csv_opt){ .no_header = true };
	assert_int_equal(open_text(&f, SV("5,6\n"), &o), 0);
	assert_sv(f.t->col[0], "1");
	assert_sv(f.t->col[1], "2");
	close_fix(&f);
}

static void names(void **state)
{
	struct fix f;
	assert_int_equal(open_text(&f,
				   SV("\xef\xbb\xbf"
				      "BilledCost , \"Tags\",x_Y,,\n"),
				   NULL),
			 0);
	assert_int_equal(f.t->ncol, 5);
	assert_sv(f.t->col[0], "BilledCost");
	assert_int_equal(tab_col(f.t, "BilledCost"), 0);
	assert_int_equal(tab_col(f.t, "billedcost"), 0);
	assert_int_equal(tab_col(f.t, "X_y"), 2);
	assert_int_equal(tab_col(f.t, "nope"), -1);
	close_fix(&f);
	assert_int_equal(open_text(&f, SV("a,A\n"), NULL), 0);
	assert_int_equal(tab_col(f.t, "A"), 1);
	close_fix(&f);
	assert_int_equal(open_text(&f, SV("\n\na,b, a\n"), NULL), -EEXIST);
	assert_has(f.e.msg, "'bill.csv' line 3");
	assert_has(f.e.msg, "'a' twice");
	close_fix(&f);
}

/* Open and read to the first error; its code. */
static int first_error(struct fix *f, struct sv text, const struct tab_csv_opt *opt)
{
	const struct sv *cell;
	int rc = open_text(f, text, opt);
	if (rc)
		return rc;
	while ((rc = tab_next(f->t, &cell, &f->e)) == 1)
		;
	return rc;
}

static void damage(void **state)
{
	static const struct {
		struct sv text;
		int code;
		const char *part;
	} bad[] = {
		{ { "a,b\n1,\"x\n2,3\n", 13 }, -EBADMSG, "line 2: a quote is opened" },
		{ { "a,b\n1,2\n1,\"x\" y\n", 17 }, -EBADMSG, "line 3: text follows" },
		{ { "a,b\n1,\0\n", 8 }, -EBADMSG, "line 2: there is a NUL" },
		{ { "a,b\n1,\"\0\"\n", 10 }, -EBADMSG, "line 2: there is a NUL" },
		{ { "a,b\n1,\"x\"\"", 10 }, -EBADMSG, "line 2: a quote is opened" },
		{ { "a,b\n1,\"x\"y", 10 }, -EBADMSG, "line 2: text follows" },
		{ { "a,b\n1,2\n3\n", 10 }, -EDOM, "line 3: the row has 1 cell where" },
		{ { "", 0 }, -ENODATA, "empty" },
		{ { "\n\r\n", 3 }, -ENODATA, "empty" },
		{ { "\xff\xfe"
		    "a\0",
		    4 },
		  -EBADMSG,
		  "UTF-16" },
		{ { "\0", 1 }, -EBADMSG, "line 1" },
	};
	for (size_t i = 0; i < COUNT(bad); i++)
		for (size_t buf = 0; buf < 24; buf++) {
			struct fix f;
			struct tab_csv_opt o = { .buf_bytes = buf };
			int rc = first_error(&f, bad[i].text, &o);
			if (rc != bad[i].code)
				fail_msg("case %zu, buffer %zu: %d", i, buf, rc);
			assert_has(f.e.msg, "'bill.csv'");
			assert_has(f.e.msg, bad[i].part);
			const struct sv *cell;
			struct err again;
			if (f.t && rc != -EDOM) {
				assert_int_equal(tab_next(f.t, &cell, &again), rc);
				assert_string_equal(again.msg, f.e.msg);
			}
			close_fix(&f);
		}
}

static void long_rows(void **state)
{
	struct fix f;
	struct str s = { 0 };
	struct tab_csv_opt o = { .max_row_bytes = 100 };
	const struct sv *cell;
	str_addz(&s, "a,b\n1,2\n");
	for (int i = 0; i < 98; i++)
		str_addc(&s, 'x');
	str_addz(&s, ",\n1,2\n"); /* with its line feed 100 bytes */
	assert_int_equal(first_error(&f, str_sv(&s), &o), 0);
	close_fix(&f);
	o.max_row_bytes = 99;
	assert_int_equal(first_error(&f, str_sv(&s), &o), -EMSGSIZE);
	assert_has(f.e.msg, "'bill.csv' line 3");
	close_fix(&f);
	str_free(&s);

	size_t n = 40 << 20; /* one cell that fits, then one that does not */
	char *big = malloc(n);
	memset(big, 'y', n);
	memcpy(big, "a,b\n1,", 6);
	big[12 << 20] = '\n';
	assert_int_equal(open_text(&f, (struct sv){ big, n }, NULL), 0);
	assert_int_equal(tab_next(f.t, &cell, &f.e), 1);
	assert_int_equal(cell[1].n, (12 << 20) - 6);
	assert_int_equal(tab_next(f.t, &cell, &f.e), -EMSGSIZE);
	assert_has(f.e.msg, "line 3");
	close_fix(&f);
	memset(big, ',', n);
	assert_int_equal(open_text(&f, (struct sv){ big, n }, NULL), -EMSGSIZE);
	close_fix(&f);
	free(big);
}

#if !defined(__SANITIZE_ADDRESS__)
/* A line of 1 GiB through a pipe is refused with less than 200 MiB of memory. */
static void endless_line(void **state)
{
	int p[2];
	assert_int_equal(pipe(p), 0);
	pid_t writer = fork();
	if (writer == 0) {
		char *block = calloc(1, 1 << 20);
		close(p[0]);
		signal(SIGPIPE, SIG_DFL);
		memset(block, 'z', 1 << 20);
		if (write(p[1], "a,b\n1,2\n", 8) == 8)
			for (int i = 0; i < 1024; i++)
				if (write(p[1], block, 1 << 20) < 0)
					break;
		_exit(0);
	}
	close(p[1]);
	pid_t reader = fork();
	if (reader == 0) {
		struct rlimit lim = { 200u << 20, 200u << 20 };
		struct err e = { 0 };
		struct input *in;
		struct tab *t;
		const struct sv *cell;
		char path[40];
		snprintf(path, sizeof path, "/dev/fd/%d", p[0]);
		setrlimit(RLIMIT_AS, &lim);
		if (input_open(path, &in, &e) || tab_csv_open(in, NULL, &t, &e) ||
		    tab_next(t, &cell, &e) != 1)
			_exit(1);
		_exit(tab_next(t, &cell, &e) == -EMSGSIZE && strstr(e.msg, "line 3") ? 0 : 2);
	}
	close(p[0]);
	int status;
	waitpid(reader, &status, 0);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	waitpid(writer, &status, 0);
}
#endif

/* Random tables, written with random quoting and line ends, read with random buffer sizes, come
 * back as they were. */
static void round_trip(void **state)
{
	uint64_t r = 17;
	for (int i = 0; i < 4000; i++) {
		size_t ncol = 1 + random_below(&r, 9), nrow = random_below(&r, 12);
		char sep = ",;\t|"[random_below(&r, 4)];
		struct str text = { 0 };
		struct arena a = { 0 };
		struct sv *want = arena_alloc(&a, (ncol * nrow + 1) * sizeof *want);
		int64_t *line = arena_alloc(&a, (nrow + 1) * sizeof *line), at = 2;
		for (size_t c = 0; c < ncol; c++)
			str_addf(&text, "%sc%zu", c ? (char[]){ sep, 0 } : "", c);
		str_addz(&text, "\n");
		for (size_t k = 0; k < nrow; k++) {
			line[k] = at;
			for (size_t c = 0; c < ncol; c++) {
				char cell[200];
				size_t n = random_below(&r,
							random_below(&r, 20) ? 12 : sizeof cell);
				bool quote = ncol == 1 || random_below(&r, 3) == 0;
				for (size_t b = 0; b < n; b++) {
					cell[b] = "abc \"\n\r,;\t|x\x80\xff"
						  "9"[random_below(&r, 15)];
					quote |= cell[b] == sep || cell[b] == '"' ||
						 cell[b] == '\n' || cell[b] == '\r';
				}
				if (c)
					str_addc(&text, sep);
				if (quote)
					str_addc(&text, '"');
				for (size_t b = 0; b < n; b++) {
					str_add(&text, cell[b] == '"' ? "\"\"" : &cell[b],
						cell[b] == '"' ? 2 : 1);
					at += cell[b] == '\n';
				}
				if (quote)
					str_addc(&text, '"');
				want[k * ncol + c] =
					n || quote ? (struct sv){ arena_strn(&a, cell, n), n }
						   : SV_NULL;
			}
			if (k + 1 < nrow || random_below(&r, 2))
				str_addz(&text, random_below(&r, 2) ? "\n" : "\r\n");
			at++;
		}
		struct tab_csv_opt o = {
			.sep = sep, .buf_bytes = random_below(&r, 3) ? 1 + random_below(&r, 300) : 0
		};
		struct fix f;
		char *exact = malloc(text.n); /* a read behind the end is seen by the sanitizer */
		memcpy(exact, text.p, text.n);
		assert_int_equal(open_text(&f, (struct sv){ exact, text.n }, &o), 0);
		assert_int_equal(f.t->ncol, ncol);
		const struct sv *cell;
		for (size_t k = 0; k < nrow; k++) {
			int rc = tab_next(f.t, &cell, &f.e);
			if (rc != 1)
				fail_msg("row %zu: %d %s\n%s", k, rc, f.e.msg, text.p);
			assert_int_equal(f.t->line, line[k]);
			for (size_t c = 0; c < ncol; c++) {
				struct sv w = want[k * ncol + c];
				assert_int_equal(!cell[c].p, !w.p);
				struct str text8 = { 0 };
				assert_true(sv_eq(cell[c], utf8_of(&text8, w)));
				str_free(&text8);
			}
		}
		assert_int_equal(tab_next(f.t, &cell, &f.e), 0);
		assert_int_equal(tab_next(f.t, &cell, &f.e), 0);
		close_fix(&f);
		free(exact);
		str_free(&text);
		arena_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_rows),
		cmocka_unit_test(options),
		cmocka_unit_test(names),
		cmocka_unit_test(damage),
		cmocka_unit_test(long_rows),
#if !defined(__SANITIZE_ADDRESS__)
		cmocka_unit_test(endless_line),
#endif
		cmocka_unit_test(round_trip),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
