import { Fleet } from '../../src/fleet/fleet.js';
import type { Bundle } from '../../src/process/bundle.js';
import type { CallStep, StoreSetup, Tape } from '../../src/tape/tape.js';
import { Chance } from '../../src/world/chance.js';

/** Keys get busy, and are leased, within this time. What they cost before is not counted. */
const SETTLES_MS = 2500;
const COUNTED_MS = 2500;

const LIMIT = 1_000_000;

/** How a fleet asks. */
interface Load {
  readonly instances: number;
  readonly keys: number;
  /** Requests a second of each key in each instance. */
  readonly perSecond: number;
}

export type Form = 'strict' | 'leased' | 'synced';

/** Plays a fleet with the defaults of a store. Returns how many commands of Redis a decision takes, with those of scripts. */
export async function commandsOfDecision(bundle: Bundle, form: Form, load: Load, seed: number): Promise<number> {
  let from: number | undefined;
  let [until, decisions] = [0, 0];
  const fleet = new Fleet(tapeOf(form, load, seed), [bundle], (seen) => {
    // After the steps come the requests that ask how the fleet is.
    if (seen.kind !== 'call' || seen.atMs < SETTLES_MS || seen.atMs > SETTLES_MS + COUNTED_MS) return;
    from ??= fleet.commands;
    until = fleet.commands;
    decisions += 1;
  });
  await fleet.play((error) => {
    throw error;
  });
  return (until - (from ?? 0)) / decisions;
}

function tapeOf(form: Form, load: Load, seed: number): Tape {
  const steps = callsOf(load, seed).toSorted((one, other) => one.atMs - other.atMs);
  return { version: 1, chance: seed, setup: setupOf(form, load.instances), steps };
}

/** Each instance is asked about each key at random moments. */
function callsOf({ instances, keys, perSecond }: Load, seed: number): readonly CallStep[] {
  const draws = new Chance(seed).source('load');
  const lastsMs = SETTLES_MS + COUNTED_MS;
  const calls: CallStep[] = [];
  for (let process = 0; process < instances; process += 1) {
    for (let subject = 0; subject < keys; subject += 1) {
      const count = Math.ceil((perSecond * lastsMs) / 1000);
      for (let i = 0; i < count; i += 1)
        calls.push({ call: 'consume', process, policy: 0, subject, cost: 1, atMs: lastsMs * draws.next() });
    }
  }
  return calls;
}

function setupOf(form: Form, instances: number): Tape['setup'] {
  const limit = { algorithm: 'sliding-window', limit: LIMIT, windowMs: 60_000 } as const;
  const of: StoreSetup = { kind: 'redis', server: 0, timeoutMs: 200, instances };
  const stores: Readonly<Record<Form, StoreSetup>> = {
    strict: of,
    leased: { kind: 'leased', of, leaseMs: 1000, busyFrom: 'default' },
    synced: { kind: 'synced', of, syncMs: 1000, slice: LIMIT / 10, busyFrom: 'default' },
  };
  return {
    processes: Array.from({ length: instances }, () => ({ clockAheadMs: 0 })),
    servers: [{ kind: 'redis', clockAheadMs: 0 }],
    store: stores[form],
    policies: [{ name: 'api', onStoreError: 'local', variants: [[{ name: 'window', limit, by: 'subject' }]] }],
    network: { delayMs: [0.2, 1], slow: 0, slowMs: 0, breaks: 0, twice: 0 },
    lastsMs: SETTLES_MS + COUNTED_MS,
  };
}
