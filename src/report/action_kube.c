/* Actions in the words of Kubernetes: kubectl, and fields of manifests. */
#include "base/tm.h"
#include "report/action_in.h"

/* To no card at all and back is another resource list: not told here. */
static void put_cards(struct lines *l, const struct action_submit *s, bool undo)
{
	const struct submit_ask *to = undo ? &s->was : &s->now;
	const char *type = quoted(l, QUOTE_NOTE, to->instance_type, "");

	if (!s->was.gpus || !s->now.gpus)
		return;
	if (!(s->change & SUBMIT_TYPE))
		line_add(l, "# Kubernetes: resources: {limits: {nvidia.com/gpu: %lld}}",
			 (long long)to->gpus);
	else if (s->change & SUBMIT_GPUS)
		line_add(
			l,
			"# Kubernetes: resources: {limits: {nvidia.com/gpu: %lld}}, nodeSelector: {node.kubernetes.io/instance-type: %s}",
			(long long)to->gpus, type);
	else
		line_add(l, "# Kubernetes: nodeSelector: {node.kubernetes.io/instance-type: %s}",
			 type);
}

void kube_submit(struct lines *l, const struct action *a, bool undo)
{
	const struct action_submit *s = &a->submit;
	const struct submit_ask *to = undo ? &s->was : &s->now;

	if (s->change & (SUBMIT_GPUS | SUBMIT_TYPE))
		put_cards(l, s, undo);
	if (s->change & SUBMIT_LIMIT)
		line_add(l, "# Kubernetes Job: spec: {activeDeadlineSeconds: %lld}",
			 (long long)(to->limit_ms / MS_SECOND));
}
