What tare run would do next, without doing it. What it does: tests/peers/t-run.py and, on a real Slurm, tests/peers/t-slurm-run.py.

  $ unset SLURM_JOB_ID; tare run --dry-run -- python3 train.py
  would run: python3 train.py
  exit code 85, interrupted and safe: nothing more
  $ tare run --dry-run --on-interrupt 'exec:next-one --again' -- python3 train.py
  would run: python3 train.py
  exit code 85, interrupted and safe: would run: next-one --again
  $ SLURM_JOB_ID=4711 tare run --dry-run --on-interrupt requeue -- python3 train.py
  would run: python3 train.py
  exit code 85, interrupted and safe: would run: scontrol requeue 4711
  $ tare run --on-interrupt requeue -- touch started
  ! tare: this is no job of Slurm's (SLURM_JOB_ID is not set): there is nothing to put back into the queue
  !       With exec:PROGRAM a program of yours starts the next attempt
  [2]
  $ tare run --on-interrupt again -- touch started
  ! tare: 'again' is neither requeue nor exec:PROGRAM nor none
  [2]
  $ ls

Where the next attempt runs is moved by Slurm alone; a price has one source; what makes no sense is said before anything is started.

  $ SLURM_JOB_ID=4711 tare run --dry-run --on-interrupt requeue --on-demand-partition gpu --on-demand-constraint ib -- python3 train.py | tail -1
  exit code 85, interrupted and safe: would run: scontrol requeue 4711; when spot no longer fits the deadline also: scontrol update JobId=4711 Partition=gpu Features=ib
  $ tare run --on-demand-partition gpu -- touch started
  ! tare: a partition or constraint for the next attempt is of use only where tare puts the job back into the queue
  !       --on-interrupt requeue
  [2]
  $ SLURM_JOB_ID=4711 tare run --on-interrupt requeue --on-demand-partition 'gpu; rm' -- touch started
  ! tare: 'gpu; rm' is not a name of a partition
  [2]
  $ tare run --price-file a --price-command b -- touch started
  ! tare: --price-file and --price-command: the price comes from one of them
  [2]
  $ tare run --price-file /nowhere/price --max-hourly 3 -- touch started
  ! tare: cannot read the price in '/nowhere/price': No such file or directory
  [125]
  $ echo 'free' > price; tare run --price-file price --max-hourly 3 -- touch started
  ! tare: 'price': 'free' is not a price of an hour, such as 2.74
  [125]
  $ echo 3.2 > price; tare run --price-file price --max-hourly 3 -- touch started
  ! tare: not started: this machine costs 3.2 $ an hour, more than --max-hourly 3
  [1]
  $ tare run --steps many -- touch started
  ! tare: --steps: 'many' is not a number of steps of 1 or more, such as 10000
  [2]
  $ SLURM_ARRAY_TASK_ID=2 tare run --store cmd:copy -- touch started
  ! tare: --store: this is task 2 of a Slurm array, and all tasks would write to the same place
  !       Name a place for each: put $SLURM_ARRAY_TASK_ID into the command
  [2]
  $ tare run --usd-gpu-hour 1000000000 --gpus 100 -- touch started
  ! tare: a machine that costs more than 1,000,000 an hour: look at the price and the number of GPUs
  [125]

The settings of a store's address stay what they are for the tasks of an array.

  $ mkdir d; cd d; SLURM_ARRAY_TASK_ID=2 AWS_CONFIG_FILE=/nowhere AWS_SHARED_CREDENTIALS_FILE=/nowhere tare run --store 's3://bucket/p?profile=none&sse=AES256' -- touch started
  ! tare: cannot bring the newest checkpoint back: there is no profile 'none' in ~/.aws/credentials or ~/.aws/config
  !       Make it: aws configure --profile none; AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name other files
  [125]
  $ rm -r d
  $ ls
  price

Where an attempt was is kept, and counts for that place.

  $ tare run -q --notice none --place here --checkpoint-dir ck -- sleep 0.2; grep '^at ' ck/measured
  at here
  $ SLURM_JOB_PARTITION=gpu-spot tare run -q --notice none --region us-east-1 --instance-type p3.2xlarge --checkpoint-dir ck -- sleep 0.2; grep '^at ' ck/measured
  at here
  at us-east-1/p3.2xlarge/gpu-spot
  $ tare plan spot --hours 20 --on-demand 3.06 --place gpu-spot=0.97@6h --place there=1@6h --checkpoint-dir ck -o json | python3 -c "import json,sys; print(sorted((p['name'], p['seen'] is not None, p['mean_hours_between_interruptions'] > 6) for p in json.load(sys.stdin)['places']))"
  [('gpu-spot', True, True), ('there', False, False)]
  $ tare plan spot --hours 20 --on-demand 3.06 --place gpu-spot=0.97@6h --place there=1@6h --checkpoint-dir ck | grep -A3 'seen so far'
    seen so far      0 interruptions in 0.0 h of 2 attempts, 0.00 h of them lost; counted above
      gpu-spot: 0 in 0.0 h that were there or nobody knows where
      there: none of it was there
  

