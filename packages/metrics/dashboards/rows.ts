import type { Panel, Row, Target } from './panel.js';

const OF_POLICY = 'policy=~"$policy"';
const OF_LIMIT = `${OF_POLICY}, limit=~"$limit"`;

const rate = (metric: string, labels = ''): string => `rate(${metric}${labels && `{${labels}}`}[$__rate_interval])`;

const target = (expr: string, legend: string): Target => ({ expr, legend });

/** A share of all: `part` and `all` are rates that are added by the same labels. */
const share = (by: string, part: string, all: string): string => `sum${by} (${part}) / sum${by} (${all})`;

const graph = (panel: Omit<Panel, 'kind' | 'width'> & { readonly width?: number }): Panel => ({
  kind: 'graph',
  width: 8,
  ...panel,
});

const number = (panel: Omit<Panel, 'kind' | 'width'>): Panel => ({ kind: 'number', width: 6, ...panel });

const DECISIONS = rate('sluice_decisions_total', OF_POLICY);
const REFUSED = rate('sluice_decisions_total', `${OF_POLICY}, outcome="refused"`);
const NOT_BY_STORE = rate('sluice_decisions_total', `${OF_POLICY}, source!="store"`);
const CHECKS = rate('sluice_limit_checks_total', OF_LIMIT);
const checks = (outcome: string): string => rate('sluice_limit_checks_total', `${OF_LIMIT}, outcome="${outcome}"`);

const SUMMARY: Row = {
  title: 'Summary',
  panels: [
    number({
      title: 'Decisions',
      description: 'Decisions a second. A request that passes several policies makes one decision for each.',
      unit: 'reqps',
      targets: [target(`sum(${DECISIONS})`, 'decisions')],
    }),
    number({
      title: 'Refused',
      description: 'The share of all decisions that refused the request. The alert SluiceManyRefusals begins at 20 %.',
      unit: 'percentunit',
      warnsAt: 0.2,
      targets: [target(share('', REFUSED, DECISIONS), 'refused')],
    }),
    number({
      title: 'Not decided by the store',
      description:
        'The share of decisions that onStoreError made because the store failed. It is 0 while the store works. The alert SluiceDegraded begins at 1 %.',
      unit: 'percentunit',
      warnsAt: 0.01,
      targets: [target(share('', NOT_BY_STORE, DECISIONS), 'not by the store')],
    }),
    number({
      title: 'Open breakers',
      description:
        'Circuit breakers that keep calls away from a store, over all processes. It is 0 while every store works.',
      unit: 'short',
      warnsAt: 1,
      targets: [target('sum(sluice_breaker_open)', 'open')],
    }),
  ],
};

const TRAFFIC: Row = {
  title: 'Traffic and refusals',
  panels: [
    graph({
      title: 'Decisions by outcome',
      description:
        'Every decision has one outcome. Shadowed requests were admitted, but a limit that is not enforced would have refused them.',
      unit: 'reqps',
      stacked: true,
      targets: [target(`sum by (outcome) (${DECISIONS})`, '{{outcome}}')],
    }),
    graph({
      title: 'Decisions by policy',
      description: 'How much traffic each policy sees.',
      unit: 'reqps',
      targets: [target(`sum by (policy) (${DECISIONS})`, '{{policy}}')],
    }),
    graph({
      title: 'Refused share by policy',
      description:
        'The share of requests that each policy refuses. A jump after a release is a client that retries without waiting, or a limit that is too low.',
      unit: 'percentunit',
      warnsAt: 0.2,
      targets: [target(share(' by (policy)', REFUSED, DECISIONS), '{{policy}}')],
    }),
    graph({
      title: 'Refusals by limit',
      description: 'Which limit of a policy refuses. If several limits refuse one request, each of them counts it.',
      unit: 'reqps',
      targets: [target(`sum by (policy, limit) (${checks('refused')})`, '{{policy}}: {{limit}}')],
    }),
    graph({
      title: 'Units spent and returned',
      description:
        'What requests cost: requests, tokens or money, in the units of the limit. Returned units were reserved and not needed.',
      unit: 'short',
      targets: [
        target(`sum by (policy, limit) (${rate('sluice_units_spent_total', OF_LIMIT)})`, '{{policy}}: {{limit}}'),
        target(
          `-sum by (policy, limit) (${rate('sluice_units_returned_total', OF_LIMIT)})`,
          '{{policy}}: {{limit}} returned',
        ),
      ],
    }),
    graph({
      title: 'Requests that are not counted',
      description:
        'Requests that no limit was asked about. Those of skip and of an allow list passed. All others were refused: deny_list, unknown (no key, or no customer), blocked (a customer of the policy file) and refused (by a function).',
      unit: 'reqps',
      targets: [
        target(`sum by (policy, reason) (${rate('sluice_skipped_total', OF_POLICY)})`, '{{policy}}: {{reason}}'),
      ],
    }),
  ],
};

