import type { Request } from 'express';

declare module '@sluice/nestjs' {
  interface RateLimitTypes {
    request: Request;
    policies: 'login' | 'quotes' | 'report' | 'export';
  }
}
