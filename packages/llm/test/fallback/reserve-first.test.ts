import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it } from '@jest/globals';
import { createLlm, type LlmPlan, reserveFirst, usd } from '../../src/index.js';
import { costsOf, type Job, limited, PRICES, usedOf } from '../limited.js';

const MODELS = ['gpt-5.6', 'gpt-5.6-mini'];

describe('reserveFirst', () => {
  it('reserves the first model that fits, under its own price, and spends nothing for others', async () => {
    const { limiter, job } = limited({ plan: { rpm: 10, perDay: 2_000 } });
    const call = job({ max_tokens: 1_000 });
    const { model, isDegraded, reservation } = await reserveFirst(limiter, MODELS, call);
    expect([model, isDegraded, reservation.allowed]).toEqual(['gpt-5.6-mini', true, true]);
    expect(costsOf(reservation).perDay).toBeLessThan(1_100);
    expect(usedOf(await limiter.peek(call))).toEqual({ rpm: 1, perDay: costsOf(reservation).perDay });
  });

  it('reserves under the limits of the model', async () => {
    const plan: LlmPlan = { models: { 'gpt-5.6': { rpm: 1 }, 'gpt-5.6-mini': { rpm: 2 } } };
    const { limiter, job } = limited({ plan });
    const models: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      const { model, reservation } = await reserveFirst(limiter, MODELS, job());
      models.push(reservation.allowed ? model : 'none');
    }
    expect(models).toEqual(['gpt-5.6', 'gpt-5.6-mini', 'gpt-5.6-mini', 'none']);
  });

  it('resolves with the refusal of the first model if none fits', async () => {
    const { limiter, job } = limited({ plan: { tpm: 100 } });
    const { model, isDegraded, reservation } = await reserveFirst(limiter, MODELS, job({ max_tokens: 500 }));
    expect([model, isDegraded, reservation.allowed]).toEqual(['gpt-5.6', false, false]);
    expect(usedOf(await limiter.peek(job())).tpm).toBe(0);
  });

  it('refuses a paid fallback of a free model if the budget is used up', async () => {
    const { limiter, job, reserve } = limited({ plan: { perDay: usd('0.01'), models: { free: { rpm: 1 } } } });
    expect((await reserve({ max_tokens: 999 })).allowed).toBe(true);
    const first = await reserveFirst(limiter, ['free', 'gpt-5.6'], job({ max_tokens: 5 }));
    expect([first.model, first.reservation.allowed]).toEqual(['free', true]);
    const second = await reserveFirst(limiter, ['free', 'gpt-5.6'], job({ max_tokens: 5 }));
    expect(second.reservation.allowed).toBe(false);
  });

  it('leaves the next decision about the same object its own model', async () => {
    const { limiter, job } = limited({ plan: { perDay: usd('1') } });
    const call = job({ max_tokens: 100 });
    const { reservation } = await reserveFirst(limiter, ['gpt-5.6-mini'], call);
    const own = await limiter.reserve(call);
    expect(costsOf(own).perDay).toBeGreaterThan(5 * (costsOf(reservation).perDay as number));
  });

  it('reports the model that was reserved instead', async () => {
    const events: unknown[] = [];
    const listen = (event: unknown) => void events.push(event);
    subscribe('sluice:llm-degraded', listen);
    const { limiter, job } = limited({ plan: { perDay: 2_000 } });
    await reserveFirst(limiter, MODELS, job({ max_tokens: 1_000 }));
    await reserveFirst(limiter, MODELS, job({ max_tokens: 5 }));
    unsubscribe('sluice:llm-degraded', listen);
    expect(events).toEqual([{ policy: 'llm', from: 'gpt-5.6', to: 'gpt-5.6-mini' }]);
  });

  it('rejects with the name of a model that has no price, and spends nothing', async () => {
    const { limiter, job } = limited({ plan: { rpm: 5 } });
    await expect(reserveFirst(limiter, ['gpt-9'], job())).rejects.toMatchObject({ code: 'SLUICE_LLM_CALL' });
    expect(usedOf(await limiter.peek(job())).rpm).toBe(0);
  });

  it.each([[[]], ['gpt-5.6'], [['']], [[5]], [Array.from({ length: 17 }, () => 'free')]])(
    'refuses the models %j',
    async (models) => {
      const { limiter, job } = limited({});
      const attempt = reserveFirst(limiter, models as string[], job());
      await expect(attempt).rejects.toMatchObject({ code: 'SLUICE_OPTION' });
    },
  );
});

it('refuses a call that is no object', async () => {
  const { limiter } = limited({});
  await expect(reserveFirst(limiter, MODELS, 'ann' as never)).rejects.toMatchObject({ path: 'call' });
});

it('refuses a fallback to a model without a price when it is made', () => {
  const llm = createLlm<[Job]>({ call: ({ body }) => body, plan: {}, prices: PRICES });
  expect(() => llm.degrade(['gpt-9'])).toThrow('models[0] must be a model with a price');
  expect(() => llm.degrade([])).toThrow('models must be a list of 1 to 16');
});
