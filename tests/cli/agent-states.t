What an agent books is what the report says after its export was imported: every state and cause that it knows.

  $ python3 $FILES/files/agent-states.py export.jsonl > agent.csv; cat agent.csv
  GPU-a,busy,,80
  GPU-a,idle_empty,,60
  GPU-a,idle_held,,85
  GPU-a,idle_held,stalled,60
  GPU-a,unallocated,down,60
  GPU-a,unallocated,free,325
  GPU-a,underused,unknown,60
  GPU-a,unknown,unread,75
  GPU-a,unknown,unwatched,95
  GPU-b,busy,,120
  GPU-b,idle_held,,60
  GPU-b,idle_held,stalled,60
  GPU-b,unallocated,down,120
  GPU-b,unallocated,free,325
  GPU-b,underused,unknown,60
  GPU-b,unknown,unwatched,155
  $ tare import -q export.jsonl
  $ tare report --by gpu,state,cause -o csv | cut -d, -f1-3,5 | sed -E '/GPU-a,idle_(held|empty),(waiting|exited|never_launched)/s/,[a-z_]*,([0-9]*)$/,,\1/' | tail -n +2 | sort > report.csv; diff agent.csv report.csv && echo the same
  the same
