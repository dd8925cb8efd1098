import { PassThrough, Readable } from 'node:stream';
import type { Clock } from '@sluice/core';
import { type Io, ioOf } from '../src/io.js';
import { run } from '../src/program.js';

interface World {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly clock?: Clock;
}

/** An Io whose outputs are kept as text. */
export interface TestIo extends Io {
  readonly out: () => string;
  readonly err: () => string;
}

export function testIo({ env = {}, stdin = '', isTTY = false, columns = 80, clock }: World = {}): TestIo {
  const texts = { out: '', err: '' };
  const streamTo = (name: keyof typeof texts) =>
    Object.assign(new PassThrough(), { isTTY, columns }).on('data', (chunk) => {
      texts[name] += chunk;
    });
  const host = { stdout: streamTo('out'), stderr: streamTo('err'), stdin: Readable.from([stdin]), env };
  return Object.assign(ioOf(host, clock), { out: () => texts.out, err: () => texts.err });
}

export interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program within this process. */
export async function sluice(args: readonly string[], world: World = {}): Promise<Outcome> {
  const io = testIo(world);
  await run(args, io);
  // The streams hand on what was written in the next turn.
  await new Promise(setImmediate);
  return { exitCode: io.exitCode, out: io.out(), err: io.err() };
}
