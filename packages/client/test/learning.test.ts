import { describe, expect, it } from '@jest/globals';
import { MemoryStore, slidingWindow } from '@sluice/core';
import { QueueClock } from '@sluice/test-kit/queue-clock';
import { runByClock } from '@sluice/test-kit/run-by-clock';
import { type LimitedFetchOptions, limitedFetch } from '../src/index.js';
import { type Scripted, ScriptedFetch } from './scripted-fetch.js';
import { StoreView } from './store-view.js';

const URL = 'http://server.example/';

/** An answer that states policies as `name;q=..;w=..`, and what is left of them as `name;r=..`. */
function stating(policies: string, left: string, status = 200): Scripted {
  return { status, headers: { 'ratelimit-policy': policies, ratelimit: left } };
}

const AZURE_DOES_NOT_KNOW: Scripted = {
  status: 200,
  headers: {
    'x-ratelimit-limit-requests': '0',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '60',
  },
};

function clientOf(answers: readonly Scripted[], options: LimitedFetchOptions = {}) {
  const clock = new QueueClock();
  const server = new ScriptedFetch(clock, ...answers);
  const store = new MemoryStore({ clock });
  const api = limitedFetch({ fetch: server.fetch, store, maxWait: 0, random: () => 0.5, ...options });
  return { clock, server, store, api };
}

/** Calls until the client itself refuses. Returns how many calls were sent, and how long to wait for the next one. */
async function callsUntilRefused(api: (url: string) => Promise<Response>): Promise<{ sent: number; waitMs: number }> {
  for (let sent = 0; ; sent += 1) {
    if (sent === 1000) throw new Error('nothing is refused');
    try {
      await api(URL);
    } catch (error) {
      return { sent, waitMs: (error as { retryAfterMs: number }).retryAfterMs };
    }
  }
}

