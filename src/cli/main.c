/* The program `tare`. */
#include "cli/agent_exec.h"
#include "cli/cli.h"

int main(int argc, char **argv)
{
	agent_exec(argc, argv);
	return cli_main(argc, argv);
}
