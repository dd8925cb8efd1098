import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Contender } from '../../contender.js';
import { flexibleDecider } from '../rate-limiter-flexible.js';

/** A timer for each key forgets it; there is no most. */
export const rateLimiterFlexible: Contender = ({ limit, windowMs }) =>
  flexibleDecider(new RateLimiterMemory({ points: limit, duration: windowMs / 1_000 }), limit);
