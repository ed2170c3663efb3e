#ifndef TARE_CLI_CMDS_H
#define TARE_CLI_CMDS_H
#include "cli/cli.h"
extern const struct cli_cmd cmd_import_def, cmd_report_def, cmd_reconcile_def, cmd_price_def,
	cmd_demo_def, cmd_doctor_def, cmd_completion_def, cmd_help_def, cmd_version_def;
extern const struct cli_cmd cmd_alerts_def;
extern const struct cli_cmd cmd_profile_def;
extern const struct cli_cmd cmd_run_def;
extern const struct cli_cmd cmd_agent_def, cmd_agent_status_def, cmd_agent_export_def,
	cmd_agent_init_def;
extern const struct cli_cmd cmd_plan_gpu_def;
extern const struct cli_cmd cmd_plan_mig_def, cmd_plan_capacity_def, cmd_plan_batch_def,
	cmd_simulate_requests_def;
extern const struct cli_cmd cmd_plan_commit_def, cmd_plan_reserved_def, cmd_plan_own_def;
extern const struct cli_cmd cmd_plan_forecast_def, cmd_plan_schedule_def;
extern const struct cli_cmd cmd_plan_def, cmd_plan_accept_def, cmd_plan_dismiss_def,
	cmd_plan_reset_def, cmd_plan_apply_def, cmd_plan_trial_def, cmd_explain_def;
extern const struct cli_cmd cmd_simulate_jobs_def;
extern const struct cli_cmd cmd_simulate_def, cmd_simulate_spot_def, cmd_plan_spot_def;
extern const struct cli_cmd cmd_top_def;
extern const struct cli_cmd cmd_init_def, cmd_schema_def, cmd_config_def;
#endif
