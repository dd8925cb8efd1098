import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** What Alertmanager posts: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
interface Notification {
  readonly alerts: readonly {
    readonly status: 'firing' | 'resolved';
    readonly labels: { readonly alertname: string };
    readonly annotations: { readonly summary: string };
  }[];
}

/** Returns a handler that prints a line for each alert that begins or ends. */
export function alertsHandler(print: (line: string) => void) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { alerts } = JSON.parse(await text(request)) as Notification;
      for (const { status, labels, annotations } of alerts) {
        print(`${status.toUpperCase()} ${labels.alertname}: ${annotations.summary}`);
      }
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  };
}
