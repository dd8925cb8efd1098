import { describe, expect, it } from '@jest/globals';
import { failureOf, type Play } from '../../src/search/failure.js';
import type { KnownDefect } from '../../src/search/known-defects.js';
import type { Step, Tape } from '../../src/tape/tape.js';
import { tapeOf } from './tapes.js';

const consume: Step = { atMs: 0, call: 'consume', process: 0, policy: 0, subject: 0, cost: 1 };
const block: Step = { atMs: 0, call: 'block', process: 0, policy: 0, subject: 0, forMs: 5 };
const has = ({ steps }: Tape, call: string): boolean => steps.some((step) => 'call' in step && step.call === call);

/** A fleet that breaks this invariant as the function says; undefined: not at all. */
const playWith =
  (invariant: string, says: (tape: Tape) => string | undefined): Play =>
  async (tape) => {
    const text = says(tape);
    const violation = text === undefined ? undefined : { invariant, atMs: 0, calls: [], says: text };
    return { violation, events: 1, calls: 1, history: '' };
  };

const failed = async (play: Play, tape: Tape, options: Partial<Parameters<typeof failureOf>[3]> = {}) => {
  const { violation } = await play(tape);
  if (!violation) throw new Error('The tape has to fail');
  return failureOf(play, tape, violation, { shrinkMs: 60_000, ...options });
};

describe('failureOf', () => {
  it.each(['crash', 'can-be-played'])('shrinks no error into another one: %s', async (invariant) => {
    const play = playWith(invariant, (tape) =>
      has(tape, 'block') ? `no block at ${tape.steps.length} ms` : has(tape, 'consume') ? 'no consume' : undefined,
    );
    const { tape, whole } = await failed(play, tapeOf([consume, block, consume]));
    expect(tape.steps).toEqual([{ ...block, forMs: expect.any(Number) }]);
    expect(whole.steps).toHaveLength(3);
  });

  it('names a defect by all that its failure needs, and not by what is left half-way', async () => {
    const play = playWith('bound', (tape) => (has(tape, 'consume') ? 'Too much.' : undefined));
    const entry = (name: string, needs: readonly string[]): KnownDefect => {
      const any = { allows: ['*'] };
      const matches = { stores: any, algorithms: any, faults: any, features: any, calls: { needs } };
      return { name, what: 'Too much.', invariant: 'bound', tape: tapeOf([consume]), matches };
    };
    const known = [entry('both', ['block', 'consume']), entry('consume', ['consume'])];
    const tape = tapeOf([block, consume, consume, consume]);
    expect((await failed(play, tape, { known })).defect).toBe('consume');
    // What was met before may end the shrinking early.
    expect((await failed(play, tape, { known, met: ['both'] })).defect).toBe('both');
    expect((await failed(play, tape, { known: [] })).defect).toBeUndefined();
  });

  it('is never a known defect if the simulator itself fails', async () => {
    const play = playWith('can-be-played', () => 'the fleet has sunk');
    const known = [{ name: 'sunk', what: 'It sinks.', invariant: 'can-be-played', tape: tapeOf([]) }];
    expect((await failed(play, tapeOf([consume]), { known })).defect).toBeUndefined();
  });

  it('keeps a failure whose story cannot be told', async () => {
    const play: Play = async (tape, watch) => {
      watch?.({ kind: 'call', call: 0, atMs: 0, process: 0 } as never);
      return playWith('bound', () => 'Too much.')(tape);
    };
    const { says, story } = await failed(play, tapeOf([consume]));
    expect(says).toBe('Too much.');
    expect(story).toMatch(/^Too much\.\nThe story cannot be told: /);
  });
});
