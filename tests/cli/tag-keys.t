One tag is one key, however a bill spells it.

  $ echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory,Tags > bill.csv
  > n=1; for t in cost-center:a Cost_Center:a user:COST-CENTER:b resourceTags/user:cost_center:b labels.cost_center:c 'costcenter:d'; do k=${t%:*}; echo $n,$n,USD,1,Usage,2024-09-02T00:00:00Z,2024-09-02T01:00:00Z,2024-09-01T00:00:00Z,AWS,Storage,"\"{\"\"$k\"\":\"\"${t##*:}\"\",\"\"x\"\":\"\"y\"\"}\"" >> bill.csv; n=$((n * 2)); done
  > tare import -q bill.csv; for k in cost-center cost_center Cost-Center user:cost-center; do echo $k; tare report --by tag:$k --cost billed -o csv | cut -d, -f1,4; done
  > tare report --by kind --where tag:cost_center=b --cost billed -o csv | cut -d, -f1,4
  cost-center
  tag:cost-center,cost
  ,32
  c,16
  b,12
  a,3
  cost_center
  tag:cost_center,cost
  ,32
  c,16
  b,12
  a,3
  Cost-Center
  tag:Cost-Center,cost
  ,32
  c,16
  b,12
  a,3
  user:cost-center
  tag:user:cost-center,cost
  ,32
  c,16
  b,12
  a,3
  kind,cost
  storage,12

A key that nothing has.

  $ tare report --by tag:cost-centre --cost billed -o csv | cut -d, -f1,4; tare report --where tag:owner=b --cost billed -o csv | cut -d, -f1,4
  tag:cost-centre,cost
  ,63
  team,cost
  ! tare: nothing has a tag 'cost-centre': did you mean tag:cost-center?
  !       Tags that there are: Cost_Center, cost-center, costcenter, labels.cost_center, resourceTags/user:cost_center, user:COST-CENTER, x
  ! tare: nothing has a tag 'owner'
  !       Tags that there are: Cost_Center, cost-center, costcenter, labels.cost_center, resourceTags/user:cost_center, user:COST-CENTER, x

A rule that matches nothing is said, with what is nearest to what it asks for: values are compared letter by letter. So is a shared team that is none.

  $ cat > rules.yaml <<'E'
  > version: 1
  > shared_teams: [Vision]
  > virtual_tags:
  >   - {name: typo, when: {team: "vison*"}, set: {team: v}, override: true}
  >   - {when: {team: "VISION"}, set: {team: v}, override: true}
  >   - {when: {team: "vision"}, set: {env: prod}}
  >   - {when: {namespace: "vis*"}, set: {env: prod}}
  >   - {when: {"tag:app": "Web"}, set: {env: prod}}
  > E
  $ { echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ProviderName,ServiceCategory,ResourceId,Tags
  > for t in vision nlp; do echo "10,10,USD,1,Usage,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,AWS,Storage,r-$t,\"{\"\"team\"\":\"\"$t\"\",\"\"app\"\":\"\"web\"\"}\""; done; } > rules.csv
  $ tare import --db rules --config rules.yaml rules.csv | grep rule; tare doctor --db rules --config rules.yaml | grep -A1 virtual; tare doctor --db rules | grep virtual
  rules.csv: focus, 2 rows kept
      note: rule 'typo' of virtual_tags matched nothing: no team is 'vison*', but there is 'vision' (capitals count, * stands for any text)
      note: rule 2 of virtual_tags matched nothing: no team is 'VISION', but there is 'vision' (capitals count, * stands for any text)
      note: rule 5 of virtual_tags matched nothing: no tag:app is 'Web', but there is 'web' (capitals count, * stands for any text)
            tare report --by cloud_service --db rules --config rules.yaml
  no   virtual_tags, rule 1   typo: matched nothing that was imported with it
                              -> no team is 'vison*', but there is 'vision' (capitals count, * stands for any text)
  no   virtual_tags, rule 2   matched nothing that was imported with it
                              -> no team is 'VISION', but there is 'vision' (capitals count, * stands for any text)
  no   virtual_tags, rule 4   matched nothing that was imported with it
  no   virtual_tags, rule 5   matched nothing that was imported with it
                              -> no tag:app is 'Web', but there is 'web' (capitals count, * stands for any text)
  no   settings               changed since what is in the store was imported: virtual_tags
  $ printf 'job_id,user,team,gpus,start,end\n1,a,VISION,1,2024-09-01T00:00:00Z,2024-09-01T10:00:00Z\n' > rules-jobs.csv; tare import -q --db rules --config rules.yaml rules-jobs.csv; tare doctor --db rules --config rules.yaml | grep -c virtual
  3
  $ tare report --db rules --config rules.yaml --chargeback -o csv > out
  ! tare: shared_teams has 'Vision', which no team is: did you mean 'vision'? Its cost is not shared out.
