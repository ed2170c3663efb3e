/* What a restore drill prints and keeps. */
#include "agent/docs.h"
#include "agent/drill.h"

#define AT(m) offsetof(struct drill, m)

static const struct col cols[] = {
	{ "time", COL_TIME, AT(at_ms), .help = "of the interruption, else of the start",
	  .always = true },
	{ "verdict", COL_TEXT, AT(verdict), .always = true,
	  .help = "passed, not_made (it ended before), not_saved, lost_too_much, not_begun, no_step, not_read, earlier_step, ignored_notice, later_step, ended_badly, other_result" },
	{ "passed", COL_BOOL, AT(passed), .always = true,
	  .help = "it saved, and went on from what it saved: what tare plan reads" },
	{ "why", COL_TEXT, AT(why), .help = "a sentence", .always = true },
	{ "what_to_do", COL_WORD, AT(what_to_do), .help = "a sentence; null: nothing" },
	{ "user", COL_WORD, AT(user), .help = "whose jobs it stands for" },
	{ "name", COL_WORD, AT(name), .help = "of the job: numbers in it may be others" },
	{ "cluster", COL_WORD, AT(cluster), .help = "of Slurm; null: any" },
	{ "gpus", COL_INT, AT(gpus), "count", "held on this machine; 0: not known" },
	{ "machines", COL_INT, AT(machines), "count", "of the job" },
	{ "step_saved", COL_INT, AT(step_saved), .help = "newest that was safe after the notice" },
	{ "step_resumed", COL_INT, AT(step_resumed), .help = "that it went on from" },
	{ "steps_redone", COL_INT, AT(steps_redone), "count",
	  "done before the end and not in the checkpoint; null: it tells no steps" },
	{ "checkpoint_bytes", COL_INT, AT(checkpoint_bytes), "bytes", "of the newest" },
	{ "save_s", COL_NUM, AT(save_s), "s", "from the notice until it was safe", .digits = 3 },
	{ "restart_s", COL_NUM, AT(restart_s), "s",
	  "from the start of the second attempt to its first step or save", .digits = 3 },
	{ "lost_s", COL_NUM, AT(lost_s), "s", "of work that no checkpoint had", .digits = 3 },
	{ "job", COL_WORD, AT(job), .help = "its name in the ledger" },
	{ "command", COL_WORD, AT(command), .help = "as one line" },
	{ 0 },
};
const struct col_doc run_drill_doc = { "tare.run-drill/1", "run drill",
				       "what came of a restore drill", cols };

void drill_line(const struct drill *d, struct str *out)
{
	cols_doc(&run_drill_doc, d, out);
}
