/* What keys do; the table of them for people is in top_help.c. See top_ui.h. */
#include <stdio.h>
#include "base/tm.h"
#include "base/num.h"
#include "base/utf8.h"
#include "top/top_ui.h"

static const int64_t STEPS_MS[] = { 100, 200, 500, 1000, 2000, 5000, 10000, 30000, MS_MINUTE };
#define NSTEPS (sizeof STEPS_MS / sizeof *STEPS_MS)

/* ---- moving ------------------------------------------------------------------------------ */

static void select_at(struct top_ui *ui, const struct top_snap *s, int at)
{
	bool gpus = ui->focus == FOCUS_GPUS;
	int n = gpus ? (int)ui->row.n : (int)ui->proc.n;
	if (at >= n)
		at = n - 1;
	at = max_int(at, 0);
	if (!n)
		return;
	if (gpus) {
		ui->row_at = at;
		ui->sel_part = ui->row.v[at].part;
		snprintf(ui->sel_key, sizeof ui->sel_key, "%s", s->dev[ui->row.v[at].dev].key);
		return;
	}
	ui->proc_at = at;
	const struct snap_dev *d = &s->dev[ui->proc.v[at].dev];
	ui->sel_pid = d->proc[ui->proc.v[at].proc].pid;
	snprintf(ui->sel_pid_key, sizeof ui->sel_pid_key, "%s", d->key);
}

/* Lines to go for a key, INT_MIN/2 and more for the ends; 0: not such a key. */
static int key_distance(int key, int page)
{
	page = page > 1 ? page - 1 : 1;
	switch (key) {
	case KEYP_UP:
	case 'k': return -1;
	case KEYP_DOWN:
	case 'j': return 1;
	case KEYP_PGUP:
	case 'b' - 96: return -page;
	case KEYP_PGDN:
	case 'f' - 96: return page;
	case KEYP_HOME:
	case 'g': return -1000000;
	case KEYP_END:
	case 'G': return 1000000;
	default: return 0;
	}
}

static enum top_todo over_key(struct top_ui *ui, int key)
{
	int by = key_distance(key == ' ' ? KEYP_PGDN : key, ui->over_page),
	    most = ui->over_lines - ui->over_page;
	if (by) {
		ui->over_top += by;
		ui->over_top = min_int(ui->over_top, most);
		ui->over_top = max_int(ui->over_top, 0);
		return TODO_PAINT;
	}
	switch (key) {
	case 'q':
	case 'e':
	case 'h':
	case 'f':
	case '?':
	case KEYP_ESC:
	case KEYP_ENTER: ui->over = OVER_NONE; return TODO_PAINT;
	default: return TODO_NOTHING;
	}
}

/* ---- commands ---------------------------------------------------------------------------- */

static void open_over(struct top_ui *ui, enum top_over o)
{
	ui->over = o;
	ui->over_top = 0;
}

static void sort_by(struct top_ui *ui, int step)
{
	if (ui->focus == FOCUS_GPUS)
		ui->gpu_sort =
			(enum gpu_sort)(((int)ui->gpu_sort + step + GPU_SORT_N) % GPU_SORT_N);
	else
		ui->proc_sort =
			(enum proc_sort)(((int)ui->proc_sort + step + PROC_SORT_N) % PROC_SORT_N);
}

/* Letters that name a column sort the list in focus by it. */
static bool sort_letter(struct top_ui *ui, int key)
{
	static const struct {
		char key;
		int gpu, proc;
	} letter[] = {
		{ 'i', GPU_INDEX, PROC_GPU },  { 'u', GPU_UTIL, PROC_SM },
		{ 'm', GPU_MEM, PROC_MEM },    { 'W', GPU_POWER, -1 },
		{ 't', GPU_TEMP, -1 },         { 'w', GPU_WASTED, -1 },
		{ 'o', GPU_OWNER, PROC_USER }, { 'c', -1, PROC_CPU },
		{ 'n', -1, PROC_PID },
	};
	for (size_t i = 0; i < sizeof letter / sizeof *letter; i++) {
		if (letter[i].key != key)
			continue;
		if (ui->focus == FOCUS_GPUS && letter[i].gpu < 0)
			return false;
		if (ui->focus == FOCUS_PROCS && letter[i].proc < 0)
			return false;
		if (ui->focus == FOCUS_GPUS)
			ui->gpu_sort = (enum gpu_sort)letter[i].gpu;
		else
			ui->proc_sort = (enum proc_sort)letter[i].proc;
		return true;
	}
	return false;
}

