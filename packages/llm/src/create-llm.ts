import { Answers } from './answer/answers.js';
import { policyOptions } from './answer/policy-options.js';
import { checkedOptions } from './checked-options.js';
import { degraded } from './fallback/degrade.js';
import type { Llm } from './llm.js';
import type { LlmOptions } from './llm-options.js';
import { planMeter } from './meter/plan-meter.js';
import { boundOfPlan } from './plan/bound.js';
import { ExpectedOutput } from './plan/expected-output.js';
import { PlanReader } from './plan/plan-limits.js';
import { PlanSource } from './plan/plan-source.js';
import { policyItems } from './plan/policy-items.js';
import { relaysOf } from './relay/relay.js';
import { CallReader } from './request/call-reader.js';
import { spendsOf } from './spend/spends.js';

/**
 * Makes the limits of a gateway for language models: requests, tokens and money, for each plan and model, decided in one step
 * before a call and corrected once after it.
 *
 * Spread `policy` into the options of any adapter. In the handler, `relay` sends the call and settles it; or use `meter`.
 *
 * @throws SluiceError `SLUICE_OPTION` if an option or a plan is wrong
 * @example
 * const llm = createLlm<[Request, Response]>({ call: (req) => req.body, plan: { rpm: 10, tpm: 10_000, perDay: usd('1') }, prices });
 * app.post('/v1/chat/completions', express.json(), rateLimit({ name: 'llm', keyGenerator: userOf, ...llm.policy }), (req, res) =>
 *   llm.relay({ req, res }, (body, signal) => fetch(UPSTREAM, { method: 'POST', headers, body, signal })));
 */
export function createLlm<A extends readonly unknown[]>(options: LlmOptions<A>): Llm<A> {
  const checked = checkedOptions(options);
  const { prices } = checked;
  const reader = new PlanReader(checked.timeZone, prices);
  const plans = new PlanSource(options, reader, checked.maxHoldMs);
  const limits = new Map(plans.limits.map((limit) => [limit.name, limit]));
  const answers = new Answers({ ...checked, limits });
  const learned = new ExpectedOutput();
  const { meter, background, settling } = planMeter({ options: checked, limits, held: plans.held, learned });
  const source = new CallReader<A>({
    bodyOf: options.call,
    read: options.read,
    batchFile: options.batchFile,
    options: checked,
    plans,
    learned,
    settling,
    refusing: (error, format) => answers.refusing(error, format),
  });
  const { calls } = source;
  const { view, spend, usage } = spendsOf({ options, reader, plans }, checked.timeZone);

  const relays = relaysOf(
    {
      providerOf: checked.providerOf,
      admitted: (request) => calls.admitted(request),
      meter: ({ reservation, call }, onEnd) => meter(reservation, call, onEnd),
    },
    background,
  );

  return {
    policy: {
      limits: policyItems({ plans, calls: source, view }),
      ...policyOptions<A>(answers, checked.errors, calls),
    },
    callOf: (request) => calls.admitted(request),
    meter: (reservation, call) => meter(reservation, call),
    ...relays,
    degrade: (models) => degraded<A>(models, { prices, limits, current: (...args) => calls.of(args[0]) }),
    spend,
    usage,
    boundOf: (plan, window, range) => boundOfPlan(reader.read(plan, 'plan'), window, checked.hold, range),
  };
}
