tare profile runs a command as if tare were not there. GPUs are those of the stub library (tests/stub/nvml).
  $ cat > cards <<EOF
  > cards 2
  > card * procs=0 util=0 amp=0 mem_gib_used=1 mem_gib=80 name="NVIDIA H100 80GB HBM3" arch=9 power_limit=700 pcie_mb_s=0
  > card 1 procs=1 pidfile=$PWD/pid util=93 mem_gib_used=14.2 gpm=1 sm_active=0.31 occupancy=0.2 tensor=0.06 dram=0.18
  > EOF
  $ cat > env.sh <<EOF
  > export TARE_METADATA=off TARE_NVML=$BIN/../../tests/stub/nvml/libnvidia-ml.so.1 TARE_STUB_NVML=$PWD/cards
  > EOF
Output, input and exit code are the command's; the report goes to stderr. A few seconds are too short for a verdict.
  $ . ./env.sh; echo 'echo $$ > pid; cat; sleep 1.5; exit 3' > job; echo hello | tare profile --interval 100ms --usd-gpu-hour 2.69 -- sh job 2> report; echo "code $?"; sed 's/[0-9.]* Wh/N Wh/; s/^CPU .* cores of [0-9]*\( ([0-9.]* allowed)\)*/CPU N cores of M/; s/p-[0-9-]*/RUN/; s/[0-9.]* s of/N s of/; s/ · [0-9.]* s · / · N s · /; s/0[.]0[0-9]* [$]/N $/' report
  hello
  code 3
  sh job · N s · 1 x H100-SXM5-80GB · N $ (2.69 $/h)
  It ended with exit code 3.
  
                   p50     p95    mean    peak
  GPU busy        93 %    93 %    93 %    93 %
  VRAM            14.2    14.2    14.2    14.2  GiB of 80
  power            558     558     558     558  W of 700
  temperature       67      67      67      67  C
  PCIe in         0.00    0.00    0.00    0.00  GB/s
  PCIe out        0.00    0.00    0.00    0.00  GB/s
  CPU N cores of M
  counters    SM active 31 %   occupancy 20 %   tensor 6 %   DRAM 18 %   (means)
  energy      N Wh
  
  Too short to judge: N s of readings; a verdict wants 30 s and 20 readings.
  Which GPU would do: not said, as the run was too short to say what it needs.
  Kept: tare explain RUN
  $ tare explain last | grep judge > again; grep -c judge again; grep judge report | diff - again && echo the same
  1
  the same
The readings are native samples.
  $ tare import -o json "$TARE_DB"/profiles/*.samples.csv.zst | python3 -c "import json,sys; f=json.load(sys.stdin)['files'][0]; print(f['kind'], f['rows_kept'] > 5, f['rows_rejected'])"
  samples True 0
A command that is stopped goes on when tare is told to.
  $ tare profile -q --no-keep -- sh -c 'echo $$ > pid; kill -STOP $$; exit 6' & until grep -q 'T' /proc/$(cat pid)/stat; do sleep 0.1; done 2>/dev/null; kill -CONT %1; wait %1
  [6]
Exit codes: of a signal, not there, cannot be run, wrong use.
  $ tare profile -q --no-keep -- sh -c 'kill -9 $$'
  [137]
  $ tare profile --no-keep -- ./nosuch
  ! tare: cannot run './nosuch': No such file or directory
  [127]
  $ tare profile --no-keep -- 'true | cat'
  ! tare: cannot run 'true | cat': No such file or directory
  !       A line for the shell is run by one: sh -c '...'; a command and its arguments are words of their own
  [127]
  $ tare profile --no-keep -- ./cards
  ! tare: cannot run './cards': Permission denied
  !       It may not be executed: chmod +x it, or name its interpreter before it
  [126]
  $ tare profile sh -c true
  ! tare: unknown option '-c'
  !       If it is the command's, put -- before the command: tare profile -- sh ...
  [2]
  $ tare profile
  ! tare: which command? tare profile -- python train.py
  !       See: tare profile --help
  [2]
  $ tare profile --workload x -- true
  ! tare: --workload keeps a speed, and a speed needs the number of steps
  !       Give --steps N, or --steps-file FILE into which the command writes how many it did
  [2]
  $ tare profile --interval 1ms -- true
  ! tare: --interval: '1ms' is not a duration from 100ms to 1m, such as 1s
  [2]
A server's own word on its requests, asked beside the readings; one that gives none holds up nothing and is told of.
  $ cat > server.py <<EOF
  > import http.server, os, threading, time
  > class H(http.server.BaseHTTPRequestHandler):
  >     def do_GET(self):
  >         body = b'vllm:num_requests_running{model_name="m"} 4\nvllm:num_requests_waiting{model_name="m"} 9\n'
  >         self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
  >     def log_message(self, *a): pass
  > s = http.server.HTTPServer(("127.0.0.1", 0), H)
  > open("port.new", "w").write(str(s.server_port)); os.rename("port.new", "port")
  > threading.Thread(target=s.serve_forever, daemon=True).start(); time.sleep(60)
  > EOF
  $ . ./env.sh; python3 server.py & for i in $(seq 600); do [ -e port ] && break; sleep 0.1; done; tare profile --interval 100ms --report r --serving http://127.0.0.1:$(cat port)/metrics -- sh -c 'echo $$ > pid; sleep 3'; kill $!; grep -c busy r
  1
  $ . ./env.sh; tare profile --interval 100ms --report r --no-keep --serving http://127.0.0.1:1/metrics -- sh -c 'echo $$ > pid; sleep 1' 2>&1 | cut -c1-46
  tare: the server tells nothing of its requests
  $ tare profile --serving localhost:8000 -- true
  ! tare: 'localhost:8000' is not a URL of an endpoint
  !       Give one like http://localhost:9400/metrics
  [125]
A report that cannot be written stands on stderr instead; a type of machine without a price is named.
  $ . ./env.sh; tare profile --no-keep --report /nonexistent/r -- true 2>&1 | tail -2
  tare: --report: cannot write '/nonexistent/r': No such file or directory
        The report stands here instead; a kept run is told again by tare explain last
  $ . ./env.sh; rm -f pid; tare profile --no-keep --interval 100ms --instance-type p9.huge -- sh -c 'echo $$ > pid; sleep 1' 2>&1 | tail -2
  The catalogue has no price of the instance type 'p9.huge': tare price --gpu
    H100-SXM5-80GB has those it knows.
Without a GPU in sight --fail-under cannot be decided; with one that was not used it is not met.
  $ TARE_NVML=/nonexistent tare profile --no-keep -q --fail-under 40 -- true
  [3]
  $ . ./env.sh; tare profile --no-keep -q --fail-under 40 -- true
  [1]
Without any GPU the processors are still told of.
  $ TARE_NVML=/nonexistent tare profile --no-keep -- sleep 0.3 2>&1 | tail -n +2 | sed 's/^CPU .* cores of [0-9]*\( ([0-9.]* allowed)\)*/CPU N cores of M/'
  
                   p50     p95    mean    peak
  CPU N cores of M
  
  No GPU here: there is no NVIDIA driver: '/nonexistent' cannot be opened.
