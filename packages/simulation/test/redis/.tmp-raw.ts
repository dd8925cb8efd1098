import { SimulatedRedis } from '/work/main/packages/simulation/src/redis/simulated-redis.js';
import { RawCommands } from '/work/main/packages/simulation/test/redis/raw-commands.js';
import { Redis } from 'ioredis';
function shown(r: any): any { if (Buffer.isBuffer(r)) return 'b:' + r.toString('latin1'); if (typeof r === 'string') return 'b:' + r; if (Array.isArray(r)) return r.flat(3).map(shown); if (r instanceof Error) return String(r); return r; }
async function outcome(answer: () => unknown) { try { return JSON.stringify(shown(await answer())); } catch (e: any) { return e.name === 'ReplyError' ? String(e) : String(e.stack); } }
async function main() {
  const { MovableClock } = await import('/work/main/packages/test-kit/src/redis/movable-clock.js').catch(() => ({ MovableClock: undefined as any }));
  const c = new Redis(7802); let now = 1.7e12; const s = new SimulatedRedis({ nowMs: () => now });
  const fs = await import('node:fs'); const fd = fs.openSync('/tmp/sim/clock', 'r+'); const stand = (ms: number) => { const b = Buffer.alloc(8); b.writeBigInt64LE(BigInt(ms) * 1000n); fs.writeSync(fd, b, 0, 8, 0); };
  const seed = Number(process.argv[2]), n = Number(process.argv[3]); const rc = new RawCommands(seed); let bad = 0;
  stand(now); await c.flushall(); await c.config('SET', 'maxmemory', '0');
  for (let i = 0; i < n && bad < 25; i++) {
    if (i % 200 === 0) { await c.flushall(); s.clear(); }
    if (i % 7 === 0) { now += [0, 1, 50, 99, 100, 101, 1000][i % 7 === 0 ? (i / 7) % 7 : 0]!; stand(now); }
    if (i % 23 === 0) { const full = (i / 23) % 4 === 0; await c.config('SET', 'maxmemory', full ? '1' : '0'); full ? s.fill('noeviction') : s.drain(); }
    const [name, ...args] = rc.next();
    const real = await outcome(() => c.callBuffer(name, args as any)); const sim = await outcome(() => s.execute(name, args));
    if (real !== sim) { bad++; console.log('--', name, JSON.stringify(args), '\n real', real.slice(0, 300), '\n sim ', sim.slice(0, 500)); }
  }
  console.log('done', bad); c.disconnect();
}
main();
