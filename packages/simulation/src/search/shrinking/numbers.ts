import type { Tape } from '../../tape/tape.js';
import type { Pass } from './pass.js';

/** What stands in a tape, as in its JSON file: a value, and the names and numbers that lead to it. */
type Path = readonly (string | number)[];

/** Options that a tape can do without, by the part of the tape in which they stand. */
const OPTIONAL = {
  processes: ['code', 'variant'],
  servers: ['driftPpm', 'farMs'],
  limits: ['cost', 'enforce', 'tolerance', 'guarantee'],
  limit: ['align', 'countRejected', 'blockMs', 'keepForMs'],
  plans: ['unknownUsage'],
} as const;

/** The same for steps, by what they are. */
const OPTIONAL_IN_STEPS: Readonly<Record<string, readonly string[]>> = {
  consume: ['times', 'id', 'rememberMs'],
  reserve: ['id', 'rememberMs', 'expiresMs', 'onExpiry'],
  correct: ['actual'],
  start: ['code', 'variant'],
  'model-call': ['maxOutput', 'isWhole', 'unseenTokens', 'fetchedAfterMs', 'endsAgain'],
};

/** Leaves out an option that has a default. */
export const dropOption: Pass = (tape, at) => {
  const path = optionPaths(tape)[at];
  return path && [changed(tape, path, undefined)];
};

function optionPaths(tape: Tape): readonly Path[] {
  const found: Path[] = [];
  const look = (path: Path, part: object, names: readonly string[]): void => {
    for (const name of names) if (name in part) found.push([...path, name]);
  };
  const { setup } = tape;
  setup.processes.forEach((process, i) => {
    look(['setup', 'processes', i], process, OPTIONAL.processes);
  });
  setup.servers.forEach((server, i) => {
    look(['setup', 'servers', i], server, OPTIONAL.servers);
  });
  setup.plans?.forEach((plan, i) => {
    look(['setup', 'plans', i], plan, OPTIONAL.plans);
  });
  for (const { path, item } of limitsOf(tape)) {
    look(path, item, OPTIONAL.limits);
    look([...path, 'limit'], item.limit, OPTIONAL.limit);
  }
  tape.steps.forEach((step, i) => {
    look(['steps', i], step, OPTIONAL_IN_STEPS['call' in step ? step.call : step.fault] ?? []);
  });
  return found;
}

function limitsOf({ setup }: Tape) {
  return setup.policies.flatMap(({ variants }, policy) =>
    variants.flatMap((limits, variant) =>
      limits.map((item, i) => ({ path: ['setup', 'policies', policy, 'variants', variant, i] as Path, item })),
    ),
  );
}

/** Numbers that become smaller. */
const COUNTS = [
  'cost',
  'times',
  'actual',
  'limit',
  'capacity',
  'subject',
  'process',
  'slice',
  'instances',
  'part',
  'total',
  ...['inputTokens', 'maxOutput', 'outputTokens', 'rpm', 'tpm', 'itpm', 'otpm', 'parallel', 'perDay', 'perMonth'],
];

/** Lengths of time that become rounder or shorter. */
const TIMES = ['expiresMs', 'rememberMs', 'forMs', 'lagMs', 'maxWaitMs', 'worksForMs', 'takesMs', 'lastsMs'];

/** How far something is off: not at all is best. */
const OFFSETS = ['clockAheadMs', 'byMs', 'driftPpm'];

/** Numbers of which a reader has an idea, the most usual first. Otherwise they become rounder. */
const USUAL: Readonly<Record<string, readonly number[]>> = {
  windowMs: [1000, 60_000],
  leaseMs: [1000, 60_000],
  syncMs: [1000],
  keepForMs: [60_000, 1000],
  blockMs: [60_000, 1000],
  timeoutMs: [50],
  maxHoldMs: [900_000, 60_000, 1000],
  refillRate: [1, 10],
  leakRate: [1, 10],
};

/** What does without 0, or would be hard to understand with it. */
const AT_LEAST_ONE = ['times', 'limit', 'capacity', 'slice', 'instances', 'expiresMs', 'rememberMs', 'forMs'];

