#ifndef TARE_MODEL_MACHINE_ID_H
#define TARE_MODEL_MACHINE_ID_H
/* Ids of machines as clouds and the nodes of Kubernetes have them: "i-0feed",
 * "aws:///us-east-1a/i-0feed", "gce://project/zone/name", "azure:///subscriptions/S/...". All are
 * views of `id`. */
#include "base/str.h"

/* The tag of an allocation with the id of the machine under it, as its cloud or Kubernetes
 * (providerID) has it. */
#define MACHINE_TAG "provider_id"

/*
 * GPU time of a day and GPU of machines that one source alone tells of: paid, by a bill or a
 * record, and named by no job and no reading; or named by these (paid false), and neither billed
 * nor recorded.
 */
struct machine_time {
	bool paid;
	struct sv gpu_model; /* as its source has it; nothing: not said */
	int64_t day;         /* since 1970 */
	int64_t ms;
	struct sv machine; /* one of them */
};

/* "aws", "gcp", "azure"; nothing where the id does not say. */
struct sv machine_id_provider(struct sv id);
/* As the commands of its cloud take it: without what Kubernetes puts before it. */
struct sv machine_id_own(struct sv id);
/* "/subscriptions/.../virtualMachineScaleSets/SET" and the number of the machine in it; false: it
 * is of no scale set of Azure. */
bool machine_id_in_set(struct sv id, struct sv *ret_set, struct sv *ret_number);
/* The id of a scale set itself, as bills have it of its machines: it says not which of them. */
bool machine_id_is_set(struct sv id);
/* Of "aks-gpu-12345678-vmss00000a" in that set 10: six digits to the base of 36; -1: no such
 * name. */
int64_t machine_id_number(struct sv set, struct sv node);
/* "gpu" of "aks-gpu-12345678-vmss", as AKS calls the scale set (in an id) or a node of the node
 * pool; nothing for any other id or name. */
struct sv machine_id_aks_pool(struct sv id);
/* "lab" of ".../resourceGroups/MC_ml_lab_eastus/...", as AKS names the group of a cluster's
 * machines by group, cluster and region; nothing where these cannot be told apart. */
struct sv machine_id_aks_cluster(struct sv id);

#endif
