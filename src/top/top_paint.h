#ifndef TARE_TOP_TOP_PAINT_H
#define TARE_TOP_TOP_PAINT_H
/*
 * The page as cells (top_cells.h): head, list of GPUs, list of processes, a line about what is
 * selected, keys. Which columns there are follows from the width (top_column.c), which list gets
 * how many lines from the height and the focus.
 */
#include "top/top_cells.h"
#include "top/top_ui.h"

#define TOP_MIN_W 60
#define TOP_MIN_H 10

/* Paint all of it. The rows are those of the last top_ui_rows(); ui's page sizes and scroll
 * positions are set. */
void top_paint(struct cells *g, const struct top_model *m, struct top_ui *ui);
/* For a file or a pipe: every row, no selection, no keys. Rows as above; w columns. */
void top_print(const struct top_model *m, struct top_ui *ui, int w, bool utf8, struct str *out);

/* ---- parts of it, in files of their own -------------------------------------------------- */

/* A line of the list of GPUs or processes, of a row of ui; row NULL: the names of the columns, with
 * `more` (not NULL) behind the last. */
void top_gpu_line(struct cells *g, int y, const struct top_model *m, const struct top_ui *ui,
		  const struct top_row *row, const char *more);
void top_proc_line(struct cells *g, int y, const struct top_model *m, const struct top_ui *ui,
		   const struct top_prow *row, const char *more);

struct top_text { /* lines of a page over the lists, to be wrapped */
	struct arena mem;
	VEC(struct {
		unsigned style;
		int indent;
		const char *text;
	}) line;
};
/* One more line; what it says is copied. indent: columns. */
void top_text_add(struct top_text *t, unsigned style, int indent, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void top_text_free(struct top_text *t);
void top_help_text(struct top_text *t);
/* One GPU on the whole page: its past, owners, processes (top_gpu.c). */
void top_gpu_text(const struct top_model *m, const struct top_ui *ui, const struct cells *g,
		  struct top_text *t);
/* "2", "node-b/2", "2 3g.40gb" */
void top_dev_name(const struct snap_dev *d, struct str *out);
/* Why the selected device costs what it does: evidence, cause, since when, money a day, what to
 * do. */
void top_explain_text(const struct top_model *m, const struct top_ui *ui, struct top_text *t);

/* Numbers for people; unknown is "-". */
void top_money(struct str *out, bool known, dec v);      /* "<.001" "0.004" "12.40" "1,234" */
void top_rate(struct str *out, bool known, dec v);       /* of an hour: "0.0312" "3.10" "1,234" */
void top_gib(struct str *out, double bytes, int digits); /* NAN: unknown */
const char *top_currency(const struct top_model *m);     /* "$", else its code */
char *top_clock(char buf[16], int64_t ms);               /* "14:02:31" UTC */
void top_span(struct str *out, int64_t ms);              /* "45 s" "12 min" "3h05m" "2 d", cut */

#endif
