import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Admission, HttpRequest, Outcome } from '@sluice/core/http';
import { requestPoliciesOf } from '@sluice/core/http';
import { COMPLETED, Invocation, LEFT } from '../src/invocation.js';
import { NOBODY } from '../src/invocation-source.js';
import { socketSource } from '../src/socket-source.js';

const request: HttpRequest = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' };

describe('A call', () => {
  it('is its request, if the request has no other call', () => {
    expect(new Invocation({ request, isShared: false }).counted(request)).toBe(request);
  });

  it('has a copy of its request, if the request has other calls', () => {
    const call = new Invocation({ request, isShared: true });
    const counted = call.counted(request);
    expect(counted).not.toBe(request);
    expect(counted).toMatchObject(request);
    expect(call.counted(request)).toBe(counted);
  });

  it.each([[true], [false]])(
    'has one list of policies, whatever request it is asked about (shared: %s)',
    (isShared) => {
      const request: HttpRequest = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' };
      const call = new Invocation({ request, isShared });
      const other = call.counted({ ...request, ip: '::1' });
      const own = call.counted(request);
      expect([other.ip, own.ip]).toEqual(['::1', '203.0.113.7']);
      expect(requestPoliciesOf(other)).toBe(requestPoliciesOf(own));
      expect(requestPoliciesOf(request) === requestPoliciesOf(own)).toBe(!isShared);
      expect(requestPoliciesOf(new Invocation({ request, isShared: true }).counted(request))).not.toBe(
        requestPoliciesOf(own),
      );
    },
  );

  it('uses the address of the connection if the request has none', () => {
    const upgrade = { method: 'GET', url: '/', headers: {}, socket: { remoteAddress: '::1' } };
    expect(new Invocation({ request: upgrade, isShared: true }).counted(upgrade).ip).toBe('::1');
  });

  describe('that asks policies', () => {
    /** Who was asked, in this order. */
    let asked: string[];
    const policy = (name: string, answer: Admission | Promise<Admission>) => ({
      admit: (place: string) => {
        asked.push(`${name} ${place}`);
        return answer;
      },
    });
    beforeEach(() => {
      asked = [];
    });

    it('is admitted at once by synchronous policies', () => {
      const policies = [policy('one', 'admitted'), policy('two', 'admitted')];
      expect(new Invocation(NOBODY).admit(policies, ['here'])).toBe('admitted');
      expect(asked).toEqual(['one here', 'two here']);
    });

    it('asks no policy after one that does not admit', async () => {
      const policies = [policy('one', Promise.resolve('admitted')), policy('two', 'over'), policy('three', 'admitted')];
      expect(await new Invocation(NOBODY).admit(policies, ['here'])).toBe('over');
      expect(asked).toEqual(['one here', 'two here']);
    });

    it('asks each policy once, however often it is passed', () => {
      const call = new Invocation(NOBODY);
      const [one, two] = [policy('one', 'admitted'), policy('two', 'admitted')];
      expect([call.admit([one, one], ['here']), call.admit([one, two], ['there'])]).toEqual(['admitted', 'admitted']);
      expect(asked).toEqual(['one here', 'two there']);
    });
  });
});

describe('A handler', () => {
  it('knows its call, also after awaiting', async () => {
    const call = new Invocation(NOBODY);
    expect(
      await call.run(async () => [Invocation.current, await Promise.resolve().then(() => Invocation.current)]),
    ).toEqual([call, call]);
    expect(Invocation.current).toBeUndefined();
  });

  it('ends its call when it is done, unless it has returned a stream', async () => {
    const [done, streaming] = [new Invocation(NOBODY), new Invocation(NOBODY)];
    const notified: unknown[] = [];
    done.onEnd((outcome) => notified.push(['done', outcome]));
    streaming.onEnd((outcome) => notified.push(['streaming', outcome]));
    const text = done.answered('text');
    const stream = streaming.answered((async function* () {})()) as AsyncGenerator;
    for (const call of [done, streaming]) call.handled(LEFT);
    expect([text, notified]).toEqual(['text', [['done', LEFT]]]);
    await stream.next();
    expect(notified).toEqual([
      ['done', LEFT],
      ['streaming', COMPLETED],
    ]);
  });
});

describe('The end of a call', () => {
  const callOf = (client: EventEmitter): Invocation => new Invocation(socketSource(client));

  it.each<[how: string, end: (call: Invocation, client: EventEmitter) => unknown, outcome: Outcome]>([
    ['it is said to have ended', (call) => call.end(COMPLETED), COMPLETED],
    ['its caller has gone', (_call, client) => client.emit('close'), LEFT],
  ])('is reported once to all listeners when %s', (_, end, outcome) => {
    const client = new EventEmitter();
    const call = callOf(client);
    const notified: unknown[] = [];
    call.onEnd((how) => notified.push(['one', how]));
    call.onEnd((how) => notified.push(['two', how]));
    end(call, client);
    client.emit('close');
    call.end({ status: 500, aborted: false });
    expect(notified).toEqual([
      ['one', outcome],
      ['two', outcome],
    ]);
  });

  it('is reported at once afterwards', () => {
    const call = callOf(new EventEmitter());
    call.end(COMPLETED);
    const notified: unknown[] = [];
    call.onEnd((how) => notified.push(how));
    expect(notified).toEqual([COMPLETED]);
  });

  it('is not reported to listeners that have stopped', () => {
    const client = new EventEmitter();
    const call = callOf(client);
    const notified: unknown[] = [];
    const stop = call.onEnd(() => notified.push('one'));
    stop();
    call.onEnd(() => notified.push('two'));
    client.emit('close');
    expect(notified).toEqual(['two']);
  });

  it('needs one listener per client, however many calls it makes', () => {
    const client = new EventEmitter();
    for (let i = 0; i < 20; i += 1) callOf(client).onEnd(() => {});
    expect(client.listenerCount('close')).toBe(1);
  });
});
