/* How jobs go to spot machines, in lines to be pasted: a Slurm script, a patch of a Kubernetes Job.
 * With checkpoints both run the command under tare run. */
#include <math.h>

#include "plan/lever_spot.h"

/* The batch shell gets the signal and hands it on; 85 asks for the next attempt. */
void spot_how_slurm(const struct lever_in *in, struct rec *r, double every_min)
{
	rec_apply(in, r, "#SBATCH --partition=spot --requeue --open-mode=append");
	if (every_min > 0) {
		rec_apply(in, r, "#SBATCH --signal=B:USR1@90");
		rec_apply(in, r, "trap 'kill -USR1 $pid' USR1");
		rec_apply(
			in, r,
			"tare run --notice-signal USR1 --notice-span 90s --every %.0fm -- COMMAND & pid=$!",
			fmax(1, every_min));
		rec_apply(in, r,
			  "wait $pid; wait $pid; [ $? = 85 ] && scontrol requeue $SLURM_JOB_ID");
	}
	rec_undo(in, r, "#SBATCH --partition=PARTITION   # as before");
}

static const char *selector(const char *provider)
{
	return !strcmp(provider, "gcp")     ? "cloud.google.com/gke-spot: \"true\""
	       : !strcmp(provider, "azure") ? "kubernetes.azure.com/scalesetpriority: spot"
	       : !strcmp(provider, "aws")   ? "eks.amazonaws.com/capacityType: SPOT"
					    : "karpenter.sh/capacity-type: spot";
}

/* 85 and a lost node make a new pod and count as no failure (podFailurePolicy wants restartPolicy
 * Never); tare is process 1 and gets the SIGTERM. */
static void under_run(const struct lever_in *in, struct rec *r, double every_min)
{
	rec_apply(in, r, "  podFailurePolicy:");
	rec_apply(in, r, "    rules:");
	rec_apply(in, r, "    - {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}");
	rec_apply(
		in, r,
		"    - {action: Ignore, onExitCodes: {containerName: CONTAINER, operator: In, values: [85]}}");
	rec_apply(in, r, "  template:");
	rec_apply(in, r, "    spec:");
	rec_apply(in, r, "      restartPolicy: Never");
	rec_apply(in, r, "      terminationGracePeriodSeconds: 120   # longer than saving takes");
	rec_apply(in, r, "      containers:");
	rec_apply(in, r, "      - name: CONTAINER");
	rec_apply(
		in, r,
		"        command: [\"tare\", \"run\", \"--every\", \"%.0fm\", \"--\", \"COMMAND\"]   # in its image; and the arguments in args",
		fmax(1, every_min));
	rec_apply(
		in, r,
		"        env: [{name: TARE_CHECKPOINT_DIR, value: FOLDER}]   # of a volume that outlives the node");
}

void spot_how_kubernetes(const struct lever_in *in, struct rec *r, const char *provider,
			 double every_min)
{
	rec_apply(in, r, "# where it says CONTAINER, COMMAND or FOLDER: as it is in job.yaml");
	rec_apply(in, r, "cat > spot.yaml <<'END'");
	rec_apply(in, r, "spec:");
	if (every_min > 0)
		under_run(in, r, every_min);
	else {
		rec_apply(in, r, "  template:");
		rec_apply(in, r, "    spec:");
		rec_apply(in, r, "      restartPolicy: OnFailure");
	}
	rec_apply(in, r, "      nodeSelector: {%s}", selector(provider));
	if (!strcmp(provider, "azure"))
		rec_apply(
			in, r,
			"      tolerations: [{key: kubernetes.azure.com/scalesetpriority, value: spot, effect: NoSchedule}]");
	rec_apply(in, r, "END");
	rec_apply(in, r, "# a Job is made anew: its pods cannot be changed");
	rec_apply(
		in, r,
		"kubectl patch --local -f job.yaml --patch-file spot.yaml -o yaml | kubectl replace --force -f -");
	rec_undo(in, r, "kubectl replace --force -f job.yaml");
}