The command never touched one of the GPUs: what they cost is said, and --fail-under is violated.
  $ rm -f pid; . ./env.sh; tare profile --no-keep --usd-hour 6 --fail-under 10 -- sleep 0.4 2> report; echo "code $?"; sed '1d; s/^CPU .* cores of [0-9]*\( ([0-9.]* allowed)\)*/CPU N cores of M/' report
  code 1
  
                   p50     p95    mean    peak
  CPU N cores of M
  
  The command never touched a GPU; 2 here stood unused by it (6.00 $/h).
  What docker, srun or ssh start for it is not among its processes: profile inside
    of them.
  --fail-under: no GPU was used.
JSON to a file, and quiet.
  $ . ./env.sh; tare profile -q -o json --report r.json --instance-type p5.48xlarge -- sh -c 'echo $$ > pid; sleep 1'; python3 -c "
  > import json
  > r = json.load(open('r.json'))
  > print(r['schema'], r['gpus_used'], r['gpus_unused'], r['exit_code'], r['verdict']['verdict'], r['usd_gpu_hour'], r['region'], r['price_from'])
  > print(r['gpus'][0]['gpu_model'], r['gpus'][0]['found_by'], r['gpu_util_pct']['p95'], r['sm_active_frac']['mean'], r['fit']['why_not'])
  > print(r['cost_1000_steps'], r['energy_j'] > 0, r['processes'] >= 1)"
  tare.profile/1 1 1 0 too_short 6.88 us-east-1 catalogue, region assumed
  H100-SXM5-80GB process 93 0.31 the run was too short to say what it needs
  None True True
Steps: told, or left in a file by the command; the speed is kept where the command ended well.
  $ . ./env.sh; tare profile -q --workload demo --steps-file steps -- sh -c 'echo $$ > pid; echo done 500 > steps; sleep 1'; cut -d, -f2-4,6 "$TARE_DB/speeds.csv"
  workload,gpu,gpus,steps
  demo,H100-SXM5-80GB,1,500
  $ . ./env.sh; tare profile --no-keep --workload demo --steps 500 -- sh -c 'echo $$ > pid; sleep 0.3; exit 1' 2>&1 | grep kept; wc -l < "$TARE_DB/speeds.csv"
  Speed not kept: the command failed.
  2
CI: the threshold, and what is the same for programs.
  $ . ./env.sh; tare profile --no-keep --fail-under 40 -- sh -c 'echo $$ > pid; sleep 1' 2>&1 | tail -1
  --fail-under cannot be decided: too few readings.
  $ . ./env.sh; tare profile --no-keep -o csv -- sh -c 'echo $$ > pid; sleep 1' 2>&1 | grep -E 'metric|all,(gpu_util|sm_active|mem_used)' | cut -d, -f1-7
  gpu,metric,p50,p95,p99,mean,peak
  all,gpu_util_pct,93,93,93,93,93
  all,sm_active_frac,0.31,0.31,0.31,0.31,0.31
  all,mem_used_bytes,1.52471339e+10,1.52471339e+10,1.52471339e+10,1.52471339e+10,1.52471339e+10
