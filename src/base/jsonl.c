/* JSON lines as a table: the keys of the first rows are its columns. Each line is taken apart by
 * jscan.c. */
#include <errno.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "base/jscan.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/tab.h"

#define BUF_BYTES      ((size_t)1 << 20)
#define MAX_LINE_BYTES ((size_t)16 << 20)
#define HEAD_ROWS      1000
#define HEAD_BYTES     ((size_t)64 << 20)

struct jsonl {
	struct tab tab;
	struct input *in;
	char *buf;
	size_t cap, at, end;
	bool eof;
	int64_t line; /* of the text at `at` */

	struct jscan_members members; /* of the line */
	struct intern cols;           /* column names, by number */
	struct sv *cell;
	int64_t *seen; /* [ncol] row in which the column was last set */
	int64_t row;
	int failed;
	struct err why;
};

static int fail_jsonl(struct jsonl *j, int code, const struct err *err)
{
	j->failed = code;
	if (err)
		j->why = *err;
	return code;
}

/* Read until the buffer is full or the input ends; what is unread moves to the front. */
static int refill_buffer(struct jsonl *j, struct err *err)
{
	memmove(j->buf, j->buf + j->at, j->end - j->at);
	j->end -= j->at;
	j->at = 0;
	if (j->end > j->cap / 2) {
		j->cap *= 2;
		j->buf = xrealloc(j->buf, j->cap);
	}
	while (j->end < j->cap && !j->eof) {
		int64_t got = input_read(j->in, j->buf + j->end, j->cap - j->end, err);
		if (got < 0)
			return fail_jsonl(j, (int)got, err);
		j->eof = got == 0;
		j->tab.high |= !sv_is_ascii((struct sv){ j->buf + j->end, (size_t)got });
		j->end += (size_t)got;
	}
	return 0;
}

/* The line that starts at `from` in the buffer: 1, 0 where the buffer ends before it does. */
static bool line_at(const struct jsonl *j, size_t from, struct sv *ret)
{
	const char *nl = NULL;
	if (from < j->end)
		nl = memchr(j->buf + from, '\n', j->end - from);
	if (!nl && (!j->eof || from >= j->end))
		return false;
	*ret = (struct sv){ j->buf + from, nl ? (size_t)(nl - (j->buf + from)) : j->end - from };
	return true;
}

/* The next line: 1, 0 at the end, or an error. */
static int take_line(struct jsonl *j, struct sv *ret, struct err *err)
{
	for (;;) {
		if (line_at(j, j->at, ret)) {
			if (ret->n > MAX_LINE_BYTES)
				break;
			j->at += min_u64(ret->n + 1, j->end - j->at);
			j->tab.line = j->line++;
			return 1;
		}
		if (j->eof)
			return 0;
		if (j->end - j->at > MAX_LINE_BYTES)
			break;
		int rc = refill_buffer(j, err);
		if (rc)
			return rc;
	}
	err_set(err, -EMSGSIZE, "'%s' line %lld: the line is longer than %zu bytes",
		input_name(j->in), (long long)j->line, MAX_LINE_BYTES);
	err_hint(err,
		 "JSON lines have one object a line; is this one array or a file of another kind?");
	return fail_jsonl(j, -EMSGSIZE, err);
}

