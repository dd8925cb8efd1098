import { MemoryStore, type Options } from 'express-rate-limit';
import type { Contender } from '../../contender.js';
import { storeDecider } from '../express-rate-limit.js';

/** The store forgets no key before its time. */
export const expressRateLimit: Contender = ({ limit, windowMs }) => {
  const store = new MemoryStore();
  store.init({ windowMs } as Options);
  return storeDecider(store, limit, () => store.shutdown());
};