const NEAR: Row = {
  title: 'Near the limit',
  panels: [
    graph({
      title: 'Share of allowed requests near the limit',
      description:
        'Allowed requests that left at most 20 % of the limit. They come before refusals do. The alert SluiceNearLimit begins at 20 %.',
      unit: 'percentunit',
      warnsAt: 0.2,
      targets: [
        target(
          share(' by (policy, limit)', rate('sluice_limit_near_total', OF_LIMIT), checks('allowed')),
          '{{policy}}: {{limit}}',
        ),
      ],
    }),
    graph({
      title: 'Slots in use',
      description: 'Slots of concurrency limits that are held now, over all processes.',
      unit: 'short',
      targets: [target(`sum by (policy, limit) (sluice_slots_in_use{${OF_LIMIT}})`, '{{policy}}: {{limit}}')],
    }),
    graph({
      title: 'Requests that wait in a line',
      description: 'Requests that wait for their turn now, over all processes.',
      unit: 'short',
      targets: [target(`sum by (policy) (sluice_waiting_requests{${OF_POLICY}})`, '{{policy}}')],
    }),
    graph({
      title: 'Waiting time (95 %)',
      description:
        'Of 100 requests that left a line, 95 had waited this long or less. No line is drawn while nobody waits.',
      unit: 's',
      targets: [
        target(
          `histogram_quantile(0.95, sum by (policy, le) (${rate('sluice_wait_seconds_bucket', OF_POLICY)}))`,
          '{{policy}}',
        ),
      ],
    }),
    graph({
      title: 'Delay of admitted requests (95 %)',
      description:
        'Of 100 requests that a leaky bucket or slowDown delayed, 95 were delayed this long or less. No line is drawn while nobody is delayed.',
      unit: 's',
      targets: [
        target(
          `histogram_quantile(0.95, sum by (policy, limit, le) (${rate('sluice_delay_seconds_bucket', OF_LIMIT)}))`,
          '{{policy}}: {{limit}}',
        ),
      ],
    }),
    {
      title: 'Limits now',
      description:
        'The numbers of each limit. Limits that a function chooses for each request have none. An enforced share of 0 % counts only.',
      kind: 'table',
      unit: 'short',
      width: 8,
      targets: [
        target(`max by (policy, limit, tier) (sluice_limit_quota{${OF_LIMIT}})`, 'Quota'),
        target(`max by (policy, limit, tier) (sluice_limit_window_seconds{${OF_LIMIT}})`, 'Window (s)'),
        target(`max by (policy, limit, tier) (sluice_limit_enforced_ratio{${OF_LIMIT}})`, 'Enforced share'),
      ],
    },
  ],
};

