/* The schema of what tare run writes to --status-fd. Its room writes the lines itself
 * (run/run_say.c), as checkpoints and runs know nothing of reports; that they fit this table is
 * held by the transcripts. */
#include "agent/docs.h"

/* Every line has the first three; which of the others goes by the event. */
#define ALWAYS .always = true
#define MAYBE  .maybe = true

static const struct col next_cols[] = {
	{ "hold", COL_TEXT, .help = "spot, on_demand or wait; null: not known" },
	{ "why", COL_TEXT, .help = "a sentence" },
	{ "rule", COL_TEXT, .help = "that decided: must, price, tare or uniform" },
	{ "work_left_s", COL_NUM, .help = "without interruptions" },
	{ "on_demand_by", COL_TIME, .help = "begun on demand by then, it is in time" },
	{ "deadline", COL_TIME, .help = "of the run" },
	{ "late", COL_BOOL, .help = "not even on demand fits; null: not known", .maybe = true },
	{ "expected", COL_NANO, .unit = "money", .help = "cost from here on" },
	{ "currency", COL_TEXT, .help = "of expected" },
	{ "set", COL_TEXT, .help = "what to set where it is started again" },
	{ 0 },
};
static const struct col cols[] = {
	{ "event", COL_TEXT, ALWAYS,
	  .help = "start, notice, asked, status, safe, price, damaged, problem or end" },
	{ "time", COL_TIME, ALWAYS, .help = "of the line" },
	{ "attempt", COL_INT, ALWAYS, .help = "from 0" },
	{ "job", COL_TEXT, MAYBE, .help = "start: its name in the ledger" },
	{ "resume_step", COL_INT, MAYBE, .help = "start: resumes from this checkpoint" },
	{ "put_aside", COL_INT, MAYBE, .help = "start: files that never became safe" },
	{ "notices", COL_TEXTS, MAYBE, .help = "start: who may say that the machine goes" },
	{ "deadline", COL_TIME, MAYBE, .help = "start: save and stop then" },
	{ "kind", COL_TEXT, MAYBE, .help = "notice: rebalance, stop or withdrawn" },
	{ "source", COL_TEXT, MAYBE, .help = "notice: who said it" },
	{ "what", COL_TEXT, MAYBE, .help = "notice, problem, damaged: a sentence" },
	{ "at", COL_TIME, MAYBE, .help = "notice: when the machine goes" },
	{ "for", COL_TEXT, MAYBE, .help = "asked: save, or stop" },
	{ "by", COL_TEXT, MAYBE, .help = "asked: socket or signal" },
	{ "told", COL_INT, MAYBE, .help = "asked: processes that were told" },
	{ "until", COL_TIME, MAYBE, .help = "asked: by when" },
	{ "step", COL_INT, MAYBE, .help = "status: told last; safe, damaged: the checkpoint's" },
	{ "id", COL_TEXT, MAYBE, .help = "safe, damaged: of the checkpoint" },
	{ "where", COL_TEXT, MAYBE, .help = "safe, damaged: folder or store" },
	{ "push_s", COL_NUM, MAYBE, .help = "safe: what the upload took" },
	{ "mended", COL_BOOL, MAYBE, .help = "damaged: it was fetched again" },
	{ "safe_step", COL_INT, MAYBE, .help = "status, end: newest that is safe" },
	{ "local_step", COL_INT, MAYBE, .help = "status, end: newest in the folder" },
	{ "stored_step", COL_INT, MAYBE, .help = "status, end: newest in the store" },
	{ "interval_s", COL_NUM, MAYBE, .help = "between checkpoints" },
	{ "mtbi_h", COL_NUM, MAYBE, .help = "mean time between interruptions" },
	{ "stall_s", COL_NUM, MAYBE, .help = "what a checkpoint stops the command for" },
	{ "expected_loss_frac", COL_NUM, MAYBE, .help = "of the time, with this interval" },
	{ "spent", COL_NANO, MAYBE, .unit = "money", .help = "status, end: over all attempts" },
	{ "usd_hour", COL_NANO, MAYBE, .unit = "money", .help = "status, price: of the machine" },
	{ "was", COL_NANO, MAYBE, .unit = "money", .help = "price: before" },
	{ "currency", COL_TEXT, MAYBE, .help = "status: of the amounts" },
	{ "notice_problem", COL_TEXT, MAYBE, .help = "status: who does not answer" },
	{ "damaged", COL_INT, MAYBE, .help = "start: checkpoints that cannot be used" },
	{ "why", COL_TEXT, MAYBE, .help = "asked, end: done, failed, interrupted, deadline ..." },
	{ "code", COL_INT, MAYBE, .help = "end: exit code" },
	{ "child_code", COL_INT, MAYBE, .help = "end: the command's" },
	{ "start_again", COL_BOOL, MAYBE, .help = "end: exit code 85" },
	{ "lost_s", COL_NUM, MAYBE, .help = "end: work that no checkpoint has" },
	{ "next", COL_ROW, MAYBE, .sub = next_cols,
	  .help = "end: where to start it again; null: it is done" },
	{ 0 },
};
const struct col_doc run_doc = { "tare.run/1", "run", "a line of --status-fd", cols };
