#include "report/xlsx.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "model/model.h"
#include "report/text.h"

#define EXACT_DIGITS 15   /* significant ones, which a binary number of 64 bits always keeps */
#define TEXT_MAX     8000 /* characters: cells end at 32,767 UTF-16 units */
#define NAME_MAX_W   31   /* characters of a sheet's name */

struct book {
	lxw_workbook *w;
	lxw_format *head, *bold, *money, *number, *seconds, *hours, *day, *time;
	lxw_format *sum_money, *sum_seconds, *sum_hours;
	struct arena mem;
	struct intern names;
};

/* ---- numbers ------------------------------------------------------------------------------ */

static bool is_exact(dec v)
{
	__int128 n = dec_size(v);

	while (n && n % 10 == 0)
		n /= 10;
	for (int i = 0; i < EXACT_DIGITS; i++)
		n /= 10;
	return n == 0;
}

/* The nearest binary number: read from the digits, which is what a reader of them would make. */
static double nearest_double(dec v)
{
	char buf[DEC_BUF];

	return strtod(dec_format(buf, v), NULL);
}

/* ---- formats ------------------------------------------------------------------------------ */

static lxw_format *new_format(struct book *b, const char *num, bool bold)
{
	lxw_format *f = workbook_add_format(b->w);

	if (num)
		format_set_num_format(f, num);
	if (bold)
		format_set_bold(f);
	return f;
}

static lxw_format *number_format(const struct book *b, enum xlsx_type t, bool sum)
{
	switch (t) {
	case XLSX_NUMBER: return b->number;
	case XLSX_MONEY: return sum ? b->sum_money : b->money;
	case XLSX_SECONDS: return sum ? b->sum_seconds : b->seconds;
	default: return sum ? b->sum_hours : b->hours;
	}
}

static bool is_summed(enum xlsx_type t)
{
	return t == XLSX_MONEY || t == XLSX_SECONDS || t == XLSX_HOURS;
}

static double number_of(const struct xlsx_cell *c, enum xlsx_type t)
{
	char buf[DEC_BUF];

	if (t == XLSX_MONEY || t == XLSX_NUMBER)
		return nearest_double(c->money);
	if (t == XLSX_HOURS)
		return (double)c->n / (double)MS_HOUR;
	return strtod(text_seconds(buf, c->n), NULL);
}

/* ---- cells -------------------------------------------------------------------------------- */

static void put_text(struct book *b, lxw_worksheet *ws, uint32_t row, uint16_t col,
		     const char *text, lxw_format *f)
{
	if (*text)
		worksheet_write_string(ws, row, col, text_line_head(&b->mem, sv_of(text), TEXT_MAX),
				       f);
}

/* A day or time of the years that spreadsheets know; false: it is something else. */
static bool put_date(struct book *b, lxw_worksheet *ws, uint32_t row, uint16_t col,
		     const struct xlsx_cell *c, enum xlsx_type t)
{
	lxw_datetime d = { 0 };
	int n = 0, want = 6, got;

	if (t == XLSX_DAY) {
		want = 3;
		got = sscanf(c->text, "%4d-%2d-%2d%n", &d.year, &d.month, &d.day, &n);
	} else {
		got = sscanf(c->text, "%4d-%2d-%2dT%2d:%2d:%lfZ%n", &d.year, &d.month, &d.day,
			     &d.hour, &d.min, &d.sec, &n);
	}
	bool whole = got == want && n > 0 && !c->text[n];
	if (!whole || d.year < 1900)
		return false;
	worksheet_write_datetime(ws, row, col, &d, t == XLSX_DAY ? b->day : b->time);
	return true;
}

/* SUBTOTAL(109, ...) adds what a filter leaves; its value as it is now stands beside it. */
static void put_sum(struct book *b, lxw_worksheet *ws, const struct xlsx_sheet *s, size_t i,
		    uint16_t col)
{
	enum xlsx_type t = s->col[i].type;
	struct xlsx_cell sum = { .known = true };
	char from[LXW_MAX_CELL_NAME_LENGTH], to[LXW_MAX_CELL_NAME_LENGTH];

	for (size_t r = 0; r < s->nrow; r++) {
		const struct xlsx_cell *c = &s->cell[r * s->ncol + i];
		sum.money += dec_counted(c->known, c->money);
		if (c->known)
			sum.n += c->n;
	}
	lxw_rowcol_to_cell(from, 1, col);
	lxw_rowcol_to_cell(to, (uint32_t)s->nrow, col);
	worksheet_write_formula_num(ws, (uint32_t)s->nrow + 1, col,
				    arena_printf(&b->mem, "=SUBTOTAL(109,%s:%s)", from, to),
				    number_format(b, t, true), number_of(&sum, t));
}