const SHADOW: Row = {
  title: 'Shadow and rollout',
  panels: [
    graph({
      title: 'Would be refused, share by limit',
      description:
        'What a limit that is not enforced yet would refuse. Enforce it when this is as low as you want. The alert SluiceWouldRefuse begins at 5 %.',
      unit: 'percentunit',
      warnsAt: 0.05,
      targets: [target(share(' by (policy, limit)', checks('would_refuse'), CHECKS), '{{policy}}: {{limit}}')],
    }),
    graph({
      title: 'Enforced share of keys',
      description: 'The share of keys for which each limit is enforced: the steps of a rollout.',
      unit: 'percentunit',
      targets: [
        target(
          `min by (policy, limit, tier) (sluice_limit_enforced_ratio{${OF_LIMIT}})`,
          '{{policy}}: {{limit}} {{tier}}',
        ),
      ],
    }),
    graph({
      title: 'Policies whose brake has acted',
      description: 'A rollout step refused too many keys, so the brake has taken the policy back to shadow: 1.',
      unit: 'short',
      warnsAt: 1,
      targets: [target(`max by (policy) (sluice_policy_braked{${OF_POLICY}})`, '{{policy}}')],
    }),
  ],
};

const STORE: Row = {
  title: 'Store',
  panels: [
    graph({
      title: 'Round trips (50 % and 99 %)',
      description:
        'How long calls to a remote store take. The alert SluiceStoreSlow begins at 25 ms for 99 %. Memory stores make no round trips.',
      unit: 's',
      warnsAt: 0.025,
      targets: [0.5, 0.99].map((q) =>
        target(
          `histogram_quantile(${q}, sum by (store, le) (${rate('sluice_store_duration_seconds_bucket')}))`,
          `{{store}} ${q * 100} %`,
        ),
      ) as [Target, ...Target[]],
    }),
    graph({
      title: 'Round trips a second',
      description:
        'Calls to a remote store. One call can carry many decisions, so this is below the number of decisions.',
      unit: 'ops',
      targets: [
        target(
          `sum by (store, operation) (${rate('sluice_store_duration_seconds_count')})`,
          '{{store}}: {{operation}}',
        ),
      ],
    }),
    graph({
      title: 'Errors by kind',
      description:
        'Calls that failed. timeout: no answer in time. unavailable: not asked, because the breaker is open. error: anything else.',
      unit: 'ops',
      targets: [target(`sum by (store, kind) (${rate('sluice_store_errors_total')})`, '{{store}}: {{kind}}')],
    }),
    graph({
      title: 'Decisions by source',
      description: 'Who decided: the store, or onStoreError in its place (local, allow, deny).',
      unit: 'reqps',
      stacked: true,
      targets: [target(`sum by (source) (${DECISIONS})`, '{{source}}')],
    }),
    graph({
      title: 'Keys in memory',
      description: 'Keys that memory stores hold, and how many they may hold at most. Beyond that, keys are evicted.',
      unit: 'short',
      targets: [
        target('sum by (store) (sluice_store_keys)', '{{store}}'),
        target('sum by (store) (sluice_store_max_keys)', '{{store}} at most'),
      ],
    }),
    graph({
      title: 'Evicted keys',
      description:
        'Keys that a full memory store evicted although more than half of their quota was used. Each of these clients starts with a new quota.',
      unit: 'short',
      warnsAt: 1,
      targets: [target('sum by (store) (increase(sluice_evicted_keys_total[$__rate_interval]))', '{{store}}')],
    }),
  ],
};

