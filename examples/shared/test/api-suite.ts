import { everywhere } from './api-suite/everywhere.js';
import { login } from './api-suite/login.js';
import { quotes } from './api-suite/quotes.js';
import { slowRoutes } from './api-suite/slow-routes.js';
import type { StartApi } from './drive.js';

/** The responses that every example has to send, whatever its framework is. */
export function apiSuite(start: StartApi): void {
  everywhere(start);
  login(start);
  quotes(start);
  slowRoutes(start);
}
