import { LONGEST_RUN_MS, wrongInSetup } from './check-setup.js';
import { type CallStep, type FaultStep, serversOf, type Tape } from './tape.js';

/** The members of a step, beside its time and what it is: those that it must have, and those that it may have. */
interface Members {
  readonly has: readonly string[];
  readonly may?: readonly string[];
}

const SPEND = ['process', 'policy', 'subject', 'cost'];
const SUBJECT = ['process', 'policy', 'subject'];

const CALLS: Readonly<Record<CallStep['call'], Members>> = {
  consume: { has: SPEND, may: ['times', 'id', 'rememberMs'] },
  peek: { has: SPEND },
  reserve: { has: [...SPEND, 'as'], may: ['id', 'rememberMs', 'expiresMs', 'onExpiry'] },
  wait: { has: [...SPEND, 'as', 'maxWaitMs'] },
  run: { has: [...SPEND, 'worksForMs', 'maxWaitMs'] },
  settle: { has: ['of', 'actual'] },
  cancel: { has: ['of'] },
  release: { has: ['of'] },
  share: { has: ['of', 'as', 'expiresMs'] },
  correct: { has: ['process', 'charge'], may: ['actual'] },
  charge: { has: SPEND },
  refund: { has: SPEND },
  reset: { has: SUBJECT },
  unblock: { has: SUBJECT },
  block: { has: [...SUBJECT, 'forMs'] },
  obey: { has: [...SPEND, 'times'] },
  'model-call': {
    has: ['process', 'plan', 'subject', 'dialect', 'inputTokens', 'outputTokens', 'takesMs', 'ends'],
    may: ['maxOutput', 'isWhole', 'unseenTokens', 'fetchedAfterMs', 'endsAgain'],
  },
  'model-look': { has: ['process', 'plan', 'subject'] },
  replace: { has: ['process', 'policy', 'variant'] },
  close: { has: ['process'] },
};

const FAULTS: Readonly<Record<FaultStep['fault'], Members>> = {
  crash: { has: ['process'] },
  start: { has: ['process'], may: ['code', 'variant'] },
  stall: { has: ['process', 'forMs'] },
  'set-clock': { has: ['server', 'byMs'] },
  freeze: { has: ['server', 'forMs'] },
  restart: { has: ['server', 'forMs', 'keeps'] },
  'fail-over': { has: ['server', 'forMs', 'lagMs'] },
  flush: { has: ['server'] },
  'forget-scripts': { has: ['server'] },
  'lose-key': { has: ['server', 'pick'] },
  fill: { has: ['server', 'forMs', 'policy'] },
  cut: { has: ['process', 'server', 'forMs', 'how'] },
  lag: { has: ['process', 'server', 'forMs', 'moreMs', 'to'] },
};

/** Members whose value is one of these words. All others are numbers of at least 0, but for `id` and `isWhole`. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  onExpiry: ['keep', 'giveBack'],
  keeps: ['all', 'nothing'],
  how: ['silent', 'broken'],
  to: ['server', 'process', 'both'],
  dialect: ['openai-chat', 'openai-responses', 'anthropic-messages'],
  ends: ['complete', 'broken', 'refused', 'unsent', 'no-usage', 'wrong-usage', 'client-leaves', 'never'],
  endsAgain: ['complete', 'broken', 'refused', 'unsent', 'abandoned'],
};
const FILL_POLICIES = ['noeviction', 'evict'];

/**
 * Returns what is wrong with a tape that somebody may have written or changed by hand: steps and members that do not exist, and
 * numbers of processes, reservations and so on that nothing has. Empty: nothing. What a limit may be, its constructor says when the
 * tape is played.
 */
export function wrongInTape(tape: unknown): readonly string[] {
  if (!isTape(tape)) return ['It is no tape: it needs version 1, chance, setup and steps.'];
  const wrongSetup = wrongInSetup(tape.setup);
  if (wrongSetup.length > 0) return wrongSetup;
  const wrongSteps = tape.steps.flatMap((step, i) => wrongMembers(step).map((what) => `Step ${i}: ${what}`));
  return wrongSteps.length > 0 ? wrongSteps : wrongReferences(tape as unknown as Tape);
}

interface Parts {
  readonly setup: Readonly<Record<string, unknown>>;
  readonly steps: readonly unknown[];
}

