import * as core from '@sluice/core';
import type { Quota } from '../contender.js';
import { HOSTS } from '../contenders/http/index.js';
import type { Identity, Variant } from '../contenders/http/serve.js';
import { processorMs } from '../processor-time.js';

export interface HttpServerOptions {
  readonly host: string;
  readonly variant: Variant;
  readonly quota: Quota;
  /** How it tells clients apart. Default: by a header field. */
  readonly identity?: Identity;
  /** Whether counters are read all the time, as by a scrape. */
  readonly readsCounters?: boolean;
}

const READ_EVERY_MS = 100;

/** The functions that read counters. Older packages, which are compared with these, have none. */
const READERS = Object.entries(core).flatMap(([name, read]) => (/Counters$/.test(name) ? [read as () => unknown] : []));

export async function start({ host, variant, quota, identity = 'header', readsCounters = false }: HttpServerOptions) {
  const serve = await HOSTS.get(host)?.serve();
  if (!serve) throw new Error(`There is no host ${host}`);
  const { port, close } = await serve(variant, quota, identity);
  const reading = readsCounters ? setInterval(() => READERS.map((read) => read()), READ_EVERY_MS) : undefined;
  const end = (): void => {
    clearInterval(reading);
    close();
  };
  return { port: (): number => port, processorMs, end };
}
