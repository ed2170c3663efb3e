#include <errno.h>
#include <jansson.h>

#include "base/jw.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/tab.h"
#include "test.h"

struct fix {
	struct input *in;
	struct tab *t;
	struct err e;
};

static int open_text(struct fix *f, struct sv text)
{
	f->t = NULL;
	assert_int_equal(input_from_memory("x.jsonl", text.p, text.n, &f->in, &f->e), 0);
	return tab_jsonl_open(f->in, &f->t, &f->e);
}

static void close_fix(struct fix *f)
{
	tab_close(f->t);
	input_close(f->in);
}

static void reads_rows(void **state)
{
	struct fix f;
	const struct sv *cell;
	assert_int_equal(
		open_text(
			&f,
			SV("\xef\xbb\xbf{\"a\": 1.50e+03, \"b\":\"x\\ty\\u00e9\\ud83d\\ude00\\/\\\"\"}\r\n"
			   "\n"
			   "{ \"c\" : { \"k\" : [ 1 , \"a b\\\" c\" ] } , \"b\" : null,\"\\u0061\":true}\n"
			   "{}\n"
			   "{\"b\":\"\",\"a\":-0.0,\"c\":[]}")),
		0);
	assert_int_equal(f.t->ncol, 3);
	assert_sv(f.t->col[0], "a");
	assert_sv(f.t->col[2], "c");
	assert_int_equal(tab_col(f.t, "B"), 1);
	assert_int_equal(tab_next(f.t, &cell, &f.e), 1);
	assert_int_equal(f.t->line, 1);
	assert_sv(cell[0], "1.50e+03");
	assert_sv(cell[1], "x\ty\xc3\xa9\xf0\x9f\x98\x80/\"");
	assert_null(cell[2].p);
	assert_int_equal(tab_next(f.t, &cell, &f.e), 1);
	assert_int_equal(f.t->line, 3);
	assert_sv(cell[0], "true");
	assert_null(cell[1].p);
	assert_sv(cell[2], "{\"k\":[1,\"a b\\\" c\"]}");
	assert_int_equal(tab_next(f.t, &cell, &f.e), 1);
	assert_null(cell[0].p);
	assert_int_equal(tab_next(f.t, &cell, &f.e), 1);
	assert_int_equal(f.t->line, 5);
	assert_sv(cell[0], "-0.0");
	assert_sv(cell[1], "");
	assert_sv(cell[2], "[]");
	assert_int_equal(tab_next(f.t, &cell, &f.e), 0);
	assert_int_equal(tab_next(f.t, &cell, &f.e), 0);
	close_fix(&f);
}

/* A bad line is an error of that row, and the next one is read. */
static void bad_rows(void **state)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "[1]", "no JSON object" },
		{ "{\"a\":1", "closing bracket" },
		{ "{\"a\":1}x", "something follows" },
		{ "{\"a\":1,}", "a key is missing" },
		{ "{\"a\" 1}", "colon" },
		{ "{a:1}", "a key is missing" },
		{ "{\"a\":01}", "neither" },
		{ "{\"a\":1.}", "point" },
		{ "{\"a\":1e}", "exponent" },
		{ "{\"a\":.5}", "neither" },
		{ "{\"a\":NaN}", "neither" },
		{ "{\"a\":tru}", "neither" },
		{ "{\"a\":\"x}", "not closed" },
		{ "{\"a\":\"\\x\"}", "escape" },
		{ "{\"a\":\"\\u12g4\"}", "escape" },
		{ "{\"a\":\"\\u0000\"}", "NUL" },
		{ "{\"a\":\"\t\"}", "control" },
		{ "{\"a\":1,\"a\":2}", "the key 'a' is there twice" },
		{ "{\"new\":1}", "the key 'new' does not occur" },
		{ "{\"a\":[1,]}", "neither" },
		{ "{\"a\":[1 2]}", "comma" },
		{ "{\"a\":{\"b\"}}", "colon" },
		{ "{\"a\":", "ends" },
		{ "{\"a\":\"\\", "not closed" },
		{ "{\"a\":-}", "neither" },
		{ "{\"a\":{1:2}}", "a key is missing" },
		{ "{,}", "a key is missing" },
	};
	struct str s = { 0 };
	const struct sv *cell;
	for (int i = 0; i < 1000; i++)
		str_addz(&s, "{\"a\":1}\n");
	size_t n = s.n;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct fix f;
		s.n = n;
		str_addf(&s, "%s\n{\"a\":\"after\"}\n", bad[i].text);
		assert_int_equal(open_text(&f, str_sv(&s)), 0);
		for (int k = 0; k < 1000; k++)
			assert_int_equal(tab_next(f.t, &cell, &f.e), 1);
		if (tab_next(f.t, &cell, &f.e) != -EDOM)
			fail_msg("taken: %s", bad[i].text);
		assert_has(f.e.msg, "'x.jsonl' line 1001: ");
		assert_has(f.e.msg, bad[i].part);
		assert_int_equal(tab_next(f.t, &cell, &f.e), 1);
		assert_sv(cell[0], "after");
		assert_int_equal(tab_next(f.t, &cell, &f.e), 0);
		close_fix(&f);
	}
	str_free(&s);
}

