import { box, legend, sheet, text } from './sheet.js';

/** The deadline of a decision over Redis, and the numbers of the breaker, which a test compares with its code. */
const DEADLINE_MS = 50;
export const FAILURES_TO_OPEN = 5;
export const PROBE_EVERY_MS = 250;

/** One caller, who sends the next request 30 ms after the answer to the last one. */
const PAUSE_MS = 30;
const ANSWER_MS = 2;
const FROZEN = { fromMs: 200, toMs: 1300 };
const END_MS = 1700;

interface Request {
  readonly atMs: number;
  readonly tookMs: number;
  readonly source: 'store' | 'local';
}

interface Story {
  readonly requests: readonly Request[];
  readonly openMs: number;
  readonly probesMs: readonly number[];
  readonly closedMs: number;
}

/** What the caller sees: by these rules, without a server. */
function play(): Story {
  const requests: Request[] = [];
  const probesMs: number[] = [];
  const isFrozen = (ms: number): boolean => ms >= FROZEN.fromMs && ms < FROZEN.toMs;
  let [failures, failingMs] = [0, Number.POSITIVE_INFINITY];
  let [openMs, closedMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let ms = 10; ms < END_MS; ) {
    const isOpen = ms >= openMs && ms < closedMs;
    const hangs = !isOpen && isFrozen(ms);
    const tookMs = isOpen ? 0 : hangs ? DEADLINE_MS : ANSWER_MS;
    requests.push({ atMs: ms, tookMs, source: isOpen || hangs ? 'local' : 'store' });
    if (hangs) failures += 1;
    if (hangs) failingMs = Math.min(failingMs, ms + tookMs);
    if (failures === FAILURES_TO_OPEN && openMs === Number.POSITIVE_INFINITY) {
      openMs = ms + tookMs;
      // Probes begin with the first failure.
      for (let probeMs = failingMs; closedMs === Number.POSITIVE_INFINITY; probeMs += PROBE_EVERY_MS) {
        if (probeMs < openMs) continue;
        probesMs.push(probeMs);
        if (!isFrozen(probeMs)) closedMs = probeMs + ANSWER_MS;
      }
    }
    ms += tookMs + PAUSE_MS;
  }
  return { requests, openMs, probesMs, closedMs };
}

const LEFT = 136;
const SCALE = 0.33;
const BASE = 196;

/** Draws how long each request waits for its decision while Redis hangs, and who decides. */
export function drawFreeze(): string {
  const { requests, openMs, probesMs, closedMs } = play();
  const x = (ms: number): number => Math.round(10 * (LEFT + ms * SCALE)) / 10;
  const span = (style: string, fromMs: number, toMs: number, y: number, label: string): string =>
    `${box(x(fromMs), y, Math.round(10 * (toMs - fromMs) * SCALE) / 10, 16, style)}${text(x(fromMs) + 6, y + 12, label)}`;
  const waited = requests.filter(({ tookMs }) => tookMs === DEADLINE_MS).length;
  return sheet({
    title: 'Redis hangs for 1.1 seconds: what one caller sees',
    description:
      `${waited} requests wait ${DEADLINE_MS} ms each and are decided in the process. Then the breaker is open, and requests are decided in the process ` +
      `at once. A probe every ${PROBE_EVERY_MS} ms finds Redis back, ${closedMs - FROZEN.toMs} ms after it answers again.`,
    height: 290,
    body: [
      legend(40, { now: 'decided by Redis', late: 'decided in the process, by its share' }),
      text(16, 86, 'Redis'),
      span('band', FROZEN.fromMs, FROZEN.toMs, 74, 'hangs'),
      text(16, 110, 'breaker'),
      span('band', openMs, closedMs, 98, 'open'),
      ...probesMs.map((ms) => `<path class="line" d="M${x(ms)} 98v22"/>${text(x(ms), 132, 'probe', 'soft', 'middle')}`),
      text(16, 166, 'waiting for'),
      text(16, 182, 'a decision'),
      ...[0, DEADLINE_MS].map(
        (ms) =>
          `${text(LEFT - 8, BASE - ms + 4, `${ms} ms`, 'soft', 'end')}<path class="dash" d="M${LEFT} ${BASE - ms}H${x(END_MS)}"/>`,
      ),
      ...requests.map(({ atMs, tookMs, source }) => {
        const height = Math.max(3, tookMs);
        return box(x(atMs), BASE - height, 6, height, source === 'store' ? 'now' : 'late');
      }),
      ...[0, 500, 1000, 1500].map(
        (ms) => `<path class="line" d="M${x(ms)} ${BASE}v5"/>${text(x(ms), BASE + 20, `${ms} ms`, 'soft', 'middle')}`,
      ),
      text(
        16,
        246,
        `${waited} requests wait for the deadline of ${DEADLINE_MS} ms. After ${FAILURES_TO_OPEN} failures in a row Redis is not asked, so the others do not wait.`,
      ),
      text(16, 264, `A probe every ${PROBE_EVERY_MS} ms finds out that Redis is back. Every request gets a decision.`),
    ],
  });
}