static int jsonl_next(struct tab *t, const struct sv **ret_cell, struct err *err)
{
	struct jsonl *j = (struct jsonl *)t;
	struct sv line;
	if (j->failed) {
		if (err)
			*err = j->why;
		return j->failed;
	}
	do {
		int rc = take_line(j, &line, err);
		if (rc <= 0)
			return rc;
	} while (sv_trim(line).n == 0);
	const char *wrong = jscan_members(&j->members, line);
	if (wrong)
		return err_set(err, -EDOM, "'%s' line %lld: %s", input_name(j->in),
			       (long long)j->tab.line, wrong);

	int64_t col = -1;
	j->row++;
	memset(j->cell, 0, j->tab.ncol * sizeof *j->cell);
	for (size_t i = 0; i < j->members.n; i++) {
		struct jscan_member *m = &j->members.v[i];
		if (m->key_escaped)
			jscan_unescape(&m->key);
		/* rows mostly have the same keys in the same order */
		col++;
		if ((size_t)col >= j->cols.n || !sv_eq(j->cols.text[col], m->key))
			col = intern_find(&j->cols, m->key);
		if (col < 0) {
			err_set(err, -EDOM,
				"'%s' line %lld: the key '%.*s' does not occur in the first %d rows",
				input_name(j->in), (long long)j->tab.line,
				m->key.n > 100 ? 100 : (int)m->key.n, m->key.p, HEAD_ROWS);
			err_hint(err, "put a row with all keys first");
			return -EDOM;
		}
		if (j->seen[col] == j->row)
			return err_set(err, -EDOM, "'%s' line %lld: the key '%.*s' is there twice",
				       input_name(j->in), (long long)j->tab.line,
				       m->key.n > 100 ? 100 : (int)m->key.n, m->key.p);
		j->seen[col] = j->row;
		if (m->value_escaped)
			jscan_unescape(&m->value);
		if (m->type == JSCAN_NESTED)
			jscan_compact(&m->value);
		j->cell[col] = m->type == JSCAN_NULL ? SV_NULL : m->value;
	}
	*ret_cell = j->cell;
	return 1;
}

static void jsonl_close(struct tab *t)
{
	struct jsonl *j = (struct jsonl *)t;
	intern_free(&j->cols);
	free(j->buf);
	vec_free(&j->members);
	free(j->cell);
	free(j->seen);
	free(j);
}

static const struct tab_ops jsonl_ops = { jsonl_next, jsonl_close };

/* The keys of the line into the columns; the buffer stays as it is, as the line will be read
 * again. */
static void note_keys(struct jsonl *j)
{
	struct str copy = { 0 };
	for (size_t i = 0; i < j->members.n && j->cols.n < JSCAN_MAX_KEYS; i++) {
		struct sv key = j->members.v[i].key;
		if (j->members.v[i].key_escaped) {
			str_clear(&copy);
			str_addsv(&copy, key);
			key = str_sv(&copy);
			jscan_unescape(&key);
		}
		intern_add(&j->cols, key);
	}
	str_free(&copy);
}

/* Look through the first rows for the keys, taking nothing. */
static int read_head(struct jsonl *j, struct err *err)
{
	size_t from = 0;
	int rows = 0;
	int64_t line_no = 0;
	while (rows < HEAD_ROWS) {
		struct sv line;
		if (!line_at(j, from, &line)) {
			if (j->eof || j->end >= HEAD_BYTES || j->end - from > MAX_LINE_BYTES)
				break;
			int rc = refill_buffer(j, err);
			if (rc)
				return rc;
			continue;
		}
		from += line.n + 1;
		line_no++;
		if (sv_trim(line).n == 0)
			continue;
		const char *wrong = jscan_members(&j->members, line);
		if (wrong && rows == 0)
			return err_set(err, -EBADMSG, "'%s' line %lld: %s", input_name(j->in),
				       (long long)line_no, wrong);
		if (!wrong)
			note_keys(j);
		rows++;
	}
	if (rows)
		return 0;
	if (j->eof)
		return err_set(err, -ENODATA, "'%s' is empty: there is not one JSON object",
			       input_name(j->in));
	return err_set(err, -EMSGSIZE, "'%s' line %lld: the line is longer than %zu bytes",
		       input_name(j->in), (long long)line_no + 1, MAX_LINE_BYTES);
}

int tab_jsonl_open(struct input *in, struct tab **ret, struct err *err)
{
	struct jsonl *j = xcalloc(1, sizeof *j);
	j->tab.ops = &jsonl_ops;
	j->tab.format = "jsonl";
	j->in = in;
	j->line = 1;
	j->cap = BUF_BYTES;
	j->buf = xmalloc(j->cap);
	int rc = refill_buffer(j, err);
	if (!rc) {
		if (j->end >= 3 && !memcmp(j->buf, "\xef\xbb\xbf", 3))
			memset(j->buf, ' ', 3); /* the byte order mark */
		rc = read_head(j, err);
	}
	if (rc) {
		jsonl_close(&j->tab);
		return rc;
	}
	j->tab.ncol = j->cols.n;
	j->tab.col = j->cols.text;
	j->cell = xcalloc(j->cols.n, sizeof *j->cell);
	j->seen = xcalloc(j->cols.n, sizeof *j->seen);
	*ret = &j->tab;
	return 0;
}
