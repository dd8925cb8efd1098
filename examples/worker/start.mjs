// Runs the Worker on this machine, in workerd, which is what runs it at Cloudflare.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../.config/edge/bundle.mjs';
import { startWorkerd } from '../../.config/edge/runtimes.mjs';

const { code } = await bundle('../../examples/worker/src/worker.ts', { external: ['node:*', 'cloudflare:*'] });
const workerd = startWorkerd(code, [], {
  host: '127.0.0.1',
  port: Number(process.env.PORT ?? 3000),
  durableObjects: { LIMITS: { className: 'LimitsObject', useSQLite: true } },
  // What was counted outlives a restart, as at Cloudflare.
  durableObjectsPersist: fileURLToPath(new URL('../../node_modules/.cache/sluice/worker', import.meta.url)),
});
console.log(`Listening on ${await workerd.ready}`);
await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
await workerd.dispose();
