A nightly job that works for 4 hours of those it books, on one machine that stays on: a shorter limit alone saves no dollar, and the
plan says so.

  $ export TARE_NOW=2026-05-31T00:00:00Z
  > for hours in 8 24; do
  >   python3 "$FILES/files/nightly.py" $hours
  >   tare import -q --db $hours --covers c1 --since 2026-05-01 --until 2026-05-31 nodes.csv jobs.csv samples.csv
  >   tare plan --db $hours --lever trim_time | sed -n '/^Looked/,/^$/p'
  > done
  Looked at, nothing to propose:
    trim_time (runs: 30): 30 that hold GPUs after their last work, on machines
    that stay paid without them: it saves once these are given back (stop_idle)
  
  Looked at, nothing to propose:
    trim_time (runs: 30): 30 that hold GPUs after their last work, on machines
    that stay paid without them: it saves once these are given back (stop_idle)
  

Where the machine is given back between two nights it saves.

  $ tare plan --db 8 --lever stop_idle,trim_time --risk high | sed -n '/^ *[12]  /p'
   1  c1: give free machines back after 15           479.68  442-517  Try        2
   2  nightly: book 5 h, not 8 h (after 1)            91.72   74-113  Try        1
