/** Koa 3, as far as the adapter and its test use it. */
declare module 'koa' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
  import type { HttpRequest, HttpReservation } from '@sluice/core/http';

  export interface Context {
    readonly app: Application;
    readonly req: IncomingMessage;
    readonly res: ServerResponse;
    readonly request: HttpRequest;
    readonly method: string;
    readonly url: string;
    readonly headerSent: boolean;
    readonly state: { rateLimit?: HttpReservation };
    respond?: boolean;
    status: number;
    body: unknown;
    set(fields: Readonly<Record<string, string>>): void;
    set(name: string, value: string): void;
    append(name: string, value: string): void;
    remove(name: string): void;
  }

  export type Middleware = (ctx: Context, next: () => Promise<unknown>) => unknown;

  export default class Application {
    proxy: boolean;
    maxIpsCount: number;
    silent: boolean;
    use(middleware: Middleware): this;
    callback(): RequestListener;
  }
}
