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
