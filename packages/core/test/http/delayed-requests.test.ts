import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DelayedRequest, DelayedRequests } from '../../src/http/delayed-requests.js';
import { ManualClock } from '../../src/testing/manual-clock.js';

/** A room with places for requests, and those that wait in it. */
class Room {
  readonly clock = new ManualClock();
  readonly inside: string[][] = [];
  readonly #delayed: DelayedRequests;

  constructor(places: number) {
    this.#delayed = new DelayedRequests(this.clock, places);
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
    const room = new Room(100);
    for (let i = 0; i < 200; i += 1) expect(room.come(['attacker'])).toBe(i < 100 ? 'waits' : 'refused');
    for (let i = 0; i < 10; i += 1) expect(room.come([`victim-${i}`])).toBe('waits');
    expect([room.count('attacker'), room.inside.length]).toEqual([90, 100]);
    expect(room.come(['attacker'])).toBe('refused');
  });

  it('give way from the newest on', () => {
    const room = new Room(3);
    const all = [['a'], ['a'], ['a']];
    for (const keys of all) room.come(keys);
    room.come(['b']);
    expect(room.inside).toEqual([all[0], all[1], ['b']]);
    expect(room.inside[0]).toBe(all[0]);
  });

  it('are not helped by keys that a client invents beside its own', () => {
    const room = new Room(10);
    for (let i = 0; i < 20; i += 1) room.come(['everyone', 'address-1', `invented-${i}`]);
    for (let i = 0; i < 4; i += 1) expect(room.come(['everyone', 'address-2', 'key-2'])).toBe('waits');
    // More than the other's, although each of its keys is new.
    for (let i = 20; i < 40; i += 1) room.come(['everyone', 'address-1', `invented-${i}`]);
    expect([room.count('address-1'), room.count('address-2')]).toEqual([6, 4]);
  });

  it('have no place any more when their time is over', () => {
    const room = new Room(1);
    room.come(['a'], 1000);
    room.clock.advance(1001);
    room.inside.pop();
    expect(room.come(['b'])).toBe('waits');
  });

  it('always fill all places, and no key with fewer requests than another one is refused', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 60 }),
        (places, arrivals) => {
          const room = new Room(places);
          for (const [i, key] of arrivals.entries()) {
            const most = Math.max(0, ...room.inside.flat().map((other) => (other === key ? 0 : room.count(other))));
            const own = room.count(key);
            const mayWait = room.inside.length < places || most > own + 1;
            expect(room.come([key])).toBe(mayWait ? 'waits' : 'refused');
            expect(room.inside.length).toBe(Math.min(places, i + 1));
          }
        },
      ),
    );
  });
});