A terminal: ^C reaches the command once, and tare passes on what the command makes of it.
  $ cat > ctrlc.py <<'EOF'
  > import os, pty, signal, sys, time
  > child = "import signal, time, sys\nn = []\nsignal.signal(signal.SIGINT, lambda *a: n.append(1))\nprint('ready', flush=True)\nwhile not n: time.sleep(.02)\ntime.sleep(.3)\nprint('interrupted', len(n), sys.stdin.isatty(), sys.stdout.isatty(), flush=True)\nsys.exit(40 + len(n))"
  > pid, fd = pty.fork()
  > if not pid:
  >     os.execvp("tare", ["tare", "profile", "-q", "--no-keep", "--", sys.executable, "-c", child])
  > out = b""
  > sent = False
  > while True:
  >     try:
  >         b = os.read(fd, 4096)
  >     except OSError:
  >         break
  >     if not b: break
  >     out += b
  >     if b"ready" in out and not sent:
  >         os.write(fd, b"\x03")
  >         sent = True
  > print([l for l in out.decode().replace("^C", "").split()], os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
  > EOF
  $ . ./env.sh; python3 ctrlc.py
  ['ready', 'interrupted', '1', 'True', 'True'] 41
A recording instead of GPUs: no processes are in it, so it stands for the command; CUDA_VISIBLE_DEVICES says which of its GPUs.
  $ python3 -c "
  > print('time,step_s,node,gpu,gpu_model,gpu_util_pct,mem_used_bytes,mem_total_bytes,power_w')
  > for i in range(300):
  >     for g in range(2):
  >         print(f'2026-11-20T00:00:{i // 10:02d}.{i % 10}Z,0.1,n,{g},T4,{40 + g * 10},{(g + 2) << 30},{16 << 30},{30 + g}')" > rec.csv
  $ TARE_METADATA=off TARE_GPU_REPLAY=rec.csv CUDA_VISIBLE_DEVICES=1 tare profile --no-keep -- sleep 1 2>&1 | sed 's/^CPU .* cores of [0-9]*\( ([0-9.]* allowed)\)*/CPU N cores of M/; s/[0-9.]* Wh/N Wh/; s/· [0-9.]* m*s ·/· N ms ·/; s/[0-9.]* s of/N s of/'
  sleep 1 · N ms · 1 x T4
  
                   p50     p95    mean    peak
  GPU busy        50 %    50 %    50 %    50 %
  VRAM             3.0     3.0     3.0     3.0  GiB of 16
  power             31      31      31      31  W of 70
  CPU N cores of M
  energy      N Wh (power over time)
  
  Too short to judge: N s of readings; a verdict wants 30 s and 20 readings.
  Which GPU would do: not said, as the run was too short to say what it needs.
  No price is known here: give --usd-gpu-hour or --instance-type, or set agent:
    node: in the settings.
  The driver names no process of the command: taken are the GPUs that it may see
    and that moved while it ran.
  $ TARE_METADATA=off TARE_GPU_REPLAY=rec.csv CUDA_VISIBLE_DEVICES= tare profile --no-keep -- sleep 0.3 2>&1 | grep touched
  The command never touched a GPU; 2 here stood unused by it.
Runs of long ago are removed by the next one, and it says so; speeds stay.
  $ cat > short.yaml <<EOF
  > version: 1
  > profile:
  >   retention: 30d
  >   max_gib: 0.000003
  > EOF
  $ mkdir -p old/profiles; for i in 1 2 3; do head -c 1500 /dev/zero > old/profiles/p-2026010$i-000000.json; done; echo kept > old/profiles/mine
  $ for f in p-notes p-20260101-000000.notes.txt p-20260101-000000 p-20261301-000000.json p-20260101-000000-0.json my-p-20260101-000000.json; do echo kept > old/profiles/$f; touch -d '400 days ago' old/profiles/$f; done
  $ touch -d '40 days ago' old/profiles/p-20260101-000000.json; touch -d '3 days ago' old/profiles/p-20260102-000000.json; touch -d '2 days ago' old/profiles/p-20260103-000000.json
  $ . ./env.sh; tare profile --db old --config short.yaml --interval 100ms --report /dev/null -- sleep 0.3
  ! tare: 3 old runs removed from 'old/profiles', 0.0 MB (profile: retention, max_gib in the settings)
  $ ls old/profiles | sed 's/p-[0-9-]*/RUN/'
  mine
  my-RUN.json
  RUN
  RUN.json
  RUN.notes.txt
  RUN.host.csv.zst
  RUN.json
  RUN.samples.csv.zst
  RUN.json
  RUNnotes
  $ sed -i 's/30d/5/' short.yaml; tare profile --db old --config short.yaml -- true
  ! tare: 'short.yaml' line 3: profile: retention is not a duration from 1h on, such as 90d
  [2]
