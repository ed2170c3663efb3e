#ifndef TARE_TOP_TOP_UI_H
#define TARE_TOP_TOP_UI_H
/*
 * What the person at the screen has chosen (sort, filter, selection, an open page), the rows that
 * follow from it, and what a key does to it. Knows no terminal: keys are numbers, see enum top_key.
 *
 * The selection is of a thing (device and owner, process), not of a line: it stays with it when
 * rows move.
 */
#include "top/top_model.h"

enum top_focus { FOCUS_GPUS, FOCUS_PROCS };
enum top_over { OVER_NONE, OVER_HELP, OVER_EXPLAIN, OVER_GPU };
enum gpu_sort {
	GPU_INDEX,
	GPU_UTIL,
	GPU_MEM,
	GPU_POWER,
	GPU_TEMP,
	GPU_WASTED,
	GPU_OWNER,
	GPU_SORT_N
};
enum proc_sort { PROC_MEM, PROC_SM, PROC_CPU, PROC_PID, PROC_USER, PROC_GPU, PROC_SORT_N };
const char *gpu_sort_name(enum gpu_sort s);
const char *proc_sort_name(enum proc_sort s);

#define WHOLE_DEV ((size_t)-1)
struct top_row {     /* a line of the upper list */
	size_t dev;  /* in top_snap.dev */
	size_t part; /* an owner of it, WHOLE_DEV: the device itself */
};
struct top_prow {
	size_t dev, proc;
};

struct top_ui {
	enum top_focus focus;
	enum top_over over;
	/* first line shown; how many there are and fit, set by top_paint() */
	int over_top, over_lines, over_page;
	enum gpu_sort gpu_sort;
	enum proc_sort proc_sort;
	bool gpu_reverse, proc_reverse;
	bool only_selected; /* processes of the selected device alone */
	bool editing, paused;
	char filter[128], before[128]; /* before: what Esc brings back */
	int64_t interval_ms;

	char sel_key[96];
	size_t sel_part;
	int32_t sel_pid;
	char sel_pid_key[96]; /* a process stands on each device that it uses */
	/* worked out by top_ui_rows() */
	VEC(struct top_row) row;
	VEC(struct top_prow) proc;
	size_t nproc_all;
	int row_at, proc_at; /* selected, -1 = none */
	/* set by top_paint(): first line shown, lines that fit */
	int row_top, proc_top, row_page, proc_page;
};
void top_ui_init(struct top_ui *ui, int64_t interval_ms);
void top_ui_free(struct top_ui *ui);

/* Rows of the last poll: filtered, sorted (a GPU keeps its instances and owners below it),
 * selection found again. */
void top_ui_rows(struct top_ui *ui, const struct top_model *m);

enum top_key {
	/* others: the character */
	KEYP_NONE = 0,
	KEYP_TAB = 9,
	KEYP_ENTER = 10,
	KEYP_ESC = 27,
	KEYP_BACKSPACE = 127,
	KEYP_UP = 0x110000,
	KEYP_DOWN,
	KEYP_PGUP,
	KEYP_PGDN,
	KEYP_HOME,
	KEYP_END,
	KEYP_RESIZE
};
enum top_todo { TODO_NOTHING, TODO_PAINT, TODO_INTERVAL, TODO_NOW, TODO_QUIT };
enum top_todo top_ui_key(struct top_ui *ui, const struct top_model *m, int key);

/* "vision/ana/4411"; "(nobody)"; "-" where an owner is there and unknown. */
void top_owner(const struct snap_part *p, struct str *out);
/* "idle_held/finished", "busy", "-"; causes with blanks. */
void top_why(enum state s, enum cause c, struct str *out);

#endif
