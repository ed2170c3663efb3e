A restore drill: what it shows unlocks the spot lever for the jobs that it stands for, and nothing else does. Programs with libtare, kills, and what fails: tests/peers/t-drill.py.

  $ cat > fleet.py <<'EOT'
  > from datetime import datetime as D, timedelta as T
  > t0, f = D(2026, 10, 1), lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > n, j, p = (open(x, "w") for x in ("nodes.csv", "jobs.csv", "prices.csv"))
  > n.write("node,provider,region,zone,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\n")
  > j.write("job_id,user,team,workload,name,gpus,gpu_ids,node,submit,start,end,state,limit_s,cluster\n")
  > p.write("provider,region,zone,instance_type,gpu_model,gpu_count,purchase,usd_hour,currency,from,to\n")
  > for i in range(28):
  >     a, b = t0 + T(days=i), t0 + T(days=i, hours=20)
  >     n.write(f"n{i},aws,us-east-1,us-east-1a,p3.8xlarge,V100-SXM2-16GB,4,on_demand,{f(a)},{f(b)},c1,12.24\n")
  >     j.write(f"{100 + i},ada,vision,training,unet-{i},4,0;1;2;3,n{i},{f(a)},{f(a)},{f(b)},COMPLETED,144000,c1\n")
  > for i in range(5):
  >     p.write(f"aws,us-east-1,us-east-1a,p3.8xlarge,V100-SXM2-16GB,4,spot,{3.8 if i % 2 else 4.2},USD,{f(t0 + T(days=7 * i))},{f(t0 + T(days=7 * i + 7))}\n")
  > EOT
  $ python3 fleet.py; tare import -q nodes.csv jobs.csv; tare import -q --as prices prices.csv
  $ cat > said.sh <<'EOT'
  > export TARE_NOW=2026-10-29T00:00:00Z
  > tare plan --lever spot -o json 2>/dev/null | python3 -c '
  > import json, sys
  > p = json.load(sys.stdin)
  > print("spot:", [(r["id"], r["tier"], [e["value"] for e in r["evidence"] if e["metric"] == "runs known to resume"]) for r in p["recommendations"]])
  > print("advice:", [a["id"] for a in p["advice"]])'
  > EOT

Nobody knows whether these jobs resume: they stand at "add checkpoints".

  $ sh said.sh
  spot: []
  advice: ['spot-checkpoints-vision-unet---ada-4xp3.8xlarge']

A drill of one of them, by hand: the program saves at USR1, into files whose names have the step.

  $ cat > train.py <<'EOT'
  > import os, signal, sys, time
  > os.makedirs("out", exist_ok=True)
  > files = sorted(os.listdir("out")) if sys.argv[1] == "goes-on" else []
  > files = [f for f in files if f.endswith(".pt")]
  > step = int(open(f"out/{files[-1]}").read()) if files else 0
  > want = []
  > signal.signal(signal.SIGUSR1, lambda *a: want.append(1))
  > while True:
  >     time.sleep(0.01)
  >     step += 1
  >     if want or step % 150 == 0:
  >         want.clear()
  >         open(f"out/s-{step}.tmp", "w").write(str(step)); os.rename(f"out/s-{step}.tmp", f"out/s-{step:06d}.pt")
  > EOT
  $ cat > drill.sh <<'EOT'
  > unset SLURM_JOB_NAME SLURM_JOB_USER SLURM_CLUSTER_NAME SLURM_JOB_NUM_NODES
  > exec tare run drill --user ada --gpus 4 --after 3s --grace 10s --stop --notice none --watch out --checkpoint-signal USR1 "$@"
  > EOT
  $ sh drill.sh --name unet-77 -o json -- python3 train.py goes-on 2>err > drill.json; echo $?; python3 -c '
  > import json; d = json.load(open("drill.json"))
  > print(d["verdict"], d["passed"], d["user"], d["name"], d["gpus"], d["machines"], d["step_saved"] == d["step_resumed"] > 0, d["checkpoint_bytes"] > 0, 0 <= d["save_s"] < 60, 0 < d["restart_s"] < 60)'; cmp drill.json $TARE_DB/drills.jsonl && cmp drill.json checkpoints/drill.json && echo kept; tail -1 err
  0
  passed True ada unet-77 4 1 True True True True
  kept
        Kept in '$TMP/db': the plan may move such jobs to spot, to be tried first (tare plan --lever spot)
  $ sh said.sh
  spot: [('spot-vision-unet---ada-4xp3.8xlarge', 'trial', ['28'])]
  advice: []
  $ TARE_NOW=2026-10-29T00:00:00Z tare explain 1 | grep -cE '(state safe after a notice|started again until its first step|work done again) .* measured$'
  3