const POLICIES: Row = {
  title: 'Policy file',
  panels: [
    graph({
      title: 'Processes by revision',
      description:
        'Which revision of the policy file each process follows. More than one for long means that some miss a change.',
      unit: 'short',
      stacked: true,
      targets: [target('count by (revision) (sluice_policy_file_info)', '{{revision}}')],
    }),
    graph({
      title: 'Reloads by outcome',
      description: 'New texts of the policy file. After a rejected one the revision before it still decides.',
      unit: 'short',
      targets: [target('sum by (outcome) (increase(sluice_policy_reloads_total[$__rate_interval]))', '{{outcome}}')],
    }),
    graph({
      title: 'Last reload worked',
      description: '0 if a process rejected the newest text of the policy file, or cannot read it.',
      unit: 'short',
      targets: [target('min by (job) (sluice_policy_last_reload_successful)', '{{job}}')],
    }),
    number({
      title: 'Time since the last good reload',
      description:
        'How long ago the process that is furthest behind last accepted a policy file, or found it unchanged.',
      unit: 's',
      targets: [target('max(time() - sluice_policy_last_reload_success_timestamp_seconds)', 'age')],
    }),
    number({
      title: 'Processes that do not enforce',
      description: 'Processes whose policy file says enforcement: shadow or off.',
      unit: 'short',
      warnsAt: 1,
      targets: [target('sum(sluice_enforcement_mode{mode=~"shadow|off"})', 'not enforcing')],
    }),
    number({
      title: 'Policies that are counted as "other"',
      description:
        'Processes with more policies and limits than metrics tell apart. Those past the cap are counted together.',
      unit: 'short',
      warnsAt: 1,
      targets: [target('sum(sluice_series_capped)', 'capped')],
    }),
    {
      title: 'Versions',
      description: 'Processes by the version of @sluice/metrics and of Node.js.',
      kind: 'table',
      unit: 'short',
      width: 6,
      targets: [target('count by (version, node) (sluice_build_info)', 'Processes')],
    },
  ],
};

const costQuantile = (part: number): Target =>
  target(
    `histogram_quantile(${part}, sum by (model, le) (${rate('sluice_call_cost_dollars_bucket', OF_POLICY)}))`,
    `{{model}} ${part * 100} %`,
  );

const fullest = (threshold: string): string =>
  `topk(10, sum by (policy, limit) (sluice_budget_keys{${OF_LIMIT}, threshold="${threshold}"}))`;

const MONEY: Row = {
  title: 'Money',
  panels: [
    graph({
      title: 'Cost of 24 hours by tier',
      description: 'What calls of models were charged in the 24 hours before each moment, by the name of the plan.',
      unit: 'currencyUSD',
      stacked: true,
      targets: [target(`sum by (tier) (increase(sluice_call_cost_dollars_sum{${OF_POLICY}}[24h]))`, '{{tier}}')],
    }),
    graph({
      title: 'Cost of a call',
      description: 'What one of two calls, and 19 of 20, cost at most. An answer that grows longer shows here first.',
      unit: 'currencyUSD',
      targets: [costQuantile(0.5), costQuantile(0.95)],
    }),
    {
      title: 'The ten fullest budgets',
      description:
        'Of which budgets the most keys have used 100 %, 80 % and 50 % in their current window. Clients are asked for by llm.spend.',
      kind: 'table',
      unit: 'short',
      width: 8,
      targets: [target(fullest('1'), '100 %'), target(fullest('0.8'), '80 %'), target(fullest('0.5'), '50 %')],
    },
    graph({
      title: 'Tokens a second',
      description: 'Tokens of prompts, cached parts included, and of answers, as providers state them.',
      unit: 'short',
      targets: [target(`sum by (model, kind) (${rate('sluice_call_tokens_sum', OF_POLICY)})`, '{{model}} {{kind}}')],
    }),
    graph({
      title: 'Estimate over actual',
      description:
        'The median of what was estimated over what it was: the tokens of prompts, and the money that calls held. Far above 1 holds budgets for nothing.',
      unit: 'short',
      warnsAt: 4,
      targets: [
        target(
          `histogram_quantile(0.5, sum by (kind, le) (${rate('sluice_call_estimate_ratio_bucket', OF_POLICY)}))`,
          '{{kind}}',
        ),
      ],
    }),
    graph({
      title: 'Refused share by tier',
      description: 'The share of requests that limits with tiers refuse, by the tier of a policy file.',
      unit: 'percentunit',
      targets: [
        target(
          share(
            ' by (tier)',
            rate('sluice_tier_decisions_total', `${OF_POLICY}, outcome="refused"`),
            rate('sluice_tier_decisions_total', OF_POLICY),
          ),
          '{{tier}}',
        ),
      ],
    }),
  ],
};

