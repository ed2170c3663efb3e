/* The table of commands. A new command is one file and one row. */
#include "cli/cli.h"
#include "cli/cmds.h"

const struct cli_cmd *const cli_commands[] = {
	&cmd_top_def,           &cmd_import_def,
	&cmd_report_def,        &cmd_plan_def,
	&cmd_profile_def,       &cmd_alerts_def,
	&cmd_explain_def,       &cmd_reconcile_def,
	&cmd_price_def,         &cmd_plan_commit_def,
	&cmd_plan_reserved_def, &cmd_plan_own_def,
	&cmd_plan_gpu_def,      &cmd_plan_mig_def,
	&cmd_plan_capacity_def, &cmd_plan_batch_def,
	&cmd_plan_spot_def,     &cmd_simulate_def,
	&cmd_simulate_spot_def, &cmd_simulate_requests_def,
	&cmd_simulate_jobs_def, &cmd_plan_forecast_def,
	&cmd_plan_schedule_def, &cmd_plan_accept_def,
	&cmd_plan_dismiss_def,  &cmd_plan_reset_def,
	&cmd_plan_apply_def,    &cmd_plan_trial_def,
	&cmd_run_def,           &cmd_agent_def,
	&cmd_agent_status_def,  &cmd_agent_export_def,
	&cmd_agent_init_def,    &cmd_init_def,
	&cmd_demo_def,          &cmd_doctor_def,
	&cmd_config_def,        &cmd_schema_def,
	&cmd_completion_def,    &cmd_help_def,
	&cmd_version_def,       NULL,
};