function isTape(value: unknown): value is Parts {
  if (!isObject(value) || value.version !== 1 || !isCount(value.chance) || !Array.isArray(value.steps)) return false;
  return isObject(value.setup);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function wrongMembers(step: unknown): readonly string[] {
  if (!isObject(step)) return ['it is no object'];
  const [kind, table] = 'fault' in step ? (['fault', FAULTS] as const) : (['call', CALLS] as const);
  const name = String(step[kind]);
  const members = Object.hasOwn(table, name) ? (table as Readonly<Record<string, Members>>)[name] : undefined;
  if (members === undefined) return [`there is no ${kind} ${name}`];
  const { has, may = [] } = members;
  const known = ['atMs', kind, ...has, ...may];
  const missing = ['atMs', ...has].filter((member) => step[member] === undefined);
  const unknown = Object.keys(step).filter((member) => !known.includes(member));
  const wrong = Object.entries(step).filter(([member, value]) => member !== kind && !isValue(kind, member, value));
  return [
    ...missing.map((member) => `${name} needs ${member}`),
    ...unknown.map((member) => `${name} has no ${member}`),
    ...wrong.filter(([member]) => known.includes(member)).map(([member]) => `${member} of ${name} has a wrong value`),
  ];
}

function isValue(kind: 'call' | 'fault', member: string, value: unknown): boolean {
  if (value === undefined) return true;
  if (member === 'id') return typeof value === 'string' && value !== '';
  if (member === 'isWhole') return value === true;
  if (member === 'byMs') return Number.isFinite(value);
  if (member === 'policy' && kind === 'fault') return FILL_POLICIES.includes(String(value));
  const words = WORDS[member];
  return words ? words.includes(String(value)) : isCount(value);
}

/** Twenty times as many as the generator draws. */
const MOST_TIMES = 10_000;

function wrongReferences({ setup, steps }: Tape): readonly string[] {
  const wrong: string[] = [];
  const names = new Set<number>();
  let lastMs = 0;
  for (const [i, step] of steps.entries()) {
    const say = (what: string) => wrong.push(`Step ${i}: ${what}`);
    if (step.atMs < lastMs) say('it is earlier than the one before it');
    lastMs = step.atMs;
    if ('process' in step && setup.processes[step.process] === undefined) say(`there is no process ${step.process}`);
    if ('server' in step && setup.servers[step.server] === undefined) say(`there is no server ${step.server}`);
    if ('call' in step && 'policy' in step) {
      const policy = setup.policies[step.policy];
      if (policy === undefined) say(`there is no policy ${step.policy}`);
      else if ('variant' in step && policy.variants[step.variant] === undefined) {
        say(`the policy has no variant ${step.variant}`);
      }
    }
    if ('plan' in step && setup.plans?.[step.plan] === undefined) say(`there is no plan ${step.plan}`);
    if ('of' in step && !names.has(step.of)) say(`no step before it makes the reservation ${step.of}`);
    if ('charge' in step && !names.has(step.charge)) say(`no step before it shares the charge ${step.charge}`);
    if ('as' in step) {
      if (names.has(step.as)) say(`another step has the name ${step.as}`);
      names.add(step.as);
    }
    if (step.atMs + ('fault' in step && 'forMs' in step ? step.forMs : 0) > LONGEST_RUN_MS)
      say('it is more than a week long');
    if ('times' in step && (step.times ?? 1) > MOST_TIMES) say(`it may happen ${MOST_TIMES} times at most`);
    if ('cost' in step && !Number.isInteger(step.cost)) say('a cost must be a whole number');
  }
  return [...wrong, ...wrongStoresAndNames({ setup })];
}

function wrongStoresAndNames({ setup }: Pick<Tape, 'setup'>): readonly string[] {
  const wrong: string[] = [];
  if (setup.processes.length === 0) wrong.push('There is no process.');
  const used = serversOf(setup.store);
  if (new Set(used).size !== used.length) wrong.push('Two stores are on one server.');
  for (const server of used) if (setup.servers[server] === undefined) wrong.push(`The store needs a server ${server}.`);
  for (const { name, variants } of setup.policies) {
    const limits = variants.map((variant) => variant.map((limit) => limit.name).join());
    if (new Set(limits).size !== 1) wrong.push(`The variants of ${name} have limits with other names.`);
  }
  return wrong;
}
