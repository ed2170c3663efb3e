/* A small store in a folder of its own, asked without a command line: files are written, brought
 * in through the books, and the ask is ready. One for all tests of a program. */
#ifndef TEST_ASKED_H
#define TEST_ASKED_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../test_dir.h"
#include "answer/ask.h"
#include "book/book.h"

#define T0   1727740800000LL /* 2024-10-01T00:00:00Z */
#define H(n) ((int64_t)((n)*3600000.0))
#define D(x) dec_of_text(x)

struct asked_file {
	const char *name, *text;
};
static struct asked {
	struct store *store;
	struct catalog *catalog;
	struct conf conf;
	struct arena mem;
	struct ask ask; /* open window, a day after T0 */
} asked;

static __attribute__((unused)) dec dec_of_text(const char *z)
{
	dec d = 0;

	assert_int_equal(dec_parse(sv_of(z), 0, &d), 0);
	return d;
}

/* r is 0 or more, or the test fails with the sentence. */
static inline void fine(int r, const struct err *err)
{
	if (r < 0)
		print_error("error %d: %s (%s)\n", r, err->msg, err->hint);
	assert_true(r >= 0);
}

/* Where a file of the test is, in the arena. */
static const char *asked_path(const char *name)
{
	return arena_printf(&asked.mem, "%s/%s", test_dir, name);
}

static void write_text(const char *name, const char *text)
{
	FILE *f = fopen(asked_path(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static void import(size_t n, const struct asked_file *file)
{
	struct book_opt o = { .conf = &asked.conf,
			      .command = "tare test",
			      .at_ms = UNKNOWN_MS,
			      .now_ms = T0 + H(24),
			      .covers_from_ms = UNKNOWN_MS,
			      .covers_to_ms = UNKNOWN_MS };
	const struct book_file *got;
	struct store *s = NULL;
	struct book *b = NULL;
	struct err err = { 0 };

	fine(store_open(asked_path("store"), STORE_WRITE, 0, "tare test", &s, &err), &err);
	fine(book_begin(s, &o, &b, &err), &err);
	for (size_t i = 0; i < n; i++) {
		write_text(file[i].name, file[i].text);
		fine(book_add_file(b, asked_path(file[i].name), &got, &err), &err);
	}
	fine(book_commit(b, &err), &err);
	book_free(b);
	store_close(s);
}

/* conf: text of the settings. The files are imported, the store is open for reading. */
static __attribute__((unused)) int asked_open(const char *conf, size_t n,
					      const struct asked_file *file)
{
	struct err err = { 0 };

	assert_int_equal(fresh_dir(NULL), 0);
	fine(conf_parse("test", sv_of(conf), &asked.conf, &err), &err);
	import(n, file);
	fine(store_open(asked_path("store"), STORE_READ, 0, "tare test", &asked.store, &err), &err);
	fine(catalog_open(NULL, &asked.catalog, &err), &err);
	asked.ask = (struct ask){ .store = asked.store,
				  .catalog = asked.catalog,
				  .conf = &asked.conf,
				  .mem = &asked.mem,
				  .since_ms = INT64_MIN,
				  .until_ms = INT64_MAX,
				  .now_ms = T0 + H(24) };
	return 0;
}

static __attribute__((unused)) int asked_close(void **state)
{
	store_close(asked.store);
	catalog_free(asked.catalog);
	conf_free(&asked.conf);
	arena_free(&asked.mem);
	return remove_dir(state);
}

#endif
