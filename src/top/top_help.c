/* The page of help of `tare top`; docs/WATCH.md and the man page have the same table. */
#include "top/top_paint.h"

void top_help_text(struct top_text *t)
{
	static const struct {
		const char *key, *what;
	} row[] = {
		{ "up down PgUp PgDn Home End",
		  "move in the list that has the focus (also k j g G)" },
		{ "Tab", "other list: GPUs, processes; the one in focus gets more lines" },
		{ "Enter e",
		  "explain the selected GPU: why it wastes, since when, what it costs a day, what to do" },
		{ "f", "the selected GPU on the whole page: its past, owners, processes" },
		{ "P", "go to the processes of the selected GPU" },
		{ "s S", "sort by the next, the previous column" },
		{ "i u m W t w o",
		  "sort GPUs by index, utilisation, memory, power (W), temperature, $ wasted (w), owner" },
		{ "u m c n o i", "sort processes by SM, memory, CPU, pid, user, GPU" },
		{ "r", "reverse" },
		{ "/",
		  "filter by team, user, job, command, model, state; Enter keeps it, Esc drops it" },
		{ "a", "processes of the selected GPU alone, or of all" },
		{ "p", "pause: the page stands still (waste is counted on)" },
		{ "+ -", "longer, shorter interval; the present one stands in the first line" },
		{ "space", "poll now" },
		{ "q Ctrl-C", "leave" },
	};
	static const struct {
		const char *word, *what;
	} word[] = {
		{ "busy", "at or above the underused bound (25 % unless set)" },
		{ "underused",
		  "works, below that bound; what is not used counts as waste. \"?\": cause not known yet, Enter shows what is" },
		{ "idle_held",
		  "does nothing, and memory is held: finished, warm server, notebook, stalled" },
		{ "idle_empty", "does nothing, holds no memory, and yet somebody has it" },
		{ "unallocated", "nobody has it" },
		{ "unknown", "no valid reading: never counted as idle" },
		{ "-", "not known, or the GPU cannot say" },
	};
	top_text_add(t, STYLE_BOLD, 0, "Keys");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		top_text_add(t, STYLE_TEXT, 30, "  %-28s%s", row[i].key, row[i].what);
	top_text_add(t, STYLE_TEXT, 0, "%s", "");
	top_text_add(t, STYLE_BOLD, 0, "Words");
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		top_text_add(t, STYLE_TEXT, 15, "  %-13s%s", word[i].word, word[i].what);
	top_text_add(t, STYLE_TEXT, 0, "%s", "");
	top_text_add(
		t, STYLE_TEXT, 0,
		"wasted: what idle, empty, unallocated and the unused part of underused time cost since 00:00 UTC where a tare agent on this "
		"machine has counted it, else since tare top was started; the second line says which. Times are UTC.");
	top_text_add(t, STYLE_TEXT, 0, "past: utilisation, a column a poll, newest at the right.");
}
