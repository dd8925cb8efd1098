import { describe, expect, it } from '@jest/globals';
import { mistakeText, readPolicyFile } from '@sluice/config';
import * as sluice from '@sluice/express';
import { type RateLimitOptions, unlimited } from '@sluice/express';
import type { HttpOptions } from '@sluice/http/options/options';
import { waitingPolicyOf } from '@sluice/http/waiting/max-wait';
import { transformSync } from 'esbuild';
import { codeOf } from '../model/code.js';
import { limitOf, namesOf, optionsOf } from '../model/policy.js';
import { policyFileOf } from '../model/policy-file.js';
import { DEFAULT_LIMIT, defaultState, type State } from '../model/state.js';
import { trafficOf } from '../model/traffic.js';
import { randomState } from './random-state.js';

const SEEDS = 150;

/** Runs the code, and returns the options that it gives to `rateLimit`. */
function optionsIn(code: string): RateLimitOptions {
  const given: RateLimitOptions[] = [];
  const modules: Readonly<Record<string, unknown>> = {
    express: () => ({ use: () => {} }),
    '@sluice/core/calendars': {},
    '@sluice/express': {
      ...sluice,
      loopDelay: () => ({ isCalm: true }),
      rateLimit: (options: RateLimitOptions) => void given.push(options),
    },
  };
  const { code: script } = transformSync(code, { loader: 'ts', format: 'cjs' });
  new Function('require', 'module', script)((name: string) => modules[name], {});
  return given[0] ?? { limit: unlimited() };
}

/** What the options say, as far as JSON has it. */
function policyOf(options: unknown) {
  const { policy, maxWaitMs } = waitingPolicyOf(options as HttpOptions<[]>);
  const items = policy.items.map(({ cost: _cost, ownsCost: _own, ...item }) => item);
  const { standardHeaders, legacyHeaders } = options as HttpOptions<[]>;
  const functions = [policy.priority, (options as HttpOptions<[]>).cost].map((one) => typeof one);
  return JSON.parse(JSON.stringify({ items, maxWaitMs, standardHeaders, legacyHeaders, functions }));
}

const played = (state: State) => optionsOf(state, trafficOf(state).clients, () => false);

describe('The code', () => {
  it('makes the policy that was played', () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const state = randomState(seed);
      const code = codeOf(state, trafficOf(state).clients);
      expect([seed, policyOf(optionsIn(code))]).toEqual([seed, policyOf(played(state))]);
    }
  });

  it('is short for what is usual', () => {
    expect(codeOf(defaultState(), trafficOf(defaultState()).clients)).toBe(`import express from 'express';
import { rateLimit } from '@sluice/express';

const app = express();
app.use(rateLimit({ limit: 20, window: '10s' }));
`);
  });
});

describe('The policy file', () => {
  it('has no mistakes, and the limits that were played', () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const state = randomState(seed);
      const text = policyFileOf(state, trafficOf(state).clients);
      const { file, mistakes = [] } = readPolicyFile(text);
      expect([seed, mistakes.map(mistakeText)]).toEqual([seed, []]);
      const names = namesOf(state.limits);
      for (const [i, { name, limit }] of (file?.policies.get('api')?.limits ?? []).entries()) {
        expect([seed, limit]).toEqual([seed, limitOf(state.limits[i] ?? { ...DEFAULT_LIMIT })]);
        if (names[i] !== undefined) expect(name).toBe(names[i]);
      }
      expect(file?.policies.get('api')?.limits).toHaveLength(state.limits.length);
    }
  });
});
