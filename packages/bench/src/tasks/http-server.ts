import type { Quota } from '../contender.js';
import { HOSTS } from '../contenders/http/index.js';
import type { Variant } from '../contenders/http/serve.js';
import { processorMs } from '../processor-time.js';

export interface HttpServerOptions {
  readonly host: string;
  readonly variant: Variant;
  readonly quota: Quota;
}

export async function start({ host, variant, quota }: HttpServerOptions) {
  const serve = await HOSTS.get(host)?.serve();
  if (!serve) throw new Error(`There is no host ${host}`);
  const { port, close } = await serve(variant, quota);
  return { port: (): number => port, processorMs, end: close };
}
