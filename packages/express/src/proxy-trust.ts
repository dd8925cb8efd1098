import type { ProxyTrust } from '@sluice/core/http';
import type { Request } from 'express';

/** What the application's `trust proxy` setting means. */
export function proxyTrust(req: Request): ProxyTrust {
  const setting: unknown = req.app.get('trust proxy');
  if (setting === true) return 'all';
  return setting === undefined || setting === false || setting === 0 ? 'none' : 'some';
}