A program that saves into another folder than the one looked at is told of while there is time; so is, at the end, how others than those with libtare are asked.

  $ cat > other.py <<EOF
  > import os, socket, time
  > s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
  > s.connect(os.environ["TARE_RUN_SOCKET"])
  > s.send(b"hello %d 0 1" % os.getpid())
  > for step in (7, 8):
  >     s.send(b"safe %d 000000000007-0000000000000001 1 1 1" % step)
  >     time.sleep(0.5)
  > EOF
  $ tare run --notice none --checkpoint-dir ck2 -- python3 other.py
  ! tare: the program has saved step 7, but not in 'ck2': name its folder with --checkpoint-dir, or let it save in $TARE_CHECKPOINT_DIR
  $ tare run --notice file --notice-file gone --grace 2s --checkpoint-dir ck3 -- sh -c 'touch gone; sleep 20' 2>&1 | sed 's/notice from file:.*/notice/'
  tare: notice
  tare: interrupted; NO checkpoint is safe
  tare: nothing was heard of libtare; a program without it is asked by --checkpoint-signal SIG, and --watch DIR takes what it writes (tare run --help)

SIGTERM to the whole group (timeout, systemd, scancel) ends the command before it was asked to stop: an interruption all the same, and 85 where a checkpoint is safe, alone.

  $ mkdir group; cd group; mkdir out; cat > group.py <<EOF
  > import os, signal, subprocess, sys, time
  > p = subprocess.Popen(sys.argv[1:], start_new_session=True)
  > while not os.path.exists("ready"):
  >     time.sleep(0.05)
  > os.killpg(p.pid, signal.SIGTERM)
  > sys.exit(p.wait())
  > EOF
  > python3 group.py tare run --notice none --checkpoint-dir a -- sh -c 'touch ready; exec sleep 20' 2>&1 | sed 's/; [0-9]* s left//'; echo ${PIPESTATUS[0]}; rm ready
  > python3 group.py tare run --notice none --checkpoint-dir b --watch out -- sh -c 'echo 5 > out/step-5; until ls b/ckpt | grep -q ^0; do sleep 0.1; done 2>/dev/null; touch ready; exec sleep 20' 2>&1 |
  >   sed -n 's/safe, .* of work/safe, SOME of work/; /interrupted/p'; echo ${PIPESTATUS[0]}; tail -1 b/attempts.csv | cut -d, -f10
  tare: notice from signal: SIGTERM
  tare: interrupted; NO checkpoint is safe
  tare: nothing was heard of libtare; a program without it is asked by --checkpoint-signal SIG, and --watch DIR takes what it writes (tare run --help)
  143
  tare: interrupted; step 5 is safe, SOME of work is not; start me again
  85
  PREEMPTED
  $ cat > says85.py <<EOF
  > import os, socket, sys
  > s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
  > s.connect(os.environ["TARE_RUN_SOCKET"])
  > s.send(b"hello %d 0 1" % os.getpid())
  > if len(sys.argv) > 1: s.send(b"step 3")
  > sys.exit(85)
  > EOF
  $ tare run --notice none --checkpoint-dir c -- python3 says85.py step
  ! tare: interrupted; NO checkpoint is safe
  [143]
  $ tare run --notice none --checkpoint-dir c -- python3 says85.py
  ! tare: interrupted; NO checkpoint is safe
  [143]
  $ tare run --notice none --checkpoint-dir c -- sh -c 'exit 85'
  [85]

What a program writes into a watched folder when SIGTERM reaches it, and says with 85 that it is whole, is a checkpoint. With any other word it is none: who was in the middle of a file may have been killed, and only its launcher is left.

  $ cd group; rm -rf ready out/*; cat > trap.sh <<EOF
  > trap 'echo 9 > out/step-9; exit '\$1 TERM
  > touch ready
  > while :; do sleep 0.05; done
  > EOF
  $ cd group; python3 group.py tare run --notice none --checkpoint-dir d --watch out -- sh trap.sh 85 2>&1 | sed -n 's/safe, .* of work/safe, SOME of work/; /interrupted/p'; echo ${PIPESTATUS[0]}; rm -r ready out/*
  tare: interrupted; step 9 is safe, SOME of work is not; start me again
  85
  $ cd group; python3 group.py tare run --notice none --checkpoint-dir e --watch out -- sh trap.sh 143 2>&1 | grep interrupted; echo ${PIPESTATUS[0]}
  tare: interrupted; NO checkpoint is safe
  143

What --status-fd writes fits its schema: a run that is done, and one that a file tells to go.

  $ mkdir told; cd told; cat > job.sh <<'EOF'
  > mkdir -p out
  > trap 'echo two > out/step-2.pt; exit 0' USR1
  > echo one > out/step-1.pt
  > for i in $(seq 100); do sleep 0.1; [ $i = 15 ] && touch go; done
  > EOF
  > export TARE_METADATA=off
  > tare run -q --notice none --status-fd 3 -- true 3> done.jsonl
  > tare run -q --usd-hour 3 --budget 100 --watch out --checkpoint-dir c --checkpoint-signal USR1 --notice file --notice-file go --grace 5s --status-fd 3 -- bash job.sh 3> told.jsonl; echo $?
  > python3 -c "
  > import json
  > for f in 'done.jsonl', 'told.jsonl':
  >     print(*dict.fromkeys(json.loads(l)['event'] for l in open(f)))"
  85
  start end
  start notice asked safe end
