Job lists of Slurm as sacct prints them. A job of 4 H100 and 2 A100 on one machine for 10 h is 60 GPU-hours; one of 2 A100 and 3 GPUs that
accounting has no type of 50. Told while they ran and again as they ended, in one file, each counts once: the 4 h of before are not added.

  $ mixed=gres/gpu:h100=4,gres/gpu:a100=2,gres/gpu=6 untyped=gres/gpu:a100=2,gres/gpu=5
  > sh $FILES/files/sacct.sh "1 $mixed n1 4+" "2 $untyped n2 4+" "1 $mixed n1 10" "2 $untyped n2 10" > types.txt
  > tare import --as sacct --covers c types.txt | grep twice; tare report --by job,node -o csv | cut -d, -f1,2,4
      note: 4 rows tell the same job, machine, GPUs and start as a later row, which holds: they are not counted twice
  job,node,gpu_seconds
  1,n1,216000
  2,n2,180000

The same from another list, which does not say the cluster, is no second time.

  $ sed 's/|c$//;s/|Cluster//' types.txt > again.txt; tare import -q --as sacct again.txt; tare report --by job -o csv | cut -d, -f1,3
  job,gpu_seconds
  1,216000
  2,180000