/* Sentences in one cell: an end of a line is a blank there. */
const char *xlsx_one_line(char *text)
{
	for (char *p = text; *p; p++)
		if (*p == '\n')
			*p = p[1] ? ' ' : 0;
	return text;
}

/* ---- sheets ------------------------------------------------------------------------------- */

/* A name that a sheet may have: without []:*?/\ and ', at most 31 characters, unlike the others. */
static const char *sheet_name(struct book *b, const char *want)
{
	char *name = text_line_head(&b->mem, sv_of(filled_or(want, "sheet")), NAME_MAX_W - 4);
	size_t had = b->names.n;

	for (char *p = name; *p; p++)
		if (strchr("[]:*?/\\'", *p))
			*p = '_';
	intern_add(&b->names, sv_of(name));
	while (b->names.n == had) {
		name = arena_printf(&b->mem, "%s %zu", name, had + 1);
		intern_add(&b->names, sv_of(name));
	}
	return name;
}

static int put_sheet(struct book *b, const struct xlsx_sheet *s, struct err *err)
{
	lxw_worksheet *ws = workbook_add_worksheet(b->w, sheet_name(b, s->name));
	uint16_t col = 0;

	if (!ws)
		return err_set(err, -EINVAL, "a sheet cannot be called '%.100s'", s->name);
	for (size_t i = 0; i < s->ncol; i++, col++) {
		double width = 16;
		if (s->col[i].type == XLSX_TEXT)
			width = 24;
		else if (s->col[i].type == XLSX_DAY)
			width = 12;

		worksheet_set_column(ws, col, col, width, NULL);
		put_text(b, ws, 0, col, s->col[i].name, b->head);
		for (size_t r = 0; r < s->nrow; r++) {
			uint32_t row = (uint32_t)r + 1;
			const struct xlsx_cell *c = &s->cell[r * s->ncol + i];
			enum xlsx_type t = s->col[i].type;
			if (!c->known)
				continue;
			if (is_summed(t) || t == XLSX_NUMBER) {
				worksheet_write_number(ws, row, col, number_of(c, t),
						       number_format(b, t, false));
				continue;
			}
			bool date = t != XLSX_TEXT && put_date(b, ws, row, col, c, t);
			if (!date)
				put_text(b, ws, row, col, c->text, NULL);
		}
		bool known = false; /* a sum of nothing known is not 0 */
		bool summed = s->sums && is_summed(s->col[i].type);
		for (size_t r = 0; summed && r < s->nrow && !known; r++)
			known = s->cell[r * s->ncol + i].known;
		if (known && (!s->total || s->total[i].known))
			put_sum(b, ws, s, i, col);
		bool exact = false;
		for (size_t r = 0; s->col[i].type == XLSX_MONEY && r < s->nrow && !exact; r++) {
			const struct xlsx_cell *c = &s->cell[r * s->ncol + i];
			exact = c->known && !is_exact(c->money);
		}
		if (!exact)
			continue;
		col++;
		worksheet_set_column(ws, col, col, 24, NULL);
		put_text(b, ws, 0, col, arena_printf(&b->mem, "%s exact", s->col[i].name), b->head);
		for (size_t r = 0; r < s->nrow; r++) {
			uint32_t row = (uint32_t)r + 1;
			const struct xlsx_cell *c = &s->cell[r * s->ncol + i];
			char buf[DEC_BUF];

			if (c->known && !is_exact(c->money))
				worksheet_write_string(ws, row, col, dec_format(buf, c->money),
						       NULL);
		}
	}
	if (s->sums && s->nrow)
		put_text(b, ws, (uint32_t)s->nrow + 1, 0, "total", b->bold);
	worksheet_freeze_panes(ws, 1, 0);
	if (s->nrow && col)
		worksheet_autofilter(ws, 0, 0, (uint32_t)s->nrow, col - 1);
	return 0;
}

/* ---- the file ----------------------------------------------------------------------------- */

