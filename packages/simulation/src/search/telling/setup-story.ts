import type { LimitNumbers, LimitSetup, PolicySetup, Setup, StoreSetup } from '../../tape/tape.js';
import { planSentence } from './model-story.js';
import { capitalized, listText, numberText, percentText, timeText, unitsText } from './words.js';

/** Says in some sentences what there is before anything happens. */
export function setupStory(setup: Setup): string {
  const { policies } = setup;
  const [only] = policies;
  const limits = only?.variants[0] ?? [];
  const isOneLimit = policies.length === 1 && limits.length === 1;
  const what = isOneLimit ? limitText(limits[0] as LimitSetup) : 'limits';
  const sentences = [`${whoText(setup)} ${what} ${throughText(setup)}.`];
  if (!isOneLimit) sentences.push(...policies.map(policySentence));
  sentences.push(...policies.flatMap(variantSentences), ...policies.flatMap(failureSentence));
  sentences.push(...(setup.plans ?? []).map(planSentence));
  sentences.push(...clockSentences(setup), ...versionSentences(setup), ...networkSentences(setup));
  return sentences.join(' ');
}

function whoText({ processes }: Setup): string {
  if (processes.length === 1) return 'One process has';
  return `${capitalized(numberText(processes.length))} processes (0 to ${processes.length - 1}) share`;
}

function throughText({ store, processes }: Setup): string {
  if (store.kind === 'memory')
    return processes.length === 1 ? 'in a MemoryStore' : 'by name only: each counts in a MemoryStore of its own';
  return `through ${storeText(store)}`;
}

/** Says what a store is, with those behind it. */
function storeText(store: StoreSetup): string {
  switch (store.kind) {
    case 'memory':
      return 'a MemoryStore';
    case 'redis':
      return `a RedisStore${timeoutText(store.timeoutMs)} on server ${store.server}`;
    case 'table':
      return `a compare-and-swap store${timeoutText(store.timeoutMs)} on server ${store.server}`;
    case 'sharded':
      return `a ShardedStore over ${listText(store.nodes.map(storeText))}`;
    case 'leased':
      return `a LeasedStore with a lease of ${timeText(store.leaseMs)} over ${storeText(store.of)}`;
    case 'synced':
      return `a SyncedStore that synchronizes every ${timeText(store.syncMs)} (slice ${store.slice}) over ${storeText(store.of)}`;
  }
}

function timeoutText(timeoutMs: number): string {
  return timeoutMs === 50 ? '' : ` with a timeout of ${timeText(timeoutMs)}`;
}

function policySentence({ name, variants }: PolicySetup): string {
  const limits = (variants[0] ?? []).map((limit) => `"${limit.name}", ${limitText(limit)}`);
  return `The policy ${name} has ${limits.length === 1 ? 'the limit' : 'the limits'} ${listText(limits)}.`;
}

function variantSentences({ name, variants }: PolicySetup): readonly string[] {
  return variants.slice(1).map((limits, i) => {
    const texts = limits.map((limit) =>
      limits.length === 1 ? limitText(limit) : `"${limit.name}", ${limitText(limit)}`,
    );
    return `Variant ${i + 1} of the policy ${name} has ${listText(texts)}.`;
  });
}

function failureSentence({ name, onStoreError }: PolicySetup): readonly string[] {
  return onStoreError === 'local' ? [] : [`While the store fails, the policy ${name} answers with '${onStoreError}'.`];
}

/** Says what a limit is: `a sliding window of 5 units in 1 s for each subject`. */
export function limitText({ limit, by, cost, enforce, tolerance, guarantee }: LimitSetup): string {
  const details = [
    guarantee &&
      `${unitsText(guarantee.part)} of it guaranteed to each subject, ${guarantee.total} in all, ${percentText(guarantee.lend)} of them lent`,
    cost !== undefined && `each request costs ${unitsText(cost)}`,
    enforce === 0 && 'not enforced',
    tolerance && `with a tolerance of ${percentText(tolerance)}`,
    'blockMs' in limit && limit.blockMs && `whoever passes it is blocked for ${timeText(limit.blockMs)}`,
    'countRejected' in limit &&
      limit.countRejected &&
      (limit.countRejected === 'always' ? 'refusals always count' : 'refusals count'),
  ].filter((text) => typeof text === 'string');
  const who = by === 'everyone' ? ' for all subjects together' : '';
  return `${numbersText(limit)}${who}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
}

function numbersText(limit: LimitNumbers): string {
  switch (limit.algorithm) {
    case 'token-bucket': {
      const { capacity, refillRate, keepForMs } = limit;
      if (refillRate > 0) return `a token bucket of ${unitsText(capacity)} (${refillRate} a second)`;
      return `a token bucket of ${unitsText(capacity)} that never refills${keepForMs === undefined ? '' : ` (kept for ${timeText(keepForMs)})`}`;
    }
    case 'leaky-bucket':
      return `a leaky bucket of ${unitsText(limit.capacity)} (${limit.leakRate} a second)`;
    case 'concurrency':
      return `a concurrency limit of ${limit.limit} with a lease of ${timeText(limit.leaseMs)}`;
    case 'fixed-window':
      return `a fixed window${limit.align === 'clock' ? ' of the clock' : ''} of ${unitsText(limit.limit)} in ${timeText(limit.windowMs)}`;
    default:
      return `a ${limit.algorithm.replaceAll('-', ' ')} of ${unitsText(limit.limit)} in ${timeText(limit.windowMs)}`;
  }
}

function clockSentences({ processes, servers }: Setup): readonly string[] {
  const clocks = [
    ...processes.map(({ clockAheadMs }, i) => ({ who: `process ${i}`, clockAheadMs })),
    ...servers.map(({ clockAheadMs }, i) => ({ who: `server ${i}`, clockAheadMs })),
  ].filter(({ clockAheadMs }) => clockAheadMs !== 0);
  const drifts = servers.flatMap(({ driftPpm = 0 }, i) => {
    if (driftPpm === 0) return [];
    return [`The clock of server ${i} goes ${driftPpm > 0 ? 'faster' : 'slower'} by ${Math.abs(driftPpm)} millionths.`];
  });
  const far = servers.flatMap(({ farMs = 0 }, i) => {
    return farMs === 0 ? [] : [`Messages from and to server ${i} take ${timeText(farMs)} longer.`];
  });
  return [
    ...far,
    ...clocks.map(({ who, clockAheadMs }) => {
      return `The clock of ${who} is ${timeText(Math.abs(clockAheadMs))} ${clockAheadMs > 0 ? 'ahead' : 'behind'}.`;
    }),
    ...drifts,
  ];
}

function versionSentences({ processes }: Setup): readonly string[] {
  return processes.flatMap(({ code = 0, variant = 0 }, i) => [
    ...(code === 0 ? [] : [`Process ${i} runs version ${code} of the code.`]),
    ...(variant === 0 ? [] : [`Process ${i} begins with variant ${variant} of the policies.`]),
  ]);
}

function networkSentences({ network, servers }: Setup): readonly string[] {
  if (servers.length === 0) return [];
  const { slow, slowMs, breaks, twice } = network;
  return [
    slow > 0 && `${percentText(slow)} of the messages take up to ${timeText(slowMs)}.`,
    breaks > 0 && `${percentText(breaks)} of the messages are lost with their connection.`,
    twice > 0 && `${percentText(twice)} of the messages to a table arrive twice.`,
  ].filter((text) => typeof text === 'string');
}
