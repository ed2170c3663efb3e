#ifndef TARE_CLI_AGENT_FILES_H
#define TARE_CLI_AGENT_FILES_H
/* Files of packaging/, compiled in by tools/embed-texts. */
struct agent_file {
	const char *name, *text;
};
extern const struct agent_file agent_files[]; /* ends with name == NULL */
#endif
