import { tierOf } from '@sluice/config';
import { SluiceError, type Verdict } from '@sluice/core';
import { HttpRefusal } from '@sluice/core/http';
import * as v from 'valibot';
import { InputProblem } from '../../http/input-problem.js';
import { exactObject, must } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { givenKey } from '../keys/given-key.js';
import { policyName } from './fields.js';
import { namedKey } from './named-key.js';
import { shownBlock } from './shown-block.js';

/** The verdicts of the limits about a key, or the reason why the policy refuses it without asking them. */
interface Peeked {
  readonly verdicts: readonly Verdict[];
  readonly refused?: { readonly status: number; readonly detail: string };
  /** Why there are no verdicts. */
  readonly note?: string;
}

export const inspect = adminVerb({
  name: 'inspect',
  summary: 'Shows what each limit says about a key now, without spending anything, and its block.',
  access: 'read',
  schema: exactObject({
    policy: policyName,
    key: v.exactOptional(givenKey),
    tier: v.exactOptional(
      v.pipe(v.string(must('be the name of a tier')), v.description('The tier, if the policy takes it from code.')),
    ),
  }),
  async run(run) {
    const { input } = run;
    const { rule, handle, key, hash, limits, call } = namedKey(run);
    if (input.tier !== undefined && rule.tier?.from !== 'code') {
      throw new InputProblem(400, [
        { pointer: '/tier', detail: 'must be absent: the policy does not take it from code' },
      ]);
    }
    const { block } = await handle.inspect(key, { verdicts: false });
    const { verdicts, ...peeked } = call
      ? await peekedAt(handle.peek({ ...call, ...(input.tier !== undefined && { tier: input.tier }) }))
      : await peekedAt(handle.peek(key));
    const own = verdicts.filter(({ name }) => limits.some((limit) => name === limit || name.startsWith(`${limit}:`)));
    return {
      policy: input.policy,
      key: hash,
      ...(block && { block: shownBlock(block) }),
      ...peeked,
      limits: own.map(shownVerdict),
    };
  },
});

/** In place of the largest number there is. */
const UNLIMITED = 'unlimited';

async function peekedAt(peek: Promise<{ readonly verdicts: readonly Verdict[] }>): Promise<Peeked> {
  try {
    return { verdicts: (await peek).verdicts };
  } catch (error) {
    if (error instanceof HttpRefusal) {
      return { verdicts: [], refused: { status: error.refusal.status, detail: error.message } };
    }
    if (error instanceof SluiceError && error.code === 'SLUICE_UNSUPPORTED') {
      return { verdicts: [], note: 'The limits depend on who it is: give the key itself to see them, not its hash.' };
    }
    throw error;
  }
}

function shownVerdict({ name, limit, allowed, remaining, used, resetAfterMs, retryAfterMs, shadow, blocked }: Verdict) {
  const tier = tierOf(limit);
  const isUnlimited = limit.algorithm === 'unlimited';
  return {
    limit: name,
    ...(tier !== undefined && { tier }),
    quota: isUnlimited ? UNLIMITED : limit.quota,
    allowed,
    remaining: isUnlimited ? UNLIMITED : remaining,
    used,
    resetAfterMs,
    retryAfterMs,
    ...(shadow && { shadow: true }),
    ...(blocked && { blocked }),
  };
}
