/** What an application says once of its own types. */
export interface User {
  readonly id: string;
  readonly plan: 'free' | 'paid';
}

declare module '@sluice/nestjs' {
  interface RateLimitTypes {
    request: import('express').Request & { user?: User };
    policies: 'login' | 'chat';
  }
}
