Importing twice changes nothing; --replace takes the earlier file out; --dry-run keeps nothing.

  $ printf 'job_id,team,gpus,start,end,gpu_model\na,vision,2,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,A100\n' > jobs.csv
  $ tare import --dry-run --as allocations jobs.csv; tare report 2>&1 | sed "s|'[^']*/db'|DB|"
  jobs.csv: allocations, 1 row would be kept, 4.00 GPU·h
  tare: there is no store in DB yet
        Bring something in with `tare import FILE`, or try `tare demo`

  $ tare import --as allocations --set usd_gpu_hour=2.50 jobs.csv
  jobs.csv: allocations, 1 row kept, 4.00 GPU·h
  You see   GPU time by team, user and job; failed work: tare report --by team
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job

  $ tare import --dry-run --as allocations --set usd_gpu_hour=2.50 jobs.csv
  jobs.csv: already imported (batch 1); nothing would change (--replace reads it again)

  $ tare import --as allocations --set usd_gpu_hour=2.50 jobs.csv
  jobs.csv: already imported (batch 1); nothing changed (--replace reads it again)
  You see   GPU time by team, user and job; failed work: tare report --by team
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job

  $ tare report -o csv
  team,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  vision,USD,14400,10,10,0,0,,0,0,,,,,,,,,0,0,,,0,0,14400,10

  $ printf 'job_id,team,gpus,start,end,gpu_model\na,vision,1,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,A100\n' > jobs.csv
  $ tare import --replace --as allocations --set usd_gpu_hour=2.50 jobs.csv
  jobs.csv: allocations, 1 row kept, 2.00 GPU·h
      note: 1 earlier file of 'jobs.csv' taken out
  You see   GPU time by team, user and job; failed work: tare report --by team
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job

  $ tare report -o csv
  team,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  vision,USD,7200,5,5,0,0,,0,0,,,,,,,,,0,0,,,0,0,7200,5

A second command while one holds the store.

  $ flock $TARE_DB/lock -c 'tare import --as allocations jobs.csv' 2>&1 | sed "s|pid [0-9]*|pid N|; s|'[^']*/db'|DB|"
  tare: the store DB is in use by another process
        Nothing was imported. Wait for it with --wait

The newer export of a bill takes the place of the older one, lines that are no GPU time too; two accounts in one file. The same again changes nothing.

  $ cat > bill <<'EOF'
  > echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceCategory > bill.csv
  > for a in 1 2; do echo $1,$1,USD,$a,Usage,2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,2024-10-01T00:00:00Z,2024-11-01T00:00:00Z,AWS,Storage >> bill.csv; done
  > EOF
  $ . ./bill 10; tare import -q --db bills bill.csv; tare report --db bills | tail -1; . ./bill 12.5; tare import -q --db bills --replace bill.csv; tare report --db bills | tail -1; tare import -q --db bills --replace bill.csv; tare report --db bills | tail -1
  Bill 20.00 · ledger 20.00 · difference 0.00 · unpriced 0 GPU·h
  Bill 25.00 · ledger 25.00 · difference 0.00 · unpriced 0 GPU·h
  Bill 25.00 · ledger 25.00 · difference 0.00 · unpriced 0 GPU·h

With --replace the same file is read again: rules of the settings that have changed since count for it then.

  $ printf 'JobID|User|Account|State|Start|End|AllocTRES|NodeList|Cluster\n7|ann|ml|COMPLETED|2024-10-01T00:00:00|2024-10-01T02:00:00|gres/gpu=2,node=1|n1|c\n' > sacct.txt; tare import --db slurm sacct.txt
  sacct.txt: sacct, 1 row kept, 4.00 GPU·h
      note: sacct writes times without a zone: read as UTC, as TZ=UTC sacct ... writes them (--set utc_offset=+02:00 says otherwise)
      note: accounts of Slurm name no team by themselves; a rule of the settings makes them teams, virtual_tags: [{when: {account: "*"}, set: {team: "{account}"}}], for what is imported after it, and for the rest after tare import --repost (docs/CONFIG.md)
      note: all jobs of cluster 'c' are of one user, 'ann': taken for a part of the list, so nothing is called unallocated by it; if the list is complete, import it with --covers
  You see   GPU time by team, user and job; failed work:
            tare report --by team --db slurm
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job

  $ printf 'version: 1\nvirtual_tags:\n  - when: {account: ml}\n    set: {team: vision}\n' > rules.yaml; tare import --db slurm --config rules.yaml sacct.txt; tare import -q --db slurm --config rules.yaml --replace sacct.txt; tare report --db slurm --by team -o csv | cut -d, -f1-3
  sacct.txt: already imported (batch 1); nothing changed (--replace reads it again)
  You see   GPU time by team, user and job; failed work:
            tare report --by team --db slurm --config rules.yaml
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
  team,currency,gpu_seconds
  vision,USD,14400
  ! tare: settings changed since what is in the store was imported (virtual_tags): they hold for what is new;
  !       for the rest: tare import --repost --db slurm --config rules.yaml

  $ tare import -q --db slurm - < sacct.txt
  ! tare: what came on 'standard input' was imported before, in batch 2
  !       Nothing was imported. --replace reads it again
  [2]

A folder called metrics does not make its files MLflow's: the same file by another path is the same.

  $ mkdir metrics; printf 'time,service,count,latency_ms\n2024-09-01T00:00:30Z,chat,600,20\n' > metrics/requests.csv; tare import -q --db folders metrics/requests.csv; tare import --db folders ./metrics/requests.csv | head -1
  ./metrics/requests.csv: already imported (batch 1); nothing changed (--replace reads it again)
