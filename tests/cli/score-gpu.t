The program that scores predictions of speeds reads tables of one's own, and says what is wrong with one.

  $ cat > mine.csv <<X
  > gpu,workload,speed,class
  > V100,a,10,x
  > V100,b,20,x
  > V100,c,5,x
  > T4,a,5,x
  > T4,b,9,x
  > T4,c,3,x
  > A100-80GB,a,25,x
  > A100-80GB,b,45,x
  > A100-80GB,c,14,x
  > X
  $ $BIN/../../tests/score/score-gpu mine.csv --json | $FILES/../data/get 'predictions' 'mape_frac < 0.2'
  60
  True
  $ printf 'gpu,workload,speed\nV100,a,fast\n' > bad.csv; $BIN/../../tests/score/score-gpu bad.csv
  ! score-gpu: 'bad.csv': line 2, column 'speed': 'fast' is not a speed or count
  [2]
  $ printf 'gpu,workload,speed\nVoodoo,a,3\n' > bad.csv; $BIN/../../tests/score/score-gpu bad.csv
  ! score-gpu: 'bad.csv': no speeds: the catalogue knows none of the GPUs ('Voodoo')
  [2]
  $ printf 'x,y\n1,2\n' > bad.csv; $BIN/../../tests/score/score-gpu bad.csv
  ! score-gpu: 'bad.csv': no table of speeds: neither Lambda's, MLPerf's nor one with the columns gpu, workload, speed
  !       a row is: gpu,workload,speed and where they matter gpus,batch,class,submitter
  [2]
  $ printf '{"k80": {"job": {}}}' > bad.json; $BIN/../../tests/score/score-gpu bad.json
  ! score-gpu: 'bad.json': 'k80', job 'job': this is no ('NAME (batch size N)', GPUS)
  [2]
  $ printf 'gpu,workload,speed\nV100,a,3\n' > one.csv; $BIN/../../tests/score/score-gpu one.csv
  ! score-gpu: nothing to evaluate: no GPU has three workloads that other GPUs ran too
  [2]
