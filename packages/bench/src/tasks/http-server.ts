import type { Quota } from '../contender.js';
import { HOSTS } from '../contenders/http/index.js';
import type { Identity, Variant } from '../contenders/http/serve.js';
import { processorMs } from '../processor-time.js';

interface HttpServerOptions {
  readonly host: string;
  readonly variant: Variant;
  readonly quota: Quota;
  /** How it tells clients apart. Default: by a header field. */
  readonly identity?: Identity;
}

export async function start({ host, variant, quota, identity = 'header' }: HttpServerOptions) {
  const serve = await HOSTS.get(host)?.serve();
  if (!serve) throw new Error(`There is no host ${host}`);
  const { port, close } = await serve(variant, quota, identity);
  return { port: (): number => port, processorMs, end: (): void => void close() };
}
