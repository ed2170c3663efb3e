The engineer, from a clean home: a training that is Python alone, under tare run and tare profile, explained. The binding is found though nobody installed it.

  $ unset TARE_DB PYTHONPATH; cp $SRC/examples/plain.py .
  > cat > hello.py <<'EOF'
  > import tare, os
  > from tare.steps import Steps
  > print(tare.version(), Steps.__module__, os.path.relpath(os.path.dirname(tare.__file__), os.environ["SRC"]))
  > EOF
  > tare run -- python3 hello.py; tare profile -q -- python3 hello.py
  0.1.0 tare.steps python/tare
  0.1.0 tare.steps python/tare

It gives way to a tare of yours, beside the script, on PYTHONPATH or installed, and stays a single entry.

  $ mkdir -p mine/tare; echo 'print("mine")' > mine/tare/__init__.py; cp hello.py mine/x.py; sed -i '2,$d; s/, os//' mine/x.py
  > tare run -- python3 mine/x.py; PYTHONPATH=$PWD/mine tare run -- python3 -c 'import tare'
  > cat > late.py <<'EOF'
  > import sys; sys.path.append("mine"); import tare
  > EOF
  > tare run -- python3 late.py; tare run -- tare run --checkpoint-dir c -- python3 -c 'import os; print(os.environ["PYTHONPATH"].count("last"))'
  mine
  mine
  mine
  1

The script that tare init writes is Python and says what it needs.

  $ tare init python -o mytrain.py; python3 -m py_compile mytrain.py && tare init slurm -q -o my.sbatch && grep -c 'tare run' my.sbatch
  wrote 'mytrain.py'; look at its lines with YOURS, then: tare run -- python3 mytrain.py
  It needs PyTorch (pip install torch); tare itself is found under tare run.
  1

Why does it not use the GPU? The run is kept and can be explained; nothing is lost of an interrupted one: started again it ends as one that never was.

  $ rm -rf checkpoints; printf 'cards 1\ncard * procs=1 pidfile=%s/pid util=12 amp=0 mem_gib_used=4 mem_gib=80 name="NVIDIA H100 80GB HBM3" arch=9 power_limit=700\n' $PWD > cards
  > export TARE_METADATA=off TARE_NVML=$BIN/../../tests/stub/nvml/libnvidia-ml.so.1 TARE_STUB_NVML=$PWD/cards
  > tare profile --interval 100ms --usd-gpu-hour 2.50 --report first.txt -- sh -c 'echo $$ > pid; exec python3 plain.py --steps 100 --dir whole 2>/dev/null'
  > grep -E '^(GPU busy|Too short|Kept)' first.txt | sed 's/: N s//; s/Too short to judge.*/Too short to judge/; s/p-[0-9-]*/RUN/'
  > tare explain last | grep -cE '^GPU busy +12 %'
  > tare run --checkpoint-dir cut -- python3 plain.py --steps 3000 --dir cut 2>/dev/null & run=$!
  > for i in $(seq 600); do [ -n "$(ls cut/ckpt 2>/dev/null)" ] && break; sleep 0.05; done; kill -TERM $run; wait $run; echo "code $?"
  > tare run --checkpoint-dir cut -- python3 plain.py --steps 3000 --dir cut --sleep 0 2>/dev/null > again; PYTHONPATH=$SRC/python python3 plain.py --steps 3000 --dir never --sleep 0 2>/dev/null | diff - again && echo the same
  result 805 9f528e9af47a0062
  GPU busy        12 %    12 %    12 %    12 %
  Too short to judge
  Kept: tare explain RUN
  1
  code 85
  the same

What is no run is told the way to those there are.

  $ tare explain p-1999
  ! tare: there is no store in '$TMP/db' yet
  !       Runs of tare profile are kept here, the newest is: tare explain last
  [2]