/** The share of all decisions of 30 days. Reports read the recorded numbers instead. */
const inMonth = (labels: string): string =>
  share(
    ' by (policy)',
    `increase(sluice_decisions_total{${OF_POLICY}, ${labels}}[30d])`,
    `increase(sluice_decisions_total{${OF_POLICY}}[30d])`,
  );

const SERVICE_LEVELS: Row = {
  title: 'Service levels of 30 days',
  panels: [
    {
      title: 'Limited, failed open, failed closed',
      description:
        'The share of requests of 30 days that limits refused; that passed uncounted because the store failed (onStoreError allow); and that were refused for that (deny). The rules record the same numbers for reports.',
      kind: 'table',
      unit: 'percentunit',
      width: 24,
      targets: [
        target(inMonth('outcome="refused", source=~"store|local"'), 'Limited'),
        target(inMonth('source="allow"'), 'Failed open'),
        target(inMonth('source="deny"'), 'Failed closed'),
        target(inMonth('source="local"'), 'Counted by one process'),
      ],
    },
  ],
};

const ADMITTED = rate('sluice_load_admitted_total');
const SHED = rate('sluice_load_shed_total');

const OVERLOAD: Row = {
  title: 'Overload',
  panels: [
    graph({
      title: 'Admitted and shed',
      description:
        'Requests that load shedding admitted, and those that it refused with 503, over all processes. Goodput is the admitted part.',
      unit: 'reqps',
      stacked: true,
      targets: [target(`sum(${ADMITTED})`, 'admitted'), target(`sum by (priority) (${SHED})`, 'shed: {{priority}}')],
    }),
    graph({
      title: 'Shed share by priority',
      description:
        'The share of requests of each class that was refused. Low goes first, and critical last. The alert SluiceCriticalShed begins if critical is not 0 for five minutes.',
      unit: 'percentunit',
      targets: [
        target(
          `sum by (priority) (${SHED}) / (sum by (priority) (${SHED}) + sum by (priority) (${ADMITTED}))`,
          '{{priority}}',
        ),
      ],
    }),
    graph({
      title: 'Shed by reason',
      description:
        'For loop, this process has too little processor time. For in_flight, what is behind it, such as a database, gets slower with every further request.',
      unit: 'reqps',
      targets: [target(`sum by (shedder, reason) (${SHED})`, '{{shedder}}: {{reason}}')],
    }),
    graph({
      title: 'Requests in flight',
      description: 'Requests in flight, and how many may be, over all processes. The limit moves while it refuses.',
      unit: 'short',
      targets: [
        target('sum by (shedder) (sluice_load_in_flight)', '{{shedder}}'),
        target('sum by (shedder) (sluice_load_in_flight_limit)', '{{shedder}} at most'),
      ],
    }),
    graph({
      title: 'Border of the event loop',
      description:
        'Up to which class the process that is busiest refuses: 0 none, 1 low, 2 normal, 3 critical. At 2 or more, add processes.',
      unit: 'short',
      warnsAt: 2,
      targets: [target('max by (shedder) (sluice_load_border)', '{{shedder}}')],
    }),
    graph({
      title: 'Age of the event loop',
      description:
        'The longest time that a request can have waited before its process read it, of the process that is busiest. It is a sample of each scrape.',
      unit: 's',
      targets: [target('max by (shedder) (sluice_load_age_seconds)', '{{shedder}}')],
    }),
  ],
};

const ANSWERS = rate('sluice_server_requests_total');
/** Those who wait no longer than 100 ms. */
const OF_BALANCERS = 'protocol=~"forward_auth|auth_request|rls"';
const DURATION = (part: string, labels = ''): string => rate(`sluice_server_request_duration_seconds_${part}`, labels);
const IN_TIME = DURATION('bucket', `${OF_BALANCERS}, le="0.1"`);
const BY_BALANCERS = DURATION('count', OF_BALANCERS);

