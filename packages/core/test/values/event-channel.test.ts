import { expect, it, jest } from '@jest/globals';
import { OwnChannel } from '../../src/values/event-channel.js';

it('A channel of our own tells its listeners, until they stop listening', () => {
  const channel = new OwnChannel();
  const heard: unknown[] = [];
  const first = (message: unknown): void => {
    heard.push(['first', message]);
    channel.unsubscribe(first);
  };
  const second = (message: unknown): void => {
    heard.push(['second', message]);
  };
  expect(channel.hasSubscribers).toBe(false);
  channel.subscribe(first);
  channel.subscribe(second);
  channel.publish(1);
  channel.publish(2);
  channel.unsubscribe(second);
  channel.publish(3);
  expect(channel.hasSubscribers).toBe(false);
  expect(heard).toEqual([
    ['first', 1],
    ['second', 1],
    ['second', 2],
  ]);
});

it('A listener of our own channel that throws keeps the message from nobody, and its error is uncaught', () => {
  const later = jest.spyOn(globalThis, 'queueMicrotask').mockImplementation(() => {});
  try {
    const channel = new OwnChannel();
    const heard: unknown[] = [];
    channel.subscribe(() => {
      throw new Error('broken listener');
    });
    channel.subscribe((message) => heard.push(message));
    channel.publish(1);
    expect(heard).toEqual([1]);
    expect(later.mock.calls.map(([work]) => work)).toEqual([expect.any(Function)]);
    expect(later.mock.calls[0]?.[0]).toThrow('broken listener');
  } finally {
    later.mockRestore();
  }
});
