import { loadSync } from '@grpc/proto-loader';
import { OFFICIAL_PROTOS } from '../grpc/official-client.js';
import type { Dice } from './dice.js';
import type { FuzzedCall } from './grpc-client.js';
import { mutatedBytes } from './mutate.js';

const { ShouldRateLimit } = loadSync('envoy/service/ratelimit/v3/rls.proto', {
  includeDirs: OFFICIAL_PROTOS,
  keepCase: true,
})['envoy.service.ratelimit.v3.RateLimitService'] as unknown as Record<
  string,
  { readonly path: string; requestSerialize(request: object): Buffer }
>;

const { path: PATH, requestSerialize: serialize } = ShouldRateLimit as NonNullable<typeof ShouldRateLimit>;

const PATHS = [PATH, `${PATH}s`, '/grpc.health.v1.Health/Check', '/', '/%00'];

const TEXTS = ['api', 'login', 'gone', '', 'remote_address', '203.0.113.7', 'policy', 'x'.repeat(500), '\ud800', '\0'];

/** Makes one call: a right one, one with a message that was changed, or one in a wrong frame. */
export function fuzzedCall(dice: Dice): FuzzedCall {
  const message = serialize(rateLimitRequest(dice));
  const sent = dice.oneIn(2) ? mutatedBytes(message, dice) : message;
  const head = Buffer.alloc(5);
  head.writeUInt32BE(sent.length, 1);
  const frame = Buffer.concat([head, sent]);
  return {
    path: dice.oneIn(10) ? dice.pick(PATHS) : PATH,
    fields: { 'content-type': dice.oneIn(15) ? dice.pick(['text/plain', 'application/json', '']) : 'application/grpc' },
    bytes: dice.oneIn(6) ? mutatedBytes(frame, dice) : frame,
  };
}

function rateLimitRequest(dice: Dice): object {
  const entry = () => ({ key: dice.pick(TEXTS), value: dice.pick(TEXTS) });
  const few = <T>(make: () => T): T[] => Array.from({ length: dice.oneIn(200) ? 120 : dice.roll(4) }, make);
  return {
    domain: dice.pick(['api', 'api', 'login', ...TEXTS]),
    hits_addend: dice.pick([0, 1, 3, 2 ** 32 - 1]),
    descriptors: few(() => ({
      entries: [{ key: 'remote_address', value: '203.0.113.7' }, ...few(entry)],
      ...(dice.oneIn(5) && { limit: { requests_per_unit: dice.roll(10), unit: dice.roll(6) } }),
      ...(dice.oneIn(5) && { hits_addend: { value: dice.pick([0, 1, 2 ** 40]) } }),
    })),
  };
}
