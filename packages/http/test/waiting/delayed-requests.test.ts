import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/src/testing/manual-clock';
import fc from 'fast-check';
import { type DelayedRequest, DelayedRequests } from '../../src/waiting/delayed-requests.js';

/** A room with places for requests, and those that wait in it. */
class WaitingRoom {
  readonly clock = new ManualClock();
  readonly inside: string[][] = [];
  readonly #delayed: DelayedRequests;

  constructor(size: number) {
    this.#delayed = new DelayedRequests(this.clock, size);
  }

  come(keys: string[], delayMs = 1000): 'waits' | 'refused' {
    const request: DelayedRequest = {
      delayMs,
      keys,
      giveWay: () => void this.inside.splice(this.inside.indexOf(keys), 1),
    };
    if (!this.#delayed.add(request)) return 'refused';
    this.inside.push(keys);
    expect(this.#delayed.size).toBe(this.inside.length);
    return 'waits';
  }

  count(key: string): number {
    return this.inside.filter((keys) => keys.includes(key)).length;
  }
}

describe('The requests that wait', () => {
  it('leave a place for every key, however many requests one key has sent', () => {
    const waitingRoom = new WaitingRoom(100);
    for (let i = 0; i < 200; i += 1) expect(waitingRoom.come(['attacker'])).toBe(i < 100 ? 'waits' : 'refused');
    for (let i = 0; i < 10; i += 1) expect(waitingRoom.come([`victim-${i}`])).toBe('waits');
    expect([waitingRoom.count('attacker'), waitingRoom.inside.length]).toEqual([90, 100]);
    expect(waitingRoom.come(['attacker'])).toBe('refused');
  });

  it('give way from the newest on', () => {
    const waitingRoom = new WaitingRoom(3);
    const all = [['a'], ['a'], ['a']];
    for (const keys of all) waitingRoom.come(keys);
    waitingRoom.come(['b']);
    expect(waitingRoom.inside).toEqual([all[0], all[1], ['b']]);
    expect(waitingRoom.inside[0]).toBe(all[0]);
  });

  it('are not helped by keys that a client invents beside its own', () => {
    const waitingRoom = new WaitingRoom(10);
    for (let i = 0; i < 20; i += 1) waitingRoom.come(['everyone', 'address-1', `invented-${i}`]);
    for (let i = 0; i < 4; i += 1) expect(waitingRoom.come(['everyone', 'address-2', 'key-2'])).toBe('waits');
    // More than the other's, although each of its keys is new.
    for (let i = 20; i < 40; i += 1) waitingRoom.come(['everyone', 'address-1', `invented-${i}`]);
    expect([waitingRoom.count('address-1'), waitingRoom.count('address-2')]).toEqual([6, 4]);
  });

  it('have no place any more when their time is over', () => {
    const waitingRoom = new WaitingRoom(1);
    waitingRoom.come(['a'], 1000);
    waitingRoom.clock.advance(1001);
    waitingRoom.inside.pop();
    expect(waitingRoom.come(['b'])).toBe('waits');
  });

  it('always fill all places, and no key with fewer requests than another one is refused', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 60 }),
        (size, arrivals) => {
          const waitingRoom = new WaitingRoom(size);
          for (const [i, key] of arrivals.entries()) {
            const most = Math.max(
              0,
              ...waitingRoom.inside.flat().map((other) => (other === key ? 0 : waitingRoom.count(other))),
            );
            const own = waitingRoom.count(key);
            const mayWait = waitingRoom.inside.length < size || most > own + 1;
            expect(waitingRoom.come([key])).toBe(mayWait ? 'waits' : 'refused');
            expect(waitingRoom.inside.length).toBe(Math.min(size, i + 1));
          }
        },
      ),
    );
  });
});
