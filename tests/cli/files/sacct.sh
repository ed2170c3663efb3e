# A job list as sacct prints it: jobs of ada in cluster c from 2026-11-02T00:00:00 on. Of each argument "ID TRES NODES HOURS": a job that ran that
# long, or runs as long as that by now (HOURS with a "+" behind).
echo 'JobID|User|State|Start|End|ElapsedRaw|NodeList|AllocTRES|Cluster'
for job; do
	set -- $job
	hours=${4%+}
	state=COMPLETED end=$(date -u -d "2026-11-02 UTC + $hours hours" +%FT%T)
	[ "$hours" = "$4" ] || state=RUNNING end=Unknown
	echo "$1|ada|$state|2026-11-02T00:00:00|$end|$((hours * 3600))|$3|$2|c"
done
