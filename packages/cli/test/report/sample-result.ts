import type { ReplayResult } from '../../src/replay/replay-result.js';

const START_MS = Date.UTC(2026, 10, 20, 8);
const STEP_MS = 300_000;

/** Everything that a result can have, with texts that want to be markup. */
export function sampleResult(hostile = '<img src=x onerror=alert(1)>'): ReplayResult {
  const timeline = Array.from({ length: 144 }, (_, i) => {
    const requests = Math.round(1200 + 800 * Math.sin((i - 30) / 23));
    const refused = i > 60 && i < 78 ? Math.round(requests * 0.31) : Math.round(requests * 0.004);
    return { atMs: START_MS + i * STEP_MS, requests, refused, refusedAgainst: Math.round(refused * 0.4) };
  });
  const sum = (of: (point: (typeof timeline)[number]) => number): number =>
    timeline.reduce((all, point) => all + of(point), 0);
  const seen = sum(({ requests }) => requests);
  const refused = sum((point) => point.refused);
  return {
    version: 1,
    logs: ['access.log', `other${hostile}.log.gz`],
    policyFile: 'sluice.yaml',
    against: 'old.yaml',
    lines: {
      read: seen + 37,
      unparsed: 2,
      firstUnparsed: [
        { log: 'access.log', line: 4, text: '\u0016\u0003\u0001\u0000' },
        { log: 'access.log', line: 977, text: `"${hostile}` },
      ],
      notReached: 21,
      outside: 11,
      late: 3,
      misplaced: 2,
    },
    logFormat: 'combined',
    fromMs: START_MS + 113,
    toMs: START_MS + 144 * STEP_MS - 991,
    resolutionMs: 1000,
    requests: { seen, refused, refusedRange: [refused, refused + 212] },
    unmatched: 1204,
    clients: { seen: 8123, refused: 12 },
    refusedAnswers: { well: Math.round(refused * 0.9), withError: refused - Math.round(refused * 0.9) },
    worstMinute: { atMs: START_MS + 66 * STEP_MS, requests: 402, refused: 131 },
    policies: [
      {
        policy: 'api',
        requests: { seen: seen - 1204, refused: refused - 40, refusedRange: [refused - 40, refused + 150] },
        keys: { seen: 8001, refused: 10 },
        senders: 6,
        isForAll: false,
        limits: [
          { limit: 'minute', tier: 'free', refused: refused - 200, wouldRefuse: 0, keysRefused: 9 },
          { limit: 'minute', tier: 'pro', refused: 154, wouldRefuse: 0, keysRefused: 1 },
          { limit: `burst${hostile}`, tier: '', refused: 0, wouldRefuse: 77, keysRefused: 4 },
        ],
      },
      {
        policy: 'login',
        requests: { seen: 902, refused: 40, refusedRange: undefined },
        keys: { seen: 122, refused: 2 },
        senders: 0,
        isForAll: true,
        limits: [{ limit: 'per-1m', tier: '', refused: 40, wouldRefuse: 0, keysRefused: 2 }],
      },
    ],
    timelineStepMs: STEP_MS,
    timeline,
    topKeys: [
      { key: '203.0.113.7', policy: 'api', requests: 9042, refused: 4410 },
      { key: `</code>${hostile}`, policy: 'api', requests: 1200, refused: 301 },
      { key: 'pay\u202e\u200bpal', policy: 'login', requests: 44, refused: 38 },
      { key: 'x'.repeat(400), policy: 'api', requests: 31, refused: 2 },
    ],
    changes: { newlyRefused: 3301, newlyAllowed: 17 },
    sweeps: [
      {
        policy: 'api',
        limit: 'minute',
        tier: 'free',
        current: 60,
        requests: seen - 1204,
        keys: 8001,
        points: [20, 30, 60, 90, 120, 240, 600].map((quota) => ({
          quota,
          requestsRefused: Math.round((seen / quota) * 3),
          keysRefused: Math.round(9000 / quota ** 1.5),
        })),
        knee: 120,
      },
      {
        policy: 'login',
        limit: 'per-1m',
        tier: '',
        current: 5,
        requests: 902,
        keys: 122,
        points: [
          { quota: 5, requestsRefused: 40, keysRefused: 2 },
          { quota: 10, requestsRefused: 38, keysRefused: 1 },
        ],
        knee: undefined,
      },
    ],
    notes: [`The policy login counts by a key of code, which the log does not show ${hostile}.`],
  };
}
