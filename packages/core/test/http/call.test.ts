import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { Call, COMPLETED, type HttpRequest, LEFT, listenOnce, type Outcome } from '@sluice/core/http';

const request: HttpRequest = { method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' };

describe('A call', () => {
  it('is its request where that holds no other', () => {
    expect(new Call({ request, isShared: false }).counted(request)).toBe(request);
  });

  it('has a copy of the first request that it is asked about, where that holds other calls, too', () => {
    const call = new Call({ request, isShared: true });
    const counted = call.counted(request);
    expect(counted).not.toBe(request);
    expect(counted).toEqual(request);
    expect(call.counted({ ...request, ip: '::1' })).toBe(counted);
  });

  it('takes the address of a connection where the request has none', () => {
    const upgrade = { method: 'GET', url: '/', headers: {}, socket: { remoteAddress: '::1' } };
    expect(new Call({ request: upgrade, isShared: true }).counted(upgrade).ip).toBe('::1');
  });

  it('meets each policy once', () => {
    const call = new Call({ request, isShared: true });
    const [one, two] = [{}, {}];
    expect([call.meets(one), call.meets(two), call.meets(one)]).toEqual([true, true, false]);
  });
});

describe('The end of a call', () => {
  const callOf = (client: EventEmitter): Call =>
    new Call({ request, isShared: true, onGone: (tell) => listenOnce(client, 'close', tell) });

  it.each<[how: string, end: (call: Call, client: EventEmitter) => unknown, outcome: Outcome]>([
    ['it is said to have ended', (call) => call.end(COMPLETED), COMPLETED],
    ['its caller has gone', (_call, client) => client.emit('close'), LEFT],
  ])('is told once to everybody when %s', (_, end, outcome) => {
    const client = new EventEmitter();
    const call = callOf(client);
    const told: unknown[] = [];
    call.onEnd((how) => told.push(['one', how]));
    call.onEnd((how) => told.push(['two', how]));
    end(call, client);
    client.emit('close');
    call.end({ status: 500, aborted: false });
    expect(told).toEqual([
      ['one', outcome],
      ['two', outcome],
    ]);
  });

  it('is told at once after it', () => {
    const call = callOf(new EventEmitter());
    call.end(COMPLETED);
    const told: unknown[] = [];
    call.onEnd((how) => told.push(how));
    expect(told).toEqual([COMPLETED]);
  });

  it('is not told to those who have stopped listening', () => {
    const client = new EventEmitter();
    const call = callOf(client);
    const told: unknown[] = [];
    const stop = call.onEnd(() => told.push('one'));
    stop();
    call.onEnd(() => told.push('two'));
    client.emit('close');
    expect(told).toEqual(['two']);
  });

  it('needs one listener for a client, however many calls it makes', () => {
    const client = new EventEmitter();
    for (let i = 0; i < 20; i += 1) callOf(client).onEnd(() => {});
    expect(client.listenerCount('close')).toBe(1);
  });
});
