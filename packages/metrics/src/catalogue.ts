// Why it is so: core/docs/why/metrics.md

/** One metric: its name, meaning and labels in Prometheus and in OpenTelemetry. */
export interface Metric {
  /** The name in Prometheus, behind the prefix: `decisions_total`, which is shown as `sluice_decisions_total`. */
  readonly name: string;
  /** What kind of number it is in Prometheus. */
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One line that says what the number is. Prometheus shows it, and so does the page of all metrics. */
  readonly help: string;
  /** The labels in Prometheus. The attribute in OpenTelemetry has `sluice.` before it: `sluice.policy`. */
  readonly labels: readonly string[];
  /** All values of those labels whose values are fixed. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /**
   * The name of the instrument in OpenTelemetry. In a Prometheus that reads it through OpenTelemetry's exporter, dots
   * become underscores, and a counter ends in `_total`.
   */
  readonly instrument: string;
  /** The unit in OpenTelemetry, in UCUM. */
  readonly unit: string;
  /**
   * How the values of several processes make one: counters, and gauges that count things of one process, are added. Of
   * others, the largest or the smallest is taken.
   */
  readonly across: 'sum' | 'max' | 'min';
}

/** The values of `outcome` of decisions. Each decision has one outcome, so they add up to all decisions. */
export const OUTCOMES = ['allowed', 'shadowed', 'refused'] as const;
/** The values of `source`: `'store'`, or who decided because the store could not. */
export const SOURCES = ['store', 'local', 'allow', 'deny'] as const;

/** The values of `priority`: the classes of requests, in the order in which load shedding refuses them. */
export const PRIORITIES = ['low', 'normal', 'critical'] as const;

/**
 * Every metric of Sluice. The exporters, the page of all metrics, the alerts and the dashboards are all made from this
 * list.
 *
 * Names and units follow the rules of Prometheus (base units, counters end in `_total`) and of OpenTelemetry (UCUM units,
 * no unit in the name).
 */
