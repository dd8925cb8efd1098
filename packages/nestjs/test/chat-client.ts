import { once } from 'node:events';
import { WebSocket } from 'ws';

/** Speaks with a gateway of Nest's ws platform: one question at a time. */
export class ChatClient {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async at(url: string): Promise<ChatClient> {
    const socket = new WebSocket(url.replace('http', 'ws'));
    await once(socket, 'open');
    return new ChatClient(socket);
  }

  notify(event: string, data?: unknown): void {
    this.#socket.send(JSON.stringify({ event, data }));
  }

  async hear(): Promise<{ event: string; data: unknown }> {
    const [message] = await once(this.#socket, 'message');
    return JSON.parse(String(message));
  }

  async ask(event: string, data?: unknown): Promise<{ event: string; data: unknown }> {
    const answer = this.hear();
    this.notify(event, data);
    return answer;
  }

  async leave(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}
