import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { seededRandom } from '@sluice/test-kit/seeded-random';
import { TestProgram } from '@sluice/test-kit/test-program';
import { localTime } from './example/example-log.js';
import type { Speed } from './speed-program.js';

const isFull = process.env.SLUICE_REPLAY === 'full';
/** In full, the log of one day. In short, some seconds of a busy hour. */
const [LINES, KEYS, PER_SECOND] = isFull ? [10_000_000, 1_000_000, 116] : [30_000, 3000, 1000];
/** These send a tenth of the requests, which is more than the limit. */
const BUSIEST = 20;

const TIMED = '$remote_addr $msec $request_time "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';

const folder = mkdtempSync(join(tmpdir(), 'sluice-speed-'));
let program: TestProgram;

beforeAll(async () => {
  program = await TestProgram.build(join(__dirname, 'speed-program.ts'));
});

afterAll(() => {
  program.remove();
  rmSync(folder, { recursive: true });
});

/** Writes a log whose requests come from all keys alike, and many from a few of them. */
async function writeLog(name: string, lineOf: (ip: string, atMs: number, tookMs: number) => string): Promise<string> {
  const random = seededRandom(3);
  const log = join(folder, name);
  const stream = createWriteStream(log);
  let lines: string[] = [];
  for (let i = 0; i < LINES; i += 1) {
    const key = Math.floor(random() * (random() < 0.1 ? BUSIEST : KEYS));
    const ip = `10.${(key >> 16) & 255}.${(key >> 8) & 255}.${key & 255}`;
    lines.push(lineOf(ip, Date.UTC(2026, 10, 22) + Math.floor((i * 1000) / PER_SECOND), Math.floor(random() * 300)));
    if (lines.length < 5000 && i < LINES - 1) continue;
    if (!stream.write(`${lines.join('\n')}\n`)) await once(stream, 'drain');
    lines = [];
  }
  stream.end();
  await once(stream, 'close');
  return log;
}

const REQUEST = '"GET /v1/items/7?page=2 HTTP/1.1" 200 612 "https://example.com/" "Mozilla/5.0 (X11; Linux x86_64)"';

async function measure(log: string, format: string): Promise<Speed> {
  const { stdout } = await promisify(execFile)(process.execPath, [program.path, log, format]);
  return JSON.parse(stdout) as Speed;
}

const shown = ({ lines, keys, seconds, cpuSeconds, megabytes }: Speed): string =>
  `${lines} lines of ${keys} keys in ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of processor time): ${Math.round(lines / seconds)} lines/s, ${Math.round(megabytes)} MB`;

it.each<[string, string, (ip: string, atMs: number, tookMs: number) => string]>([
  [
    'exact times',
    TIMED,
    (ip, atMs, tookMs) => `${ip} ${((atMs + tookMs) / 1000).toFixed(3)} ${(tookMs / 1000).toFixed(3)} ${REQUEST}`,
  ],
  ['whole seconds', 'combined', (ip, atMs) => `${ip} - - [${localTime(atMs)}] ${REQUEST}`],
])(
  'a log of %s is replayed at a small multiple of what it takes to read its lines',
  async (name, format, lineOf) => {
    const log = await writeLog('access.log', lineOf);
    const bare = await measure(log, 'readline');
    const replayed = await measure(log, format);
    process.stdout.write(
      `replay: ${name}: ${shown(replayed)}; bare readline ${Math.round(bare.lines / bare.seconds)} lines/s\n`,
    );
    expect(replayed).toMatchObject({ lines: LINES });
    expect(replayed.refused).toBeGreaterThan(0);
    // It starts a program, compiles policies, and decides each request once, or three times for whole seconds.
    expect(replayed.cpuSeconds).toBeLessThan(isFull ? 60 * bare.cpuSeconds : 100 * bare.cpuSeconds);
    if (!isFull) return;
    expect(replayed.megabytes).toBeLessThan(300);
    expect(replayed.lines / replayed.seconds).toBeGreaterThan(150_000);
  },
  3_600_000,
);
