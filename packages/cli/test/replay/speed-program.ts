// Prints how fast a log is replayed, in a process of its own: speed-program <log> <log_format or readline>
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readPolicyFile } from '@sluice/config';
import { logFormat } from '../../src/log/log-formats.js';
import { filePolicies } from '../../src/replay/file-policies.js';
import { replayLogs } from '../../src/replay/replay-logs.js';

/** What the program prints, as JSON. */
export interface Speed {
  readonly lines: number;
  readonly keys: number;
  readonly refused: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

const POLICIES = `
version: 1
policies:
  api: { match: { path: /v1/** }, key: address, limits: [{ name: minute, limit: 30, window: 1m }] }
`;

async function replay(log: string, format: string) {
  const { file } = readPolicyFile(POLICIES);
  if (!file) throw new Error('the policies are wrong');
  const options = {
    logs: [log],
    format: logFormat(format),
    stdin: process.stdin,
    fromMs: Number.NEGATIVE_INFINITY,
    toMs: Number.POSITIVE_INFINITY,
    maxKeys: 4_000_000,
  };
  const { lines, clients, requests } = await replayLogs(options, (formats) => {
    const { policies, wanted } = filePolicies(file, { formats, mappings: [] });
    return { policies, wanted, against: undefined, sweeps: [] };
  });
  return { lines: lines.read - lines.unparsed, keys: clients.seen, refused: requests.refused };
}

/** The least that a program can do with lines. */
async function readLines(log: string) {
  let lines = 0;
  for await (const _line of createInterface({ input: createReadStream(log), crlfDelay: Number.POSITIVE_INFINITY })) {
    lines += 1;
  }
  return { lines, keys: 0, refused: 0 };
}

async function main(): Promise<void> {
  const [log = '', format = ''] = process.argv.slice(2);
  const startMs = performance.now();
  const start = process.cpuUsage();
  const counts = format === 'readline' ? await readLines(log) : await replay(log, format);
  const { user, system } = process.cpuUsage(start);
  const speed: Speed = {
    ...counts,
    seconds: (performance.now() - startMs) / 1000,
    cpuSeconds: (user + system) / 1e6,
    megabytes: process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(`${JSON.stringify(speed)}\n`);
}

main();