const quantile = (share: number): Target =>
  target(`histogram_quantile(${share}, sum by (protocol, le) (${DURATION('bucket')}))`, `{{protocol}}: ${share}`);

const SERVICE: Row = {
  title: 'Decision service',
  panels: [
    number({
      title: 'Instances that do not answer',
      description:
        'Instances of the job sluice that do not answer Prometheus. The alert SluiceServerDown begins after 30 s.',
      unit: 'short',
      warnsAt: 1,
      targets: [target('sum(1 - up{job="sluice"})', 'down')],
    }),
    number({
      title: 'Answers',
      description: 'Answers a second, over all protocols and instances.',
      unit: 'reqps',
      targets: [target(`sum(${ANSWERS})`, 'answers')],
    }),
    number({
      title: 'Undecided',
      description:
        'The share of answers to balancers that took longer than 100 ms: they had decided without one. The alert SluiceServerUndecided begins at 0.1 %.',
      unit: 'percentunit',
      warnsAt: 0.001,
      targets: [target(`1 - sum(${IN_TIME}) / sum(${BY_BALANCERS})`, 'undecided')],
    }),
    number({
      title: 'Keys of those that fit',
      description: 'The fullest memory store. The alert SluiceKeysNearMaximum begins at 90 %.',
      unit: 'percentunit',
      warnsAt: 0.9,
      targets: [target('max(sluice_store_keys / sluice_store_max_keys)', 'keys')],
    }),
    graph({
      title: 'Answers by protocol',
      description: 'Who asks: balancers (forward_auth, auth_request, rls) and programs (decisions, json).',
      unit: 'reqps',
      stacked: true,
      targets: [target(`sum by (protocol) (${ANSWERS})`, '{{protocol}}')],
    }),
    graph({
      title: 'Answers by status',
      description:
        'The status that the client of a balancer gets: 204 and OK are allowed, 429 and OVER_LIMIT refused by a limit.',
      unit: 'reqps',
      targets: [target(`sum by (code) (${ANSWERS})`, '{{code}}')],
    }),
    graph({
      title: 'Answers without a decision',
      description:
        '400: a request with a mistake. 404 and NOT_FOUND: a policy that the file does not have. 500 and INTERNAL: a mistake of the service. 503: a store that fails.',
      unit: 'reqps',
      targets: [
        target(
          'sum by (code) (rate(sluice_server_requests_total{code=~"400|404|408|413|431|5..|NOT_FOUND|INVALID_ARGUMENT|INTERNAL"}[$__rate_interval]))',
          '{{code}}',
        ),
      ],
    }),
    graph({
      title: 'Duration of answers',
      description:
        'How long one of two and one of 100 answers take at least. Balancers wait 100 ms; the alert SluiceServerSlow begins at 50 ms.',
      unit: 's',
      warnsAt: 0.05,
      width: 12,
      targets: [quantile(0.5), quantile(0.99)],
    }),
    graph({
      title: 'Late answers',
      description: 'Answers that took longer than 100 ms. Of those to balancers, the requests went undecided.',
      unit: 'reqps',
      width: 12,
      targets: [
        target(
          `sum by (protocol) (${DURATION('count')}) - sum by (protocol) (${DURATION('bucket', 'le="0.1"')})`,
          '{{protocol}}',
        ),
      ],
    }),
  ],
};

/** Everything that the dashboards show, from what you look at first to what you look at last. */
export const ROWS: readonly Row[] = [SUMMARY, TRAFFIC, NEAR, MONEY, OVERLOAD, SHADOW, STORE, POLICIES, SERVICE_LEVELS];

/** What the dashboard of the decision service shows. It sheds no load. */
export const SERVICE_ROWS: readonly Row[] = [SERVICE, SUMMARY, TRAFFIC, NEAR, SHADOW, STORE, POLICIES, SERVICE_LEVELS];
