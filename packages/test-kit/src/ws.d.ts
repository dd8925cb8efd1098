declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { serve } from '@hono/node-server';

  // What the tests use of it: its types are a package of their own.

  export class WebSocket extends EventEmitter {
    constructor(url: string, options?: { readonly headers: Readonly<Record<string, string>> });
    send(data: string): void;
    close(): void;
    terminate(): void;
  }

  export const WebSocketServer: new (options: {
    readonly noServer: true;
  }) => NonNullable<Parameters<typeof serve>[0]['websocket']>['server'];
}
