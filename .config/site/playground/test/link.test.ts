import { describe, expect, it } from '@jest/globals';
import { hashOf, stateOf } from '../model/link.js';
import { DEFAULT_CLIENT, defaultState } from '../model/state.js';
import { randomState } from './random-state.js';

describe('A link', () => {
  it('carries the state', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const state = randomState(seed);
      expect(stateOf(hashOf(state))).toEqual(state);
    }
  });

  it('is short for what is as usual, and has no log', () => {
    expect(hashOf({ ...defaultState(), log: 'secret' }).length).toBeLessThan(150);
    expect(stateOf(hashOf({ ...defaultState(), log: 'secret' }))).toEqual(defaultState());
  });

  it('may name clients in any way', () => {
    const state = { ...defaultState(), clients: [{ ...DEFAULT_CLIENT, name: `o'neil "&#%27` }] };
    expect(stateOf(hashOf(state))).toEqual(state);
  });

  it.each([
    '',
    '#',
    '#heading',
    '#{}',
    "#{'limits':[]}",
    "#{'limits':[null,5]}",
    "#{'limits':[{'algorithm':'x'}]}",
    '#%',
  ])('may be wrong: %j', (hash) => {
    const state = stateOf(hash);
    if (state) expect(state.limits.length).toBeGreaterThan(0);
  });

  it('takes no value of another type', () => {
    const state = stateOf(
      "#{'limits':[{'quota':'many','window':5,'constructor':1}],'span':61,'fields':'x','busyTo':null}",
    );
    expect(state?.limits).toEqual([defaultState().limits[0]]);
    expect(state?.span).toBe(60);
  });
});