describe('a client that learns', () => {
  it('keeps the limit that the first answer states, in a window that is a little longer', async () => {
    const { api } = clientOf([stating('"a";q=10;w=60', '"a";r=9')]);
    expect(await callsUntilRefused(api)).toEqual({ sent: 10, waitMs: 63_150 });
  });

  it('keeps every policy that is stated, with names and without', async () => {
    const minute = clientOf([stating('"a";q=10;w=60,"b";q=5;w=1', '"a";r=9,"b";r=4')]);
    expect(await callsUntilRefused(minute.api)).toEqual({ sent: 5, waitMs: 1100 });
    minute.clock.advance(1100);
    expect(await callsUntilRefused(minute.api)).toEqual({ sent: 5, waitMs: 63_150 - 1100 });
    const unnamed = clientOf([
      { status: 200, headers: { 'ratelimit-limit': '5, 5;w=1, 10;w=60', 'ratelimit-remaining': '4' } },
    ]);
    expect((await callsUntilRefused(unnamed.api)).sent).toBe(5);
    unnamed.clock.advance(1100);
    expect((await callsUntilRefused(unnamed.api)).sent).toBe(5);
  });

  it('lets one call go first where it knows nothing, and the others wait for its answer', async () => {
    const { api, server, clock } = clientOf([stating('"a";q=3;w=60', '"a";r=2')], { maxWait: '2s' });
    const ends = Array.from({ length: 10 }, () =>
      api(URL).then(
        ({ status }) => status,
        ({ code }) => code,
      ),
    );
    expect(await runByClock(clock, Promise.all(ends))).toEqual([200, 200, 200, ...Array(7).fill('SLUICE_REFUSED')]);
    expect(server.calls).toBe(3);
  });

  it('waits at most a second for a slow first answer', async () => {
    const clock = new QueueClock();
    const sentMs: number[] = [];
    const startMs = clock.now();
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      fetch: async () => {
        sentMs.push(clock.now() - startMs);
        await clock.sleep(20_000);
        return new Response('text');
      },
    });
    await runByClock(clock, Promise.all([api(URL), api(URL)]), 100);
    expect(sentMs).toEqual([0, 1000]);
  });

  it('counts what it has sent before it knew the limit, whatever the server says is left', async () => {
    const clock = new QueueClock();
    let calls = 0;
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      fetch: async () => {
        calls += 1;
        if (calls <= 3) await clock.sleep(5000);
        return new Response('fine', { headers: { 'ratelimit-policy': '"a";q=10;w=60', ratelimit: '"a";r=9' } });
      },
    });
    await runByClock(clock, Promise.all([api(URL), api(URL), api(URL)]), 100);
    expect((await callsUntilRefused((url) => api(url, { sluice: { maxWait: 0 } }))).sent).toBe(7);
  });

  it('lets another call go first if the first one is aborted', async () => {
    const clock = new QueueClock();
    let sent = 0;
    const api = limitedFetch({
      store: new MemoryStore({ clock }),
      maxWait: '5s',
      fetch: async (_input, init) => {
        sent += 1;
        await clock.sleep(300, init?.signal ?? undefined);
        return new Response('fine', { headers: { 'ratelimit-policy': '"a";q=3;w=60', ratelimit: '"a";r=2' } });
      },
    });
    const controller = new AbortController();
    const calls = [api(URL, { signal: controller.signal }), ...Array.from({ length: 20 }, () => api(URL))];
    void clock.untilSleeping(21).then(() => controller.abort());
    await runByClock(clock, Promise.allSettled(calls), 50);
    // The aborted one may have reached the server.
    expect(sent).toBeLessThanOrEqual(4);
  });

  it('lets the others go if the first call fails', async () => {
    const { api, server } = clientOf([new TypeError('fetch failed'), 200], { retry: false });
    const calls = await Promise.allSettled([api(URL), api(URL), api(URL)]);
    expect(calls.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(server.calls).toBe(3);
  });

  it('charges what others have used, and gives nothing back on the word of a server', async () => {
    const answers = [
      stating('"a";q=10;w=60', '"a";r=9'),
      stating('"a";q=10;w=60', '"a";r=3'),
      stating('"a";q=10;w=60', '"a";r=9'),
    ];
    const { api } = clientOf(answers);
    // Two are sent, three are left by the word of the server, and its later word changes nothing.
    expect((await callsUntilRefused(api)).sent).toBe(5);
  });

  it('keeps a smaller limit at once, and a larger one when the smaller one was not stated for a window', async () => {
    const [large, small] = [stating('"a";q=10;w=10', '"a";r=9'), stating('"a";q=5;w=10', '"a";r=4')];
    const { api, clock } = clientOf([large, small, large]);
    expect((await callsUntilRefused(api)).sent).toBe(5);
    clock.advance('11s');
    // The first answer of this window is the first word of the larger limit for more than a window.
    expect((await callsUntilRefused(api)).sent).toBe(10);
  });

  it('forgets a policy that is not stated any more', async () => {
    const other = stating('"b";q=100;w=60', '"b";r=99');
    const { api, clock } = clientOf([stating('"a";q=2;w=1', '"a";r=1'), other]);
    await api(URL);
    clock.advance('11m');
    await api(URL);
    expect((await callsUntilRefused(api)).sent).toBe(99);
  });

  it('knows up to eight policies, and ignores more', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `p${i}`);
    const answer = stating(
      names.map((name, i) => `"${name}";q=${i + 5};w=60`).join(),
      names.map((name) => `"${name}";r=4`).join(),
    );
    expect((await callsUntilRefused(clientOf([answer]).api)).sent).toBe(5);
  });

  it.each<[what: string, answer: Scripted]>([
    ['no fields', 200],
    ['a limit of nothing, without a time', { status: 200, headers: { 'x-ratelimit-limit': '0' } }],
    ['a limit of nothing by Azure, which does not know', AZURE_DOES_NOT_KNOW],
    ['negative numbers', stating('"a";q=-5;w=60', '"a";r=-1')],
    ['other units', stating('"a";q=5;w=60;qu="content-bytes"', '"a";r=1')],
    ['nonsense', { status: 200, headers: { 'ratelimit-policy': '((', ratelimit: '%%', 'x-ratelimit-limit': 'many' } }],
    [
      'an old answer',
      { status: 200, headers: { age: '30', 'ratelimit-policy': '"a";q=1;w=60', ratelimit: '"a";r=0' } },
    ],
  ])('is not limited by %s', async (_what, answer) => {
    const { api, server } = clientOf([answer]);
    await Promise.all(Array.from({ length: 50 }, () => api(URL)));
    expect(server.calls).toBe(50);
  });

  it.each<[what: string, answer: Scripted, waitMs: number]>([
    ['until its reset', stating('"a";q=0;w=60', '"a";r=0;t=20'), 20_000],
    ['for its window, if it states no reset', stating('"a";q=0;w=60', '"a";r=0'), 60_000],
    ['for an hour at most', stating('"a";q=0;w=31536000', '"a";r=0;t=31536000'), 3_600_000],
    [
      'in other words, too',
      { status: 200, headers: { 'x-ratelimit-limit': '0', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' } },
      30_000,
    ],
    ['beside a limit of something', stating('"a";q=0;w=60,"b";q=100;w=60', '"a";r=0;t=20,"b";r=99;t=60'), 20_000],
  ])('stops at a limit of 0 %s', async (_what, answer, waitMs) => {
    const { api, clock } = clientOf([answer, 200]);
    expect(await callsUntilRefused(api)).toEqual({ sent: 1, waitMs });
    clock.advance(waitMs);
    expect((await api(URL)).status).toBe(200);
  });

  it('takes the longest wait that a server has stated for its window, if it states none', async () => {
    const headers = (left: number, seconds: number): Scripted => ({
      status: 200,
      headers: { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': `${left}`, 'x-ratelimit-reset': `${seconds}` },
    });
    const { api } = clientOf([headers(4, 60), headers(3, 50), headers(2, 40), headers(1, 30), headers(1, 20)]);
    expect(await callsUntilRefused(api)).toEqual({ sent: 5, waitMs: 63_150 });
  });
});

describe('a limit of your own', () => {
  it('is kept beside the stated ones, and needs no first answer', async () => {
    const limit = slidingWindow({ limit: 3, window: '10s' });
    const { api, server } = clientOf([stating('"a";q=100;w=60', '"a";r=99')], { limit });
    const ends = await Promise.allSettled(Array.from({ length: 5 }, () => api(URL)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(server.calls).toBe(3);
    const stricter = clientOf([stating('"a";q=2;w=60', '"a";r=1')], { limit });
    expect(await callsUntilRefused(stricter.api)).toEqual({ sent: 2, waitMs: 63_150 });
  });
});

describe("pace: 'even'", () => {
  it('sends one call after the other, as far apart as the limit lasts', async () => {
    const { api, server, clock } = clientOf([stating('"a";q=10;w=10', '"a";r=9')], { pace: 'even', maxWait: '1m' });
    await runByClock(clock, Promise.all(Array.from({ length: 6 }, () => api(URL))));
    const pauses = server.arrivalsMs.slice(2).map((ms, i) => ms - (server.arrivalsMs[i + 1] as number));
    for (const ms of pauses) expect(Math.abs(ms - 1065)).toBeLessThanOrEqual(20);
  });

  it('goes by a limit of your own, too', async () => {
    const limit = slidingWindow({ limit: 10, window: '1s' });
    const { api, server, clock } = clientOf([200], { pace: 'even', limit, maxWait: '1m' });
    const startMs = clock.now();
    await runByClock(clock, Promise.all(Array.from({ length: 5 }, () => api(URL))));
    expect(server.arrivalsMs.map((ms) => Math.round((ms - startMs) / 100))).toEqual([0, 1, 2, 3, 4]);
  });
});

describe('a refusal although the client asked', () => {
  const policy = '"a";q=1;w=10';
  const fine = stating(policy, '"a";r=0');
  const refused = stating(policy, '"a";r=0', 429);
  /** The window of a key that nobody refuses: 10 s, a twentieth, and 150 ms. */
  const WINDOW_MS = 10_650;

  it('makes windows 5 % longer, and each quiet window 1 % shorter, to one step above the last refusal', async () => {
    const { api, clock } = clientOf([fine, refused, fine], { retry: false });
    await api(URL);
    clock.advance(WINDOW_MS);
    await api(URL);
    const waits: number[] = [];
    for (let i = 0; i < 8; i += 1) {
      const { sent, waitMs } = await callsUntilRefused(api);
      expect(sent).toBe(i === 0 ? 0 : 1);
      waits.push(Math.round((100 * waitMs) / WINDOW_MS));
      clock.advance(waitMs);
    }
    // The steps come back while the client waits, so the window ends a step earlier than it was said to.
    expect(waits.at(0)).toBe(105);
    expect(waits.at(-1)).toBe(101);
    expect([...waits].sort((a, b) => b - a)).toEqual(waits);
  });

  it('counts once in a window, because what was sent before it still counts at the server', async () => {
    const [burst, late] = [stating('"a";q=20;w=10', '"a";r=15'), stating('"a";q=20;w=10', '"a";r=15', 429)];
    const { api, clock } = clientOf([burst, late, late, burst], { retry: false });
    await api(URL);
    clock.advance(1000);
    expect((await api(URL)).status).toBe(429);
    clock.advance(1000);
    expect((await api(URL)).status).toBe(429);
    expect((await callsUntilRefused(api)).waitMs).toBe(Math.ceil(WINDOW_MS * 1.05) - 2000);
  });

  it('counts once for all that were sent before it, and for all processes', async () => {
    const clock = new QueueClock();
    const memory = new MemoryStore({ clock });
    const burst = stating('"a";q=20;w=10', '"a";r=15');
    const late = stating('"a";q=20;w=10', '"a";r=15', 429);
    const server = new ScriptedFetch(clock, burst, late, late, late, late, burst);
    const apis = Array.from({ length: 2 }, () =>
      limitedFetch({ store: new StoreView(memory, clock), fetch: server.fetch, retry: false, maxWait: 0 }),
    );
    const [one, other] = apis as [(typeof apis)[0], (typeof apis)[0]];
    await one(URL);
    expect((await Promise.all([one(URL), one(URL), one(URL), one(URL)])).map(({ status }) => status)).toEqual([
      429, 429, 429, 429,
    ]);
    await other(URL);
    const { waitMs } = await callsUntilRefused(other);
    expect(waitMs).toBe(Math.ceil(WINDOW_MS * 1.05));
  });
});
