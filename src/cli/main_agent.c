/* tare-agent: what runs on every node. `tare agent`, `tare profile` and `tare run` exec it where it
 * lies beside tare. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