/** Makes a number of the set-up or of a step simpler: smaller, or rounder. */
export const simplifyNumber: Pass = (tape, at) => {
  const place = numbersOf(tape)[at];
  if (place === undefined) return undefined;
  const { path, name, value } = place;
  const least = AT_LEAST_ONE.includes(name) ? 1 : 0;
  return simplerNumbers(name, value)
    .filter((number) => number >= least || OFFSETS.includes(name))
    .map((number) => changed(tape, path, number));
};

interface NumberPlace {
  readonly path: Path;
  readonly name: string;
  readonly value: number;
}

function numbersOf(tape: Tape): readonly NumberPlace[] {
  const found: NumberPlace[] = [];
  const look = (path: Path, part: unknown): void => {
    const name = String(path.at(-1));
    if (typeof part === 'number') {
      if (isSimplified(name)) found.push({ path, name, value: part });
    } else if (Array.isArray(part)) {
      part.forEach((item, i) => {
        look([...path, i], item);
      });
    } else if (typeof part === 'object' && part !== null) {
      for (const [key, item] of Object.entries(part)) look([...path, key], item);
    }
  };
  look(['setup'], tape.setup);
  look(['steps'], tape.steps);
  return found;
}

const isSimplified = (name: string): boolean =>
  COUNTS.includes(name) || TIMES.includes(name) || OFFSETS.includes(name) || name in USUAL;

function simplerNumbers(name: string, value: number): readonly number[] {
  if (OFFSETS.includes(name))
    return value === 0 ? [] : [0, ...simplerTimes(Math.abs(value)).map((ms) => ms * Math.sign(value))];
  if (TIMES.includes(name)) return simplerTimes(value);
  const usual = USUAL[name];
  if (usual) return moreUsual(usual, value);
  const smaller = [0, 1, 2, Math.floor(value / 2), value - 1].filter((count) => count >= 0 && count < value);
  // A cost of 1 is simpler than one of 0.
  if (name === 'cost') return value === 1 ? [] : [1, ...smaller.filter((count) => count > 1)];
  return [...new Set(smaller)];
}

function moreUsual(usual: readonly number[], value: number): readonly number[] {
  const rank = usual.indexOf(value);
  if (rank >= 0) return usual.slice(0, rank);
  const rounder = [rounded(value, 1), rounded(value, 2)].filter((other) => digitsOf(other) < digitsOf(value));
  return [...usual, ...rounder];
}

/** Returns rounder or shorter times than this one, the simplest first. */
function simplerTimes(ms: number): readonly number[] {
  const candidates = [
    0,
    1,
    10,
    100,
    1000,
    10_000,
    60_000,
    rounded(ms / 2, 1),
    rounded(ms, 1),
    rounded(ms, 2),
    Math.floor(ms),
  ];
  return [...new Set(candidates)].filter((other) => isSimpler(other, ms));
}

function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

/** Fewer digits are simpler; of as many, the smaller number. */
function isSimpler(one: number, other: number): boolean {
  const [digits, otherDigits] = [digitsOf(one), digitsOf(other)];
  return digits === otherDigits ? one < other : digits < otherDigits && one <= other * 2;
}

function digitsOf(value: number): number {
  return value === 0
    ? 0
    : String(value)
        .replace('.', '')
        .replace(/^0+|0+$/g, '').length;
}

/** Lets less time pass between two steps, or a rounder time. All later steps happen earlier. */
export const closeGap: Pass = (tape, at) => {
  const step = tape.steps[at];
  if (step === undefined) return undefined;
  const beforeMs = tape.steps[at - 1]?.atMs ?? 0;
  const gapMs = step.atMs - beforeMs;
  return simplerTimes(gapMs).map((ms) => ({
    ...tape,
    setup: { ...tape.setup, lastsMs: Math.max(0, tape.setup.lastsMs + ms - gapMs) },
    steps: tape.steps.map((one, i) => (i < at ? one : { ...one, atMs: one.atMs + ms - gapMs })),
  }));
};

/** Returns a tape with another value in one place; undefined leaves the place out. */
function changed(tape: Tape, path: Path, value: number | undefined): Tape {
  return replaced(tape, path, value) as Tape;
}

function replaced(part: unknown, [first, ...rest]: Path, value: number | undefined): unknown {
  if (first === undefined) return value;
  if (Array.isArray(part)) return part.map((item, i) => (i === first ? replaced(item, rest, value) : item));
  const entries = Object.entries(part as object)
    .map(([key, item]) => [key, key === first ? replaced(item, rest, value) : item] as const)
    .filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries);
}
