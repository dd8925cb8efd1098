import { concurrency, type Decision, slidingWindow, tokenBucket } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterOptions, AdapterTools } from './adapter-app.js';
import { OK, type Rules } from './adapter-fixture.js';
import { headerReader } from './header-reader.js';

const BUCKET = tokenBucket({ name: 'bucket', capacity: 1, refillRate: 1 });
const MINUTE = slidingWindow({ name: 'minute', limit: 9, window: '1m' });

/** Policies, and the paths of the requests that have come to the first of them. */
function noting(first: AdapterOptions, ...others: readonly AdapterOptions[]) {
  const come = new Set<string | undefined>();
  const policies = (tools: AdapterTools): readonly AdapterOptions[] => [
    {
      ...first,
      skip: (...args) => {
        come.add(tools.requestOf(args).url);
        return false;
      },
    },
    ...others,
  ];
  return { come, policies };
}

/** With `maxWait`, refused requests wait for their turn. */
export const maxWaitRules: Rules = {
  'wait for their turn in the order in which they came, and are no refusals': async (fixture) => {
    const observed: boolean[] = [];
    const listen = (...args: readonly unknown[]): void => {
      observed.push((args.at(-1) as Decision).allowed);
    };
    const { come, policies } = noting({ limit: BUCKET, maxWait: '2s', onDecision: listen, onLimitReached: listen });
    await fixture.serve(policies);
    assert.equal((await fixture.get('/0')).status, 200);
    const first = fixture.get('/1');
    await fixture.until('the first has come', () => come.has('/1'));
    const second = fixture.get('/2');
    await fixture.until('the second has come', () => come.has('/2'));
    await fixture.clock.untilSleeping(1);
    for (const handled of [2, 3]) {
      fixture.clock.advance(999);
      assert.equal(fixture.handled.length, handled - 1);
      fixture.clock.advance(1);
      await fixture.until('a turn', () => fixture.handled.length === handled);
    }
    for (const { status, headers } of [await first, await second]) {
      // The fields show the state at the admission.
      assert.deepEqual([status, headers.ratelimit, headers['retry-after']], [200, '"bucket";r=0;t=1', undefined]);
    }
    assert.deepEqual(
      fixture.handled.map(({ path }) => path),
      ['/0', '/1', '/2'],
    );
    assert.deepEqual(observed, [true, true, true]);
  },

  'are refused at once if their turn would come later': async (fixture) => {
    let refused = 0;
    const onLimitReached = (): void => {
      refused += 1;
    };
    await fixture.serve([{ limit: BUCKET, maxWait: 999, onLimitReached }]);
    assert.equal((await fixture.get()).status, 200);
    const { status, headers } = await fixture.get();
    assert.deepEqual([status, headers['retry-after'], refused], [429, '1', 1]);
  },

  'are refused as soon as it is certain that those before them take too long': async (fixture) => {
    const { come, policies } = noting({ limit: BUCKET, maxWait: '1500ms' });
    await fixture.serve(policies);
    assert.equal((await fixture.get('/0')).status, 200);
    const waiting = [];
    for (const path of ['/1', '/2']) {
      waiting.push(fixture.get(path));
      await fixture.until('it has come', () => come.has(path));
    }
    await fixture.clock.untilSleeping(1);
    fixture.clock.advance('1s');
    const [first, second] = await Promise.all(waiting);
    assert.equal(first?.status, 200);
    assert.deepEqual([second?.status, second?.headers['retry-after']], [429, '1']);
    assert.equal(fixture.handled.length, 2);
  },

  'do not run the handler if their client has left, and let the next one go on': async (fixture) => {
    const { come, policies } = noting(
      { name: 'outer', limit: MINUTE },
      { name: 'inner', limit: BUCKET, maxWait: '1m' },
    );
    await fixture.serve(policies);
    assert.equal((await fixture.get('/0')).status, 200);
    const left = (): Promise<number> => fixture.left(MINUTE, 'minute', 'outer');
    const leaving = fixture.begin('/left');
    await fixture.clock.untilSleeping(1);
    const next = fixture.begin('/next');
    await fixture.until('the next has come', () => come.has('/next'));
    await fixture.until('both are charged', async () => (await left()) === 6);
    leaving.leave();
    await fixture.until('the charge of the outer policy is back', async () => (await left()) === 7);
    fixture.clock.advance('1s');
    assert.equal((await next.answer).status, 200);
    assert.deepEqual(
      fixture.handled.map(({ path }) => path),
      ['/0', '/next'],
    );
  },

  'are bounded together with those that slowDown delays: one too many gets 503': async (fixture) => {
    let refused = 0;
    const { come, policies } = noting({
      limits: [BUCKET, { limit: MINUTE, slowDown: { after: 0, by: '5s', upTo: '5s' } }],
      maxWait: '10s',
      waiting: 2,
      onLimitReached: () => {
        refused += 1;
      },
    });
    await fixture.serve(policies);
    const delayed = fixture.get('/delayed');
    await fixture.clock.untilSleeping(1);
    const waiting = fixture.get('/waiting');
    await fixture.until('it has come', () => come.has('/waiting'));
    await fixture.clock.untilSleeping(2);
    for (const left of [8, 7]) {
      const { status, headers } = await fixture.get('/too-many');
      assert.deepEqual([status, headers['retry-after'], headers.ratelimit], [503, '1', undefined]);
      assert.equal(await fixture.left(MINUTE, 'minute'), left);
      fixture.clock.advance('1s');
      await fixture.until('the other is admitted', async () => (await fixture.left(MINUTE, 'minute')) === 7);
    }
    fixture.clock.advance('5s');
    assert.deepEqual([(await delayed).status, (await waiting).status, refused], [200, 200, 0]);
  },

  'give way to a key with fewer requests, if one key has filled all places': async (fixture) => {
    const come = new Set<string | undefined>();
    await fixture.serve((tools) => [
      {
        limit: BUCKET,
        maxWait: '1m',
        waiting: 4,
        keyGenerator: headerReader(tools)('x-client'),
        skip: (...args) => {
          come.add(tools.requestOf(args).url);
          return false;
        },
      },
    ]);
    const as = (client: string) => ({ 'x-client': client });
    for (const client of ['attacker', 'victim']) assert.equal((await fixture.get('/', as(client))).status, 200);
    const attacks = [];
    for (let i = 0; i < 4; i += 1) {
      attacks.push(fixture.get(`/attack-${i}`, as('attacker')));
      await fixture.until('the attack has come', () => come.has(`/attack-${i}`));
    }
    await fixture.clock.untilSleeping(1);
    // The room is full, and the key with most requests in it gets no further place.
    assert.equal((await fixture.get('/attack-4', as('attacker'))).status, 503);
    const victim = fixture.get('/victim', as('victim'));
    const given = await (attacks.at(-1) as (typeof attacks)[0]);
    assert.deepEqual([given.status, given.headers['retry-after'], given.headers.ratelimit], [503, '1', undefined]);
    fixture.clock.advance('1s');
    assert.equal((await victim).status, 200);
    assert.equal((await (attacks[0] as (typeof attacks)[0])).status, 200);
    for (let i = 1; i < 3; i += 1) {
      await fixture.clock.untilSleeping(1);
      fixture.clock.advance('1s');
      assert.equal((await (attacks[i] as (typeof attacks)[0])).status, 200);
    }
  },

  'take a slot as soon as it is free': async (fixture) => {
    const ends: (() => void)[] = [];
    const slots = concurrency({ name: 'slots', limit: 1, lease: '30s' });
    await fixture.serve([{ limit: slots, maxWait: '10s' }], async () => {
      await new Promise<void>((end) => ends.push(end));
      return OK;
    });
    const first = fixture.get();
    await fixture.until('the first runs', () => ends.length === 1);
    const second = fixture.get();
    // The renewal of the slot, and the line.
    await fixture.clock.untilSleeping(2);
    ends[0]?.();
    assert.equal((await first).status, 200);
    await fixture.until('the second runs', () => ends.length === 2);
    ends[1]?.();
    assert.equal((await second).status, 200);
  },

  'do not wait for limits that are not enforced, nor for a store that failed': async (fixture) => {
    await fixture.serve([
      { name: 'shadow', limit: BUCKET, enforce: 0, maxWait: '1m' },
      { name: 'marked', limit: BUCKET, enforce: 'mark', maxWait: '1m' },
      { name: 'strict', limit: MINUTE, onStoreError: 'deny', maxWait: '1m' },
    ]);
    assert.deepEqual(await fixture.statuses(3), [200, 200, 200]);
    fixture.store.failure = new Error('gone');
    const { status, headers } = await fixture.get();
    assert.deepEqual([status, headers['retry-after']], [503, '1']);
  },
};
