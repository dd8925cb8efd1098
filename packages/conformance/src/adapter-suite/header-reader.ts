import type { AdapterTools } from './adapter-app.js';

/** Makes callbacks that read a header field of their request. */
export function headerReader(
  tools: AdapterTools,
): (name: string) => (...args: readonly unknown[]) => string | undefined {
  return (name) =>
    (...args) => {
      const value = tools.requestOf(args).headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    };
}
