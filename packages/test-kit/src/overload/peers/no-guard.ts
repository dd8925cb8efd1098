import type { MakeGuard } from '../guard.js';
import { FREE } from './free-permit.js';

/** A server without any shedding. */
export const noGuard: MakeGuard = () => ({ admit: () => FREE });
