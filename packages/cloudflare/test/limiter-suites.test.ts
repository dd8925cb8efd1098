import { limiterSuites, OVER_EVERYTHING } from '@sluice/test-kit/limiter-suites';
import { DurableObjectStore } from '../src/index.js';
import { TestNamespace } from './objects.js';

limiterSuites(
  'two Workers and a Durable Object',
  async (clock) => {
    const options = {
      namespace: new TestNamespace(),
      partition: 'all',
      timeout: '20s',
      ...(clock && { clock }),
    } as const;
    return [new DurableObjectStore(options), new DurableObjectStore(options)];
  },
  OVER_EVERYTHING,
);
