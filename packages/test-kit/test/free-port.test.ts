import { expect, it } from '@jest/globals';
import { freePort } from '../src/free-port.js';

it('A port is free for one server alone, also if nobody listens on it yet', async () => {
  const ports = await Promise.all(Array.from({ length: 300 }, () => freePort()));
  expect(new Set(ports).size).toBe(300);
});
