import { type HandlerOptions, handlerOf } from '../overload/handlers.js';
import type { Protection } from '../overload/protection.js';
import { HOSTS, type HostName } from '../overload/servers/index.js';
import { processorMs } from '../processor-time.js';

interface OverloadServerOptions extends HandlerOptions {
  readonly host: HostName;
  readonly protection: Protection;
}

/** A server that is measured under load. */
export async function start({ host, protection, ...work }: OverloadServerOptions) {
  const [serve, handler] = await Promise.all([HOSTS[host].serve(), handlerOf(work)]);
  const port = await serve(protection, handler);
  return { port: (): number => port, pid: (): number => process.pid, processorMs };
}
