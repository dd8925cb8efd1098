import { SimulatedRedis } from '/work/main/packages/simulation/src/redis/simulated-redis.js';
import { Snippets } from '/work/main/packages/simulation/test/lua/snippets.js';
import { Redis } from 'ioredis';
async function outcome(answer: () => unknown) { try { const r = await answer(); return (Buffer.isBuffer(r) ? r.toString('latin1') : String(r)).replace(/-nan/g, 'nan'); } catch (e: any) { return e instanceof Error ? e.name === 'ReplyError' ? String(e) : String(e.stack) : String(e); } }
async function main() {
  const c = new Redis(7801); const s = new SimulatedRedis({ nowMs: () => Date.now() });
  const seed = Number(process.argv[2]), n = Number(process.argv[3]); const sn = new Snippets(seed); let bad = 0;
  for (let d = 0; d < n && bad < 12; d += 200) {
    const src = Array.from({ length: 200 }, () => sn.next());
    const real = await Promise.all(src.map((x) => outcome(() => c.callBuffer('EVAL', [x, 0]))));
    for (let i = 0; i < 200 && bad < 12; i++) { const sim = await outcome(() => s.execute('EVAL', [src[i]!, 0])); if (sim !== real[i]) { bad++; console.log('--', src[i]!.slice(src[i]!.indexOf('return showAll(')), '\n real', JSON.stringify(real[i]!.slice(0, 300)), '\n sim ', JSON.stringify(sim.slice(0, 900))); } }
    await c.script('FLUSH');
  }
  console.log('done', bad); c.disconnect();
}
main();
