declare module 'ws' {
  import type { EventEmitter } from 'node:events';

  /** What the tests use of it: its types are a package of their own. */
  export class WebSocket extends EventEmitter {
    constructor(url: string);
    send(data: string): void;
    close(): void;
  }
}
