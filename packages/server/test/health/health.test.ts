import { describe, expect, it } from '@jest/globals';
import { Health } from '../../src/health/health.js';

describe('the health of an instance', () => {
  it('is ready from the moment its ports listen, until it drains', () => {
    const health = new Health(() => []);
    const seen: boolean[] = [];
    health.onChange(() => seen.push(health.isReady));
    expect(health.isReady).toBe(false);
    health.begin();
    health.drain();
    health.drain();
    health.begin();
    expect(seen).toEqual([true, false]);
    expect(health.state).toBe('draining');
  });

  it('never gets ready if it drains before its ports listen', () => {
    const health = new Health(() => []);
    health.drain();
    health.begin();
    expect(health.isReady).toBe(false);
  });

  it('is ready while it is degraded', () => {
    const troubles = ['redis: timeout'];
    const health = new Health(() => troubles);
    health.begin();
    expect(health.degraded).toEqual(['redis: timeout']);
    expect(health.isReady).toBe(true);
  });

  it('tells nobody who has stopped listening', () => {
    const health = new Health(() => []);
    let notified = 0;
    const stop = health.onChange(() => {
      notified += 1;
    });
    stop();
    health.begin();
    expect(notified).toBe(0);
  });
});