static int fill_book(struct book *b, const struct xlsx_book *of, struct err *err)
{
	char title[] = "GPU cost report";
	lxw_doc_properties about = { .title = title };
	if (of->now_ms != UNKNOWN_MS)
		about.created = (time_t)(of->now_ms / 1000);
	int r = 0;

	workbook_set_properties(b->w, &about);

	static const char money[] = "#,##0.00", seconds[] = "#,##0.###", hours[] = "#,##0.00";

	b->head = new_format(b, NULL, true);
	format_set_bg_color(b->head, 0xEEEEEE);
	format_set_bottom(b->head, LXW_BORDER_THIN);
	b->bold = new_format(b, NULL, true);
	b->money = new_format(b, money, false);
	b->number = new_format(b, "0.######", false);
	b->seconds = new_format(b, seconds, false);
	b->hours = new_format(b, hours, false);
	b->day = new_format(b, "yyyy-mm-dd", false);
	b->time = new_format(b, "yyyy-mm-dd hh:mm", false);
	b->sum_money = new_format(b, money, true);
	b->sum_seconds = new_format(b, seconds, true);
	b->sum_hours = new_format(b, hours, true);
	for (size_t i = 0; i < of->nsheet && r == 0; i++)
		r = put_sheet(b, &of->sheet[i], err);
	if (r < 0)
		return r;

	lxw_worksheet *ws = workbook_add_worksheet(b->w, sheet_name(b, "about"));

	if (!ws)
		return err_set(err, -EINVAL, "the workbook takes no sheet 'about'");
	worksheet_set_column(ws, 0, 0, 24, NULL);
	worksheet_set_column(ws, 1, 1, 100, NULL);
	for (size_t i = 0; i < of->nnote; i++) {
		put_text(b, ws, (uint32_t)i, 0, of->note[i].name, b->bold);
		put_text(b, ws, (uint32_t)i, 1, of->note[i].text, NULL);
	}
	return 0;
}

int xlsx_write(const struct xlsx_book *of, struct str *out, struct err *err)
{
	const struct xlsx_sheet *sheet = of->sheet;

	for (size_t i = 0; i < of->nsheet; i++) {
		if (sheet[i].ncol > XLSX_COLS_MAX) {
			err_set(err, -E2BIG, "%zu columns are more than a sheet takes (%d)",
				sheet[i].ncol, XLSX_COLS_MAX);
			err_hint(err, "Choose a coarser one (--pivot day), or take -o csv");
			return -E2BIG;
		}
		if (sheet[i].nrow > XLSX_ROWS_MAX) {
			err_set(err, -E2BIG, "%zu rows are more than a sheet has (%d)",
				sheet[i].nrow, XLSX_ROWS_MAX);
			err_hint(err, "Leave some out (--limit, --where), or take -o csv");
			return -E2BIG;
		}
	}

	const char *dir = getenv("TMPDIR");
	dir = filled_or(dir, "/tmp");
	struct book b = { 0 };
	char *path = arena_printf(&b.mem, "%s/tare-xlsx-XXXXXX", dir);
	int fd = mkstemp(path), r = 0;
	lxw_workbook_options opt = { .tmpdir = (char *)dir };

	if (fd < 0) {
		err_set(err, -EIO, "cannot make a temporary file in '%s': %s", dir,
			strerror(errno));
		err_hint(err, "Name a folder that can be written: TMPDIR=DIR");
		r = -EIO;
	}
	if (r == 0 && !(b.w = workbook_new_opt(path, &opt)))
		r = err_set(err, -ENOMEM, "cannot make a workbook");
	if (r >= 0)
		r = fill_book(&b, of, err);
	lxw_error e = LXW_NO_ERROR;
	if (b.w)
		e = workbook_close(b.w);
	if (r == 0 && e != LXW_NO_ERROR)
		r = err_set(err, -EIO, "cannot write the workbook: %s", lxw_strerror(e));
	if (r >= 0) { /* read it back */
		char buf[65536];
		ssize_t n;

		while ((n = read(fd, buf, sizeof buf)) > 0)
			str_add(out, buf, (size_t)n);
		if (n < 0)
			r = err_set(err, -EIO, "cannot read the workbook back: %s",
				    strerror(errno));
	}
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	intern_free(&b.names);
	arena_free(&b.mem);
	return r;
}