export const CATALOGUE = {
  decisions: {
    name: 'decisions_total',
    type: 'counter',
    help: 'Decisions about requests. The outcomes are disjoint, so they add up to all decisions.',
    labels: ['policy', 'outcome', 'source'],
    values: { outcome: OUTCOMES, source: SOURCES },
    instrument: 'sluice.decisions',
    unit: '{decision}',
    across: 'sum',
  },
  checks: {
    name: 'limit_checks_total',
    type: 'counter',
    help: 'Checks of single limits. would_refuse counts refusals of limits that are not enforced for the key.',
    labels: ['policy', 'limit', 'outcome'],
    values: { outcome: ['allowed', 'refused', 'would_refuse'] },
    instrument: 'sluice.limit.checks',
    unit: '{check}',
    across: 'sum',
  },
  near: {
    name: 'limit_near_total',
    type: 'counter',
    help: 'Allowed checks that left little of the limit: at most nearRatio, which is 20 % by default.',
    labels: ['policy', 'limit'],
    instrument: 'sluice.limit.near',
    unit: '{check}',
    across: 'sum',
  },
  unitsSpent: {
    name: 'units_spent_total',
    type: 'counter',
    help: 'Units that requests and corrections spent, such as requests, tokens or money.',
    labels: ['policy', 'limit'],
    instrument: 'sluice.units.spent',
    unit: '{unit}',
    across: 'sum',
  },
  unitsReturned: {
    name: 'units_returned_total',
    type: 'counter',
    help: 'Units that were given back because a request cost less than was reserved, or did not happen.',
    labels: ['policy', 'limit'],
    instrument: 'sluice.units.returned',
    unit: '{unit}',
    across: 'sum',
  },
  quota: {
    name: 'limit_quota',
    type: 'gauge',
    help: 'Units for each window, units in a full bucket, or slots.',
    labels: ['policy', 'limit', 'tier'],
    instrument: 'sluice.limit.quota',
    unit: '{unit}',
    across: 'max',
  },
  window: {
    name: 'limit_window_seconds',
    type: 'gauge',
    help: 'Length of the window. Absent for limits without one.',
    labels: ['policy', 'limit', 'tier'],
    instrument: 'sluice.limit.window',
    unit: 's',
    across: 'max',
  },
  enforced: {
    name: 'limit_enforced_ratio',
    type: 'gauge',
    help: 'Share of keys for which the limit is enforced. 0 means that it only counts.',
    labels: ['policy', 'limit', 'tier'],
    instrument: 'sluice.limit.enforced_ratio',
    unit: '1',
    across: 'min',
  },
  skipped: {
    name: 'skipped_total',
    type: 'counter',
    help: 'Requests that no limit was asked about. Those of skip and allow_list passed; all others were refused.',
    labels: ['policy', 'reason'],
    values: { reason: ['skip', 'allow_list', 'deny_list', 'unknown', 'blocked', 'refused'] },
    instrument: 'sluice.skipped',
    unit: '{request}',
    across: 'sum',
  },
  delay: {
    name: 'delay_seconds',
    type: 'histogram',
    help: 'Delays of requests that a limit admitted with one: a leaky bucket, or slowDown.',
    labels: ['policy', 'limit'],
    instrument: 'sluice.delay',
    unit: 's',
    across: 'sum',
  },
  wait: {
    name: 'wait_seconds',
    type: 'histogram',
    help: 'Time that requests spent in the line of a policy, whether they were admitted in the end or not.',
    labels: ['policy'],
    instrument: 'sluice.wait',
    unit: 's',
    across: 'sum',
  },
  waiting: {
    name: 'waiting_requests',
    type: 'gauge',
    help: 'Requests that wait in the line of a policy now.',
    labels: ['policy'],
    instrument: 'sluice.waiting_requests',
    unit: '{request}',
    across: 'sum',
  },
  slots: {
    name: 'slots_in_use',
    type: 'gauge',
    help: 'Slots of a concurrency limit that this process holds now.',
    labels: ['policy', 'limit'],
    instrument: 'sluice.slots_in_use',
    unit: '{slot}',
    across: 'sum',
  },
  storeDuration: {
    name: 'store_duration_seconds',
    type: 'histogram',
    help: 'Round trips to a store. One can carry many decisions.',
    labels: ['store', 'operation'],
    values: { operation: ['consume', 'adjust', 'reset'] },
    instrument: 'sluice.store.duration',
    unit: 's',
    across: 'sum',
  },
  storeErrors: {
    name: 'store_errors_total',
    type: 'counter',
    help: 'Calls that a store did not answer in time (timeout), that were not sent (unavailable), or that failed (error).',
    labels: ['store', 'kind'],
    values: { kind: ['timeout', 'unavailable', 'error'] },
    instrument: 'sluice.store.errors',
    unit: '{error}',
    across: 'sum',
  },
  breaker: {
    name: 'breaker_open',
    type: 'gauge',
    help: 'Whether the circuit breaker of a store keeps calls away: 1 if it is open or half-open, else 0.',
    labels: ['store'],
    instrument: 'sluice.breaker_open',
    unit: '1',
    across: 'max',
  },
  storeKeys: {
    name: 'store_keys',
    type: 'gauge',
    help: 'Keys in the memory of a store.',
    labels: ['store'],
    instrument: 'sluice.store.keys',
    unit: '{key}',
    across: 'sum',
  },
  storeMaxKeys: {
    name: 'store_max_keys',
    type: 'gauge',
    help: 'Keys that the memory of a store holds at most.',
    labels: ['store'],
    instrument: 'sluice.store.max_keys',
    unit: '{key}',
    across: 'sum',
  },
  evicted: {
    name: 'evicted_keys_total',
    type: 'counter',
    help: 'Keys that a full store forgot although more than half of their quota was used.',
    labels: ['store'],
    instrument: 'sluice.evicted_keys',
    unit: '{key}',
    across: 'sum',
  },
  loadAdmitted: {
    name: 'load_admitted_total',
    type: 'counter',
    help: 'Requests that load shedding admitted.',
    labels: ['shedder', 'priority'],
    values: { priority: PRIORITIES },
    instrument: 'sluice.load.admitted',
    unit: '{request}',
    across: 'sum',
  },
  loadShed: {
    name: 'load_shed_total',
    type: 'counter',
    help: 'Requests that were refused with 503: the event loop was too busy, or too many requests were in flight.',
    labels: ['shedder', 'reason', 'priority'],
    values: { reason: ['loop', 'in_flight'], priority: PRIORITIES },
    instrument: 'sluice.load.shed',
    unit: '{request}',
    across: 'sum',
  },
  loadExempt: {
    name: 'load_exempt_total',
    type: 'counter',
    help: 'Requests that load shedding never refuses: health checks, and those of skip.',
    labels: ['shedder'],
    instrument: 'sluice.load.exempt',
    unit: '{request}',
    across: 'sum',
  },
  loadInFlight: {
    name: 'load_in_flight',
    type: 'gauge',
    help: 'Requests that are in flight now.',
    labels: ['shedder'],
    instrument: 'sluice.load.in_flight',
    unit: '{request}',
    across: 'sum',
  },
  loadLimit: {
    name: 'load_in_flight_limit',
    type: 'gauge',
    help: 'How many requests may be in flight now. Absent if they are not limited.',
    labels: ['shedder'],
    instrument: 'sluice.load.in_flight_limit',
    unit: '{request}',
    across: 'sum',
  },
  loadBorder: {
    name: 'load_border',
    type: 'gauge',
    help: 'Up to which class the busy event loop refuses requests: 0 none, 1 low, 2 normal, 3 critical.',
    labels: ['shedder'],
    instrument: 'sluice.load.border',
    unit: '1',
    across: 'max',
  },
  loadAge: {
    name: 'load_age_seconds',
    type: 'gauge',
    help: 'The longest time that the newest request can have waited for the event loop.',
    labels: ['shedder'],
    instrument: 'sluice.load.age',
    unit: 's',
    across: 'max',
  },
  reloads: {
    name: 'policy_reloads_total',
    type: 'counter',
    help: 'Policy files that were read, by what became of them.',
    labels: ['outcome'],
    values: { outcome: ['applied', 'unchanged', 'rejected'] },
    instrument: 'sluice.policy.reloads',
    unit: '{reload}',
    across: 'sum',
  },
  reloadSuccessful: {
    name: 'policy_last_reload_successful',
    type: 'gauge',
    help: 'Whether the newest policy file was accepted: 1 or 0.',
    labels: [],
    instrument: 'sluice.policy.last_reload_successful',
    unit: '1',
    across: 'min',
  },
  reloadTime: {
    name: 'policy_last_reload_success_timestamp_seconds',
    type: 'gauge',
    help: 'When a policy file was last accepted, in Unix time.',
    labels: [],
    instrument: 'sluice.policy.last_reload_success_timestamp',
    unit: 's',
    across: 'min',
  },
  policyFile: {
    name: 'policy_file_info',
    type: 'gauge',
    help: 'Always 1: the label names the revision of the policy file that decides.',
    labels: ['revision'],
    instrument: 'sluice.policy.file_info',
    unit: '1',
    across: 'max',
  },
  braked: {
    name: 'policy_braked',
    type: 'gauge',
    help: 'Whether the brake has taken the policy back to shadow: 1 or 0.',
    labels: ['policy'],
    instrument: 'sluice.policy.braked',
    unit: '1',
    across: 'max',
  },
  enforcement: {
    name: 'enforcement_mode',
    type: 'gauge',
    help: 'The enforcement mode of the policy file: 1 for the mode in force, 0 for the others.',
    labels: ['mode'],
    values: { mode: ['on', 'shadow', 'off'] },
    instrument: 'sluice.enforcement_mode',
    unit: '1',
    across: 'max',
  },
  callCost: {
    name: 'call_cost_dollars',
    type: 'histogram',
    help: "What calls of models were charged. After 100 models, further ones are counted as 'other'.",
    labels: ['policy', 'model', 'tier'],
    instrument: 'sluice.call.cost',
    unit: '{dollar}',
    across: 'sum',
  },
  callTokens: {
    name: 'call_tokens',
    type: 'histogram',
    help: 'Tokens of calls whose usage the provider stated: the prompt, cached parts included, and the answer.',
    labels: ['policy', 'model', 'tier', 'kind'],
    values: { kind: ['input', 'output'] },
    instrument: 'sluice.call.tokens',
    unit: '{token}',
    across: 'sum',
  },
  callEstimate: {
    name: 'call_estimate_ratio',
    type: 'histogram',
    help: 'The estimate over the actual number: tokens of the prompt, or the money that was held over the money that was charged.',
    labels: ['policy', 'model', 'tier', 'kind'],
    values: { kind: ['prompt', 'money'] },
    instrument: 'sluice.call.estimate_ratio',
    unit: '1',
    across: 'sum',
  },
  budgetKeys: {
    name: 'budget_keys',
    type: 'gauge',
    help: 'Keys that have reached this part of a budget in its current window. Present with the option budgets.',
    labels: ['policy', 'limit', 'threshold'],
    instrument: 'sluice.budget.keys',
    unit: '{key}',
    across: 'sum',
  },
  budgetThresholds: {
    name: 'budget_thresholds_total',
    type: 'counter',
    help: 'How often a key has reached this part of a budget, once in each window. Present with the option budgets.',
    labels: ['policy', 'limit', 'threshold'],
    instrument: 'sluice.budget.thresholds',
    unit: '{threshold}',
    across: 'sum',
  },
  tierDecisions: {
    name: 'tier_decisions_total',
    type: 'counter',
    help: 'Decisions about requests whose limits have a tier. Present with the option tierOf.',
    labels: ['policy', 'tier', 'outcome'],
    values: { outcome: OUTCOMES },
    instrument: 'sluice.tier.decisions',
    unit: '{decision}',
    across: 'sum',
  },
  capped: {
    name: 'series_capped',
    type: 'gauge',
    help: "Whether some policies or limits are counted together as 'other', because there are too many: 1 or 0.",
    labels: [],
    instrument: 'sluice.series_capped',
    unit: '1',
    across: 'max',
  },
  build: {
    name: 'build_info',
    type: 'gauge',
    help: 'Always 1: the labels name the version of this package and of Node.js.',
    labels: ['version', 'node'],
    instrument: 'sluice.build_info',
    unit: '1',
    across: 'max',
  },
} as const satisfies Readonly<Record<string, Metric>>;

/** The keys of the catalogue. */
export type MetricId = keyof typeof CATALOGUE;
