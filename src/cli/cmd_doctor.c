/* tare doctor: what tare can and cannot see here. Reads only. */

#include "agent/doctor.h"
#include "agent/settings.h"
#include "base/tm.h"
#include "cli/agent_open.h"
#include "cli/cmds.h"
#include "report/doctor.h"

static int run_doctor(struct cli *c)
{
	struct doctor_ask q = { .config = c->config, .mono_ms = tm_mono_ms };
	struct doctor d;
	struct store *store = NULL;
	struct str out = { 0 };
	int rc;

	if (c->output != OUT_JSON && c->output != OUT_TABLE)
		return cli_usage_error(c, "doctor prints a table or json");
	q.dir = cli_db(c);
	q.state = cli_value(c, "state");
	q.config_code = settings_check(c->config, &q.config_why);
	q.store_code = cli_open_store(c, STORE_READ, &store, &q.why);
	q.ask = cli_ask(c, store, NULL);
	q.words = cli_store_words(c);
	answer_doctor(&q, &d);
	if (store)
		store_close(store);
	doctor_machine(&q, &d);
	d.opens.store = q.words;
	doctor_print(&d, c->output, c->width, &out);
	rc = cli_write(&out);
	str_free(&out);
	if (rc == EXIT_DONE && d.bad)
		return EXIT_ERROR;
	return rc;
}

static const struct cli_opt opts[] = { AGENT_STATE_OPT, { 0 } };

const struct cli_cmd cmd_doctor_def = {
	.name = "doctor",
	.group = "govern",
	.summary = "what tare can and cannot see here",
	.usage = "[--state DIR]",
	.examples = "tare doctor\ntare doctor --db /srv/tare -o json",
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&doctor_doc),
	.run = run_doctor,
};