static void bad_files(void **state)
{
	struct fix f;
	assert_int_equal(open_text(&f, SV("")), -ENODATA);
	close_fix(&f);
	assert_int_equal(open_text(&f, SV("\n \n")), -ENODATA);
	close_fix(&f);
	assert_int_equal(open_text(&f, SV("\n[\n{}]\n")), -EBADMSG);
	assert_has(f.e.msg, "'x.jsonl' line 2");
	close_fix(&f);
	size_t n = 40 << 20;
	char *big = malloc(n);
	memset(big, ' ', n);
	assert_int_equal(open_text(&f, (struct sv){ big, n }), -EMSGSIZE);
	close_fix(&f);
	memcpy(big, "{\"a\":1}\n", 8);
	const struct sv *cell;
	assert_int_equal(open_text(&f, (struct sv){ big, n }), 0);
	assert_int_equal(tab_next(f.t, &cell, &f.e), 1);
	assert_int_equal(tab_next(f.t, &cell, &f.e), -EMSGSIZE);
	assert_has(f.e.msg, "line 2");
	assert_int_equal(tab_next(f.t, &cell, &f.e), -EMSGSIZE);
	close_fix(&f);
	memset(big, '[', n / 2);
	memcpy(big, "{\"a\":", 5);
	big[100000] = '\n';
	assert_int_equal(open_text(&f, (struct sv){ big, 100000 }), -EBADMSG);
	assert_has(f.e.msg, "deeper");
	close_fix(&f);
	free(big);
}

/* Random objects, written by the writer, come back; jansson agrees about nested ones. */
static void round_trip(void **state)
{
	uint64_t r = 18;
	for (int i = 0; i < 300; i++) {
		enum { NCOL = 6, MAXROW = 60 };
		struct str text = { 0 }, want[MAXROW][NCOL] = { 0 };
		int type[MAXROW][NCOL] = { 0 }, nrow = 1 + (int)random_below(&r, MAXROW);
		for (int k = 0; k < nrow; k++) {
			struct jw w;
			jw_init(&w, &text, 0);
			jw_obj(&w);
			for (int c = 0; c < NCOL; c++) {
				char key[8];
				snprintf(key, sizeof key, "k\"%d", c);
				type[k][c] = (int)random_below(&r, 5); /* 0: not there */
				if (k == 0 && type[k][c] == 0)
					type[k][c] = 1;
				if (type[k][c] == 0)
					continue;
				jw_key(&w, key);
				if (type[k][c] == 1)
					jw_null(&w);
				if (type[k][c] == 2) {
					str_addf(&want[k][c], "%lld.%03d",
						 (long long)random_next(&r),
						 (int)random_below(&r, 1000));
					jw_raw(&w, str_sv(&want[k][c]));
				}
				for (size_t n = random_below(&r, 30); type[k][c] == 3 && n > 0; n--)
					str_addz(&want[k][c],
						 (const char *const[]){ "a", "\"", "\\", "\n",
									"\xe2\x82\xac", "\x01", "{",
									"," }[random_below(&r, 8)]);
				if (type[k][c] == 3)
					jw_sv(&w, str_sv(&want[k][c]));
				if (type[k][c] == 4)
					jw_raw(&w, SV("{ \"a\" : [ 1, \"x y\", {} ] }"));
			}
			jw_end_obj(&w);
			str_addz(&text, k + 1 < nrow || random_below(&r, 2) ? "\n" : "");
		}
		struct fix f;
		const struct sv *cell;
		assert_int_equal(open_text(&f, str_sv(&text)), 0);
		assert_int_equal(f.t->ncol, NCOL);
		for (int k = 0; k < nrow; k++) {
			assert_int_equal(tab_next(f.t, &cell, &f.e), 1);
			assert_int_equal(f.t->line, k + 1);
			for (int c = 0; c < NCOL; c++) {
				if (type[k][c] < 2)
					assert_null(cell[c].p);
				else if (type[k][c] == 4)
					assert_sv(cell[c], "{\"a\":[1,\"x y\",{}]}");
				else
					assert_true(cell[c].p &&
						    sv_eq(cell[c], str_sv(&want[k][c])));
				str_free(&want[k][c]);
			}
		}
		assert_int_equal(tab_next(f.t, &cell, &f.e), 0);
		close_fix(&f);
		str_free(&text);
	}
}

/* Mutated JSON: what the peer refuses is refused, what it takes is taken (but for the limits we
 * state). */
static void a_peer_agrees(void **state)
{
	static const char seed[] =
		"{\"a\":[1,2.5e-3,\"x\\u00e9\\n\"],\"b\":{\"c\":null,\"d\":true},\"e\":\"\",\"f\":-0.1}";
	uint64_t r = 19;
	int taken = 0;
	for (int i = 0; i < 20000; i++) {
		char text[sizeof seed + 8];
		size_t n = sizeof seed - 1;
		memcpy(text, seed, n);
		for (size_t k = 1 + random_below(&r, 3); k > 0; k--) {
			size_t at = random_below(&r, n);
			if (random_below(&r, 2)) {
				text[at] = "\"\\{}[],:0123456789.eE+-tfn u/"[random_below(&r, 30)];
			} else {
				memmove(text + at, text + at + 1, n - at - 1);
				n--;
			}
		}
		json_error_t je;
		json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &je);
		struct fix f;
		int rc = open_text(&f, (struct sv){ text, n });
		const struct sv *cell;
		if (rc == 0)
			rc = tab_next(f.t, &cell, &f.e);
		bool theirs = j && json_is_object(j);
		/* numbers too large for a double, half surrogates, NUL: the peer refuses or takes
		 * what we do not */
		bool special = memmem(text, n, "\\u", 2) ||
			       strstr(je.text, "real number overflow") ||
			       strstr(je.text, "too big") || strstr(je.text, "duplicate");
		if (!special && theirs != (rc == 1))
			fail_msg("%.*s: %d %s, peer: %s", (int)n, text, rc, f.e.msg, je.text);
		taken += rc == 1;
		json_decref(j);
		close_fix(&f);
	}
	assert_in_range(taken, 100, 19900);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(reads_rows),
					    cmocka_unit_test(bad_rows), cmocka_unit_test(bad_files),
					    cmocka_unit_test(round_trip),
					    cmocka_unit_test(a_peer_agrees) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
