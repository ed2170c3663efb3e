tare init writes a file once, to where it is told, and never over another. What is in the files: tests/peers/t-python.py runs the training loop, bash reads the batch script.

  $ tare init
  ! tare: name one: slurm, kubernetes, skypilot or python
  !       See: tare init --help
  [2]
  $ tare init cloud
  ! tare: 'cloud' is none of slurm, kubernetes, skypilot, python
  !       See: tare init --help
  [2]
  $ tare init python
  wrote 'train.py'; look at its lines with YOURS, then: tare run -- python3 train.py
  It needs PyTorch (pip install torch); tare itself is found under tare run.
  $ echo mine >> train.py; tare init python
  ! tare: 'train.py' is there already: nothing was written
  !       --force writes over it, --output FILE writes another
  [2]
  $ tail -n 1 train.py
  mine
  $ tare init python --force -q; tail -n 1 train.py; python3 -m py_compile train.py
      sys.exit(main())
  $ TARE_OUTPUT=json tare init slurm -o job.sh; bash -n job.sh; grep -c '^#SBATCH' job.sh; ls json
  wrote 'job.sh'; look at its lines with YOURS, then: sbatch job.sh
  9
  ! ls: cannot access 'json': No such file or directory
  [2]
  $ tare init kubernetes --output - | grep -c YOURS
  8
  $ tare init kubernetes --output nowhere/x.yaml
  ! tare: cannot make 'nowhere/x.yaml': No such file or directory
  [2]
  $ tare init skypilot; grep -n 85 train.sky.yaml | head -1
  wrote 'train.sky.yaml'; look at its lines with YOURS, then: sky jobs launch train.sky.yaml
  12:    recover_on_exit_codes: [85] # 85: saved and not finished; not counted as a failure

A Python without PyTorch, or without tare, is told what it needs, not which line of the script failed.

  $ mkdir none; printf 'raise ModuleNotFoundError("no", name="torch")\n' > none/torch.py; PYTHONPATH=none tare init python -o t.py --force -q; PYTHONPATH=none python3 t.py 2>&1 | sed 's,[^ (]*/[^ )]*python[0-9.]*,PYTHON,g'
  t.py: PYTHON has no module torch. Install it there (PYTHON -m pip install torch), or start this with the Python that has it.
