import { parseArgs } from 'node:util';
import { SluiceError } from '@sluice/core';
import { durationMs } from '@sluice/core/values';
import { Soak } from './soak.js';

const USAGE = `Usage: npm run soak -w @sluice/soak -- [options]

  --for <duration>   how long: 20s, 30m, 8h. Default: 30m
  --rate <number>    requests a second to all servers together. Default: 50
  --seed <number>    of what is chosen at random. Default: another one each time

Ctrl-C ends it early: it says what was seen until then.`;

/** Returns what is wrong, or nothing. */
async function main(): Promise<readonly string[] | undefined> {
  const options = {
    for: { type: 'string' },
    rate: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ options });
  if (values.help) {
    console.log(USAGE);
    return [];
  }
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());
  const soak = new Soak({
    forMs: durationMs(values.for ?? '30m', '--for'),
    rate: numberOf(values.rate ?? '50', '--rate', 0.1),
    seed: numberOf(values.seed ?? `${Math.floor(Math.random() * 2 ** 31)}`, '--seed', 0),
    programs: import.meta.dirname,
    print: (line) => console.log(line),
    signal: end.signal,
  });
  return soak.run();
}

function numberOf(text: string, name: string, least: number): number {
  const value = Number(text);
  if (text !== '' && Number.isFinite(value) && value >= least) return value;
  throw new TypeError(`${name} must be a number of at least ${least}, got ${text}`);
}

main().then(
  (wrong = []) => {
    for (const line of wrong) console.error(`soak failed: ${line}`);
    process.exitCode = wrong.length > 0 ? 1 : 0;
  },
  (error: unknown) => {
    console.error(error instanceof SluiceError || error instanceof TypeError ? `${error.message}\n\n${USAGE}` : error);
    process.exitCode = 2;
  },
);
