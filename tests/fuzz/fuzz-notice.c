#include <stdlib.h>

#include "base/tm.h"
#include "run/notice_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sv text = { (const char *)data, size };
	struct notice_event e;
	struct str ids = { 0 };
	int64_t ms;

	notice_aws_action(text, &e);
	notice_azure_events(text, SV("vm"), &e, &ids);
	notice_azure_events(text, SV(""), &e, &ids);
	if (ids.n > 4200)
		abort();
	notice_kube_node(text, &e);
	tm_parse_http(text, &ms);
	str_free(&ids);
	return 0;
}
