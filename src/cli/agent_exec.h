#ifndef TARE_CLI_AGENT_EXEC_H
#define TARE_CLI_AGENT_EXEC_H
/*
 * `tare agent`, `tare profile` and `tare run` stay on nodes for long: they become tare-agent, which
 * has neither DuckDB nor reports in it, where that program lies beside tare or on PATH. Does not
 * return then; returns where there is none (the command runs in this process) or where argv names
 * another command.
 */
void agent_exec(int argc, char **argv);

#endif