static enum top_todo change_interval(struct top_ui *ui, bool longer)
{
	for (size_t i = 0; i < NSTEPS; i++) {
		int64_t s = longer ? STEPS_MS[i] : STEPS_MS[NSTEPS - 1 - i];
		if (longer ? s > ui->interval_ms : s < ui->interval_ms) {
			ui->interval_ms = s;
			return TODO_INTERVAL;
		}
	}
	return TODO_NOTHING;
}

static enum top_todo run_command(struct top_ui *ui, int key)
{
	switch (key) {
	case 'q': return TODO_QUIT;
	case 'h':
	case '?': open_over(ui, OVER_HELP); return TODO_PAINT;
	case 'f': open_over(ui, OVER_GPU); return TODO_PAINT;
	case 'e':
	case KEYP_ENTER: open_over(ui, OVER_EXPLAIN); return TODO_PAINT;
	case KEYP_TAB:
		ui->focus = ui->focus == FOCUS_GPUS ? FOCUS_PROCS : FOCUS_GPUS;
		return TODO_PAINT;
	case 's': sort_by(ui, 1); return TODO_PAINT;
	case 'S': sort_by(ui, -1); return TODO_PAINT;
	case 'r':
		if (ui->focus == FOCUS_GPUS)
			ui->gpu_reverse = !ui->gpu_reverse;
		else
			ui->proc_reverse = !ui->proc_reverse;
		return TODO_PAINT;
	case 'a': ui->only_selected = !ui->only_selected; return TODO_PAINT;
	case 'p': ui->paused = !ui->paused; return TODO_PAINT;
	case ' ': return TODO_NOW;
	case '+': return change_interval(ui, true);
	case '-': return change_interval(ui, false);
	case KEYP_ESC:
		if (!*ui->filter)
			return TODO_NOTHING;
		*ui->filter = 0;
		return TODO_PAINT;
	case '/':
		ui->editing = true;
		snprintf(ui->before, sizeof ui->before, "%s", ui->filter);
		return TODO_PAINT;
	case KEYP_RESIZE:
	case 'l' - 96: return TODO_PAINT;
	default: return sort_letter(ui, key) ? TODO_PAINT : TODO_NOTHING;
	}
}

enum top_todo top_ui_key(struct top_ui *ui, const struct top_model *m, int key)
{
	if (ui->editing && key != KEYP_RESIZE) {
		if (key == KEYP_ENTER)
			ui->editing = false;
		else if (key == KEYP_ESC) {
			ui->editing = false;
			snprintf(ui->filter, sizeof ui->filter, "%s", ui->before);
		} else if (key == KEYP_BACKSPACE || key == 8) {
			char *text = ui->filter;
			size_t n = strlen(text);
			while (n && ((unsigned char)text[--n] & 0xc0) == 0x80)
				;
			text[n] = 0;
		} else if (key == 'u' - 96) /* Ctrl-U */
			*ui->filter = 0;
		else if (key >= ' ' && key < KEYP_UP) {
			char utf8[4];
			size_t n = strlen(ui->filter), len = utf8_put(utf8, (uint32_t)key);
			if (n + len < sizeof ui->filter) {
				memcpy(ui->filter + n, utf8, len);
				ui->filter[n + len] = 0;
			}
		}
		return TODO_PAINT;
	}
	if (key == 'P') {
		/* To the processes of the selected GPU, its instances' too: to the first in their
		 * order. */
		if (ui->row_at < 0 || !m->snap)
			return TODO_NOTHING;
		size_t dev = ui->row.v[ui->row_at].dev;
		for (size_t i = 0; i < ui->proc.n; i++) {
			size_t on = ui->proc.v[i].dev;
			bool below = m->snap->dev[on].info.parent >= 0 &&
				     (size_t)m->snap->dev[on].info.parent == dev;
			if (on != dev && !below)
				continue;
			ui->over = OVER_NONE;
			ui->focus = FOCUS_PROCS;
			select_at(ui, m->snap, (int)i);
			return TODO_PAINT;
		}
		return TODO_NOTHING;
	}
	if (ui->over != OVER_NONE && key != KEYP_RESIZE)
		return over_key(ui, key);
	int by = key_distance(key, ui->focus == FOCUS_GPUS ? ui->row_page : ui->proc_page);
	if (!by)
		return run_command(ui, key);
	if (m->snap)
		select_at(ui, m->snap, (ui->focus == FOCUS_GPUS ? ui->row_at : ui->proc_at) + by);
	return TODO_PAINT;
}
