import { describe, expect, it } from '@jest/globals';
import { FAILED_TAPES, KNOWN_DEFECTS, readFailedTapes, readKnownDefects } from '../../src/search/known-defects.js';
import { wrongInTape } from '../../src/tape/check-tape.js';
import type { Setup, Step } from '../../src/tape/tape.js';
import { CALM, limitOf, tapeOf } from '../search/tapes.js';

const consume: Step = { atMs: 0, call: 'consume', process: 0, policy: 0, subject: 0, cost: 1 };
const reserve: Step = { ...consume, call: 'reserve', as: 1 };

/** Steps as somebody may write them by hand. */
const withSteps = (steps: readonly object[], setup: Partial<Setup> = {}): unknown => ({ ...tapeOf([], setup), steps });

describe('wrongInTape', () => {
  it('finds nothing in the tapes of known defects', () => {
    const entries = [...readKnownDefects(KNOWN_DEFECTS), ...readFailedTapes(FAILED_TAPES)];
    expect(entries.flatMap(({ name, tape }) => wrongInTape(tape).map((what) => `${name}: ${what}`))).toEqual([]);
  });

  it.each<[string, readonly object[], string]>([
    ['a call that does not exist', [{ ...consume, call: 'spend' }], 'Step 0: there is no call spend'],
    ['a call that every object has', [{ ...consume, call: 'toString' }], 'Step 0: there is no call toString'],
    ['a fault that does not exist', [{ atMs: 0, fault: 'fire', server: 0 }], 'Step 0: there is no fault fire'],
    ['a member that is missing', [{ ...consume, cost: undefined }], 'Step 0: consume needs cost'],
    ['a member that is misspelt', [{ ...consume, rememberFor: 5 }], 'Step 0: consume has no rememberFor'],
    ['a time that is text', [{ ...consume, atMs: '5' }], 'Step 0: atMs of consume has a wrong value'],
    ['a time below 0', [{ ...consume, atMs: -1 }], 'Step 0: atMs of consume has a wrong value'],
    ['a word that does not exist', [{ ...reserve, onExpiry: 'drop' }], 'Step 0: onExpiry of reserve has a wrong value'],
    ['a step that is no object', [[]], 'Step 0: it is no object'],
    ['a process that does not exist', [{ ...consume, process: 1 }], 'Step 0: there is no process 1'],
    ['a policy that does not exist', [{ ...consume, policy: 3 }], 'Step 0: there is no policy 3'],
    ['a server that does not exist', [{ atMs: 0, fault: 'flush', server: 0 }], 'Step 0: there is no server 0'],
    [
      'a variant that does not exist',
      [{ atMs: 0, call: 'replace', process: 0, policy: 0, variant: 1 }],
      'Step 0: the policy has no variant 1',
    ],
    [
      'a reservation that nobody makes',
      [{ atMs: 0, call: 'cancel', of: 1 }, reserve],
      'Step 0: no step before it makes the reservation 1',
    ],
    ['a name that is used twice', [reserve, reserve], 'Step 1: another step has the name 1'],
    ['steps out of order', [{ ...consume, atMs: 2 }, consume], 'Step 1: it is earlier than the one before it'],
    ['a step that is never reached', [{ ...consume, atMs: 1e308 }], 'Step 0: it is more than a week long'],
    ['a call without an end', [{ ...consume, times: 1e9 }], 'Step 0: it may happen 10000 times at most'],
    ['half a unit', [{ ...consume, cost: 0.5 }], 'Step 0: a cost must be a whole number'],
  ])('finds %s', (_, steps, what) => {
    expect(wrongInTape(withSteps(steps))).toEqual([what]);
  });

  it('finds what the set-up needs and does not have', () => {
    const store = { kind: 'redis', server: 0, timeoutMs: 50, instances: 1 } as const;
    expect(wrongInTape(withSteps([], { store }))).toEqual(['The store needs a server 0.']);
    expect(wrongInTape(withSteps([], { processes: [] }))).toEqual(['There is no process.']);
    const servers = [{ kind: 'redis', clockAheadMs: 0 }] as const;
    const twice = { kind: 'sharded', nodes: [store, store] } as const;
    expect(wrongInTape(withSteps([], { servers, store: twice }))).toEqual(['Two stores are on one server.']);
    const variants = [[limitOf()], [limitOf({ name: 'b' })]];
    const policies = [{ name: 'p0', onStoreError: 'local', variants }] as const;
    expect(wrongInTape(withSteps([], { policies }))).toEqual(['The variants of p0 have limits with other names.']);
  });

  const redis = { kind: 'redis', server: 0, timeoutMs: 50, instances: 1 };
  const servers = [{ kind: 'redis', clockAheadMs: 0 }];
  const deep = Array.from({ length: 20_000 }).reduce<object>((of) => ({ kind: 'leased', of, leaseMs: 1 }), redis);
  it.each<[string, object, string]>([
    [
      'NaN, which JSON writes as null',
      { processes: [{ clockAheadMs: null }] },
      'clockAheadMs of Process 0 has a wrong value.',
    ],
    ['a process that is none', { processes: [null] }, 'Process 0 is no object.'],
    ['a store that does not exist', { store: { kind: 'toString' } }, 'There is no store of the kind toString.'],
    ['a store in front of none', { store: { kind: 'leased', leaseMs: 5 } }, 'The store needs of.'],
    ['a store without nodes', { store: { kind: 'sharded', nodes: [] } }, 'nodes of The store has a wrong value.'],
    ['a store that is nested for ever', { servers, store: deep }, 'Stores are nested more than 8 times.'],
    [
      'a store on a server of another kind',
      { servers, store: { ...redis, kind: 'table' } },
      'The store on server 0 is of the kind table, and the server is not.',
    ],
    ['a network without delays', { network: { ...CALM, delayMs: undefined } }, 'The network needs delayMs.'],
    ['a run without an end', { lastsMs: 1e308 }, 'lastsMs must be a time of at most a week.'],
    [
      'a policy without variants',
      { policies: [{ name: 'p0', onStoreError: 'local', variants: [] }] },
      'variants of Policy 0 has a wrong value.',
    ],
    [
      'a variant without limits',
      { policies: [{ name: 'p0', onStoreError: 'local', variants: [[]] }] },
      'There is no limit in variant 0 of policy 0.',
    ],
  ])('finds %s in the set-up', (_, setup, what) => {
    expect(wrongInTape(withSteps([], setup))).toEqual([what]);
  });

  it.each([[undefined], [null], [[]], ['tape'], [{}], [{ ...tapeOf([]), version: 2 }], [{ ...tapeOf([]), steps: {} }]])(
    'says that %j is no tape',
    (value) => {
      expect(wrongInTape(value)).toEqual(['It is no tape: it needs version 1, chance, setup and steps.']);
    },
  );
});
