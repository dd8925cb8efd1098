import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { createEnforcer, ipKey } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/src/testing/manual-clock';
import { hash } from '@sluice/core/values';

const host = { requestOf: (request: { ip: string }) => request, proxyTrust: () => 'none' as const };

describe('The handle of a policy', () => {
  it('blocks, unblocks, inspects and lists keys', async () => {
    const clock = new ManualClock();
    const store = new MemoryStore({ clock });
    const policy = createEnforcer({ limit: 5, window: '1m', store }, host as never);
    const key = ipKey('203.0.113.7');
    await policy.block(key, '1h', { reason: 'scraping' });
    const block = { untilMs: clock.now() + 3_600_000, by: 'admin', strikes: 0, reason: 'scraping' };
    expect(await policy.inspect(key)).toMatchObject({ block, verdicts: [{ allowed: false, blocked: true }] });
    expect(await policy.blocked()).toEqual({ entries: [{ key: expect.any(String), ...block }] });
    expect(await policy.unblock(key)).toBe(true);
    expect(await policy.blocked()).toEqual({ entries: [] });
    await policy.block('ann', 'forever');
    expect((await policy.blocked()).entries[0]?.key).toBe(hash('ann'));
    store.close();
  });

  it('rejects wrong arguments', async () => {
    const policy = createEnforcer({ limit: 5, window: '1m' }, host as never);
    await expect(policy.block('ann', 'soon' as never)).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'time' });
    await expect(policy.blocked({ limit: 0 })).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'limit' });
    await expect(policy.unblock(undefined as never)).rejects.toMatchObject({ code: 'SLUICE_KEY' });
  });
});