One that fails counts against them, whatever was seen before. It stands for jobs of the same user, the same pattern of names, and no more GPUs.

  $ rm -rf out checkpoints; sh drill.sh --name unet-78 -- python3 train.py begins-anew 2>err; echo $?; grep -A9 FAILED err | sed 's/FAILED: .*/FAILED/'
  1
  tare: the restore drill FAILED
        Let it load the newest checkpoint when it starts (TARE_RESUME_STEP is its step; tare init python writes a training that does)
        Kept in '$TMP/db': such jobs stay at "add checkpoints" (tare plan --lever spot)
  $ sh said.sh; TARE_NOW=2026-10-29T00:00:00Z tare explain spot-checkpoints-vision-unet---ada-4xp3.8xlarge | tr -s ' \n' ' ' | grep -oE 'The restore drill of [-0-9]* failed'  | tr -d 0-9
  spot: []
  advice: ['spot-checkpoints-vision-unet---ada-4xp3.8xlarge']
  The restore drill of -- failed
  $ for other in 's/"ada"/"bob"/' 's/unet-77/resnet-77/' 's/unet-77/77/' 's/"gpus":4/"gpus":2/' 's/"time":"2026/"time":"2025/'; do sed "$other" drill.json > $TARE_DB/drills.jsonl; sh said.sh | head -1; done
  spot: []
  spot: []
  spot: []
  spot: []
  spot: []
  $ cp drill.json $TARE_DB/drills.jsonl; sh said.sh | head -1; printf '{"schema":"tare.run-drill/1","verdict":"passed","pas' > $TARE_DB/drills.jsonl; sh said.sh | head -1; TARE_NOW=2026-10-29T00:00:00Z tare plan --lever spot 2>/dev/null | grep drills.jsonl
  spot: [('spot-vision-unet---ada-4xp3.8xlarge', 'trial', ['28'])]
  spot: []
    restore drills: 1 line of drills.jsonl cannot be read and proves nothing

A drill of another machine is brought, once; the settings say more than any drill.

  $ rm $TARE_DB/drills.jsonl; tare run drill --bring drill.json; tare run drill --bring drill.json; wc -l < $TARE_DB/drills.jsonl; echo '{}' | tare run drill --bring -
  1
  ! tare: 1 restore drill kept in '$TMP/db'
  ! tare: 0 restore drills kept in '$TMP/db'
  ! tare: '-' is not a restore drill
  !       It is what tare run drill -o json prints, or drill.json of a folder of checkpoints
  [2]
  $ printf 'version: 1\nplan: {rules: [{when: {user: ada}, checkpointable: false}]}\n' > c.yaml; TARE_CONFIG=c.yaml sh said.sh | head -1
  spot: []

What makes no sense is said before anything is run.

  $ tare run drill
  ! tare: which command? tare run drill -- python train.py
  !       See: tare run drill --help
  [2]
  $ tare run drill --check true --stop -- touch started
  ! tare: --check looks at the result, and with --stop there is none
  !       See: tare run drill --help
  [2]
  $ tare run drill --name unet-1 --notice none --checkpoint-dir c2 -- true
  ! tare: the restore drill was not made: it ended with code 0 before the drill could interrupt it
  !       Interrupt it sooner: --after SPAN
  [3]
  $ tare run drill --dry-run -- python3 train.py; ls started
  would run, interrupt once and run again: python3
  ! ls: cannot access 'started': No such file or directory
  [2]
