#ifndef TARE_LEDGER_RULES_H
#define TARE_LEDGER_RULES_H
#include <stdbool.h>
/*
 * The version of the rules by which facts become entries. A store says by which its ledger was
 * made; one of older rules is rebuilt from its facts by the first command that writes to it
 * (book/migrate.h). Raised with every change that gives other entries of the same facts:
 *
 *   1  up to commit ebb1e47
 *   2  bill lines count once, each either as the time of a machine or as entries of their own;
 *      unallocated needs a witness (docs/LEDGER.md); entries say where on the bill they stand and
 *      what they served; what rates gave and what time was paid is kept to be checked against
 *   3  compute lines that name a recorded machine with GPUs and not its type are that machine's
 *      time
 *   4  time that nobody held keeps the tags of its bill's line also where none of them names an
 *      owner, that of a pool those which all its machines have
 *   5  how far machines without an end are paid is told by usage, not by fees, taxes, credits and
 *      discounts of a whole billing period, and never after the import
 *      GPUs of two models or MIG profiles that one job holds on one machine count both; a profile
 *      is known behind a model too ("h100_1g.10gb")
 *      jobs that say how many GPUs they hold and not which have those that their readings fit
 *      (book/post/choice.h); notebooks, shells and services that are cancelled or reach their time
 *      limit are not lost; readings that name a GPU's uuid and no node are of the node
 *      whose record names it
 *   6  time that nobody held of a machine whose lines of one period have different tags is divided
 *      among these by cost
 *      GPUs of a stored model that is a model and a MIG profile are instances
 *   7  credits, refunds and adjustments are no GPU time: kind other, of the machine that they name;
 *      a purchase is spread over its charge period as other lines are; machines of which nothing
 *      says whether they have GPUs are in the state unknown
 *      rules see the namespace, cluster and workload that tags of EKS, ECS and GKE say
 *   8  readings of the machines of a pool, whose jobs name no machine, tell what the time was that
 *      these jobs do not hold: it is one time, however it is told; names of GPUs in records and
 *      readings are of one GPU where they are equal, whatever they begin with
 *      the lines of a set of machines (Azure's scale sets, GKE's groups, an id that several nodes
 *      have or are mapped to) are divided among its nodes that are known (book/sets.c)
 *      corrections are no GPU time, as credits are; a credit without tags is of its machine's owner of
 *      that day; lines that count hours say how a machine is paid
 *      jobs that crashed, aborted or timed_out came to nothing
 *      each MIG instance that a job holds and does not name has the room of its slices on one GPU,
 *      where readings name instances first (book/post/hold.c); where all have one profile each has
 *      the instance that its readings fit (book/post/choice.h)
 *   9  what jobs that follow each other would lose by another's choice of a GPU adds up
 *      ids of machines that jobs tell of (OpenCost's providerID) join their nodes to bills;
 *      instances that have one name of a node have the GPUs of their own lines
 *      the cost of a machine's time stands by invoice, account, category and service as its lines
 *      do; a credit without tags is of all whose its machine's time was (book/post/rider.c)
 *      time that is paid in several ways has each of them by the hours that lines count; lines of
 *      longer periods lie in the time that shorter ones leave (book/paid.c)
 *      a job that ended by EXIT (LSF) came to nothing
 *      readings that tell the profile of their MIG instance have its part of the GPU, and what no
 *      instance covers is nobody's
 *  10  what a bill charges for a commitment under which no time of the machine was paid says
 *      nothing of how its time was (book/paid.c)
 *      a machine whose cluster neither its record nor a job says is of the one that its bill's tags
 *      say; --covers of a cluster without jobs in its files is over the time of their jobs
 *      machines of one name at once have the GPUs of each also where their lines' periods differ
 *      readings that name a pod without its namespace are of the one pod of that name there
 *      reservations of capacity are no machines: what of one was not used is nobody's GPU time,
 *      free, and what counts it beside the lines of its machines none
 *  11  a uuid that is one more than its machine has GPUs is that of a replaced one, where none of
 *      the others was read while it was; entries have the uuid that the record of their hour says
 *      (gpu_names.h)
 *      readings that name no machine and a job are of the scope of that job, so that its time is
 *      there once; of a node of which an agent tells each GPU is closed by itself though nothing
 *      was read of it, so that what the agent did not see is not free
 */
#define LEDGER_RULES 11

/* Is a ledger of these rules to be made again? 0: nothing was posted yet. */
static inline bool ledger_rules_older(int rules)
{
	return rules && rules < LEDGER_RULES;
}

#endif
