import { describe, expect, it } from '@jest/globals';
import { SluiceError } from '@sluice/core';
import { publish } from '@sluice/core/values';
import { createLog } from '../../src/program/log.js';
import { logEvents } from '../../src/program/log-events.js';

function logged(work: (log: ReturnType<typeof createLog>) => void): Record<string, unknown>[] {
  const lines: string[] = [];
  work(createLog('info', { write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

const mistakes = [{ line: 2, column: 3, message: 'wrong' }];

describe('the log', () => {
  it('has JSON lines with the time and the level as text', () => {
    expect(logged((log) => log.warn({ port: 8080 }, 'a line'))).toEqual([
      { level: 'warn', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), port: 8080, msg: 'a line' },
    ]);
  });

  it('shows neither the commands of a Redis error nor the received value of an own error: both may be keys', () => {
    const redis = Object.assign(new Error('LOADING Redis is loading'), {
      command: { name: 'evalsha', args: ['sluice:1:sw:api:day:{203.0.113.7}'] },
    });
    const own = new SluiceError('SLUICE_KEY', 'the key is no key', { received: '203.0.113.7' });
    const lines = logged((log) => {
      log.error({ err: redis }, 'failed');
      log.error({ err: own }, 'failed');
      log.error({ err: 'no error' }, 'failed');
    });
    expect(JSON.stringify(lines)).not.toContain('203.0.113.7');
    expect(lines).toMatchObject([
      { err: { name: 'Error', message: 'LOADING Redis is loading', stack: expect.any(String) } },
      { err: { code: 'SLUICE_KEY', message: 'the key is no key (SLUICE_KEY)' } },
      { err: { message: 'no error' } },
    ]);
  });

  it('has lines about the store and the policies until it is told to stop, and not about requests', () => {
    const lines = logged((log) => {
      const stop = logEvents(log);
      publish('sluice:breaker', { state: 'open' });
      publish('sluice:breaker', { state: 'half-open' });
      publish('sluice:breaker', { state: 'closed', node: '10.0.0.7:6379' });
      const event = { at: 0, origin: 'sluice.yaml', revision: 'b', previous: 'a' };
      const changes = [{ path: 'customers.acme', from: 1, to: 2 }];
      publish('sluice:policy', { ...event, outcome: 'applied', changes });
      publish('sluice:policy', { ...event, outcome: 'rejected', changes: [], mistakes });
      publish('sluice:policy', { ...event, outcome: 'unchanged', changes: [] });
      stop();
      publish('sluice:breaker', { state: 'open' });
    });
    expect(lines.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
      'error: the store does not answer: onStoreError of each policy decides',
      'info: the store answers again',
      'info: the policies are applied',
      'error: the policies are rejected: the former ones go on',
    ]);
    expect(lines.slice(2)).toMatchObject([{ changes: 1, revision: 'b', previous: 'a' }, { mistakes }]);
  });
});
