What tare run tells of its end, and of attempts that ended with it. What it does: run.t, tests/peers/t-run.py.

An attempt that was killed with its supervisor in its first minute is a row, up to its last sign of life.

  $ tare run -q --notice none --checkpoint-dir ck --gpus 8 --usd-hour 3600 -- sleep 20 &
  > until awk '$1 == "start" { s = $2 } $1 == "beat" { b = $2 } END { exit !(b > s) }' ck/attempt 2> /dev/null; do sleep 0.1; done; kill -9 $!; wait $! 2> /dev/null
  > tare run -q --notice none --checkpoint-dir ck --gpus 8 --usd-hour 3600 -- sleep 0.1
  > cut -d, -f10,11 ck/attempts.csv
  state,attempt
  FAILED,0
  COMPLETED,1

A command that fails or is killed: what is safe is told, and that nothing is. One that never saved says why alone.

  $ mkdir out; cat > job.sh <<X
  > echo 5 > out/step-5
  > until ls b/ckpt 2>/dev/null | grep -q ^0; do sleep 0.1; done
  > kill -9 \$\$
  > X
  $ tare run --notice none --checkpoint-dir b --watch out -- sh job.sh 2>&1 | sed 's/safe, .* of work/safe, SOME of work/'; echo ${PIPESTATUS[0]}
  tare: ended by SIGKILL; step 5 is safe, SOME of work is not
  137
  $ mkdir none; tare run --notice none --checkpoint-dir c --watch none -- sh -c 'exit 3'
  ! tare: failed with exit status 3; NO checkpoint is safe
  [3]
  $ tare run --notice none --checkpoint-dir d -- sh -c 'exit 3'
  [3]

Of a budget a part is kept to save and end with: that is said at the start.

  $ tare run --notice none --checkpoint-dir e --gpus 8 --usd-hour 3600 --budget 15.1 -- sleep 9
  ! tare: budget 15.10 USD: 0.00 spent so far, 15.00 kept to save and end with; 0.10 left to work with
  ! tare: the budget is reached; NO checkpoint is safe
  ! tare: nothing was heard of libtare; a program without it is asked by --checkpoint-signal SIG, and --watch DIR takes what it writes (tare run --help)
  [1]
