import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What `@sluice/llm` publishes of each call that was settled: the parts that metrics use. */
export interface SettledCall {
  readonly policy: string;
  /** The name of the caller's plan. */
  readonly tier?: string;
  readonly call: { readonly model: string; readonly input: number };
  readonly end: string;
  readonly usage: {
    readonly input: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly output: number;
  };
  readonly microDollars?: number;
  readonly held: { readonly tokens?: number; readonly microDollars?: number };
}

const CHANNEL = 'sluice:llm-settled';

/** Calls the listener for each call that was settled. Returns what ends it. */
export function onSettledCall(listener: (call: SettledCall) => void): () => void {
  const hear = (event: unknown): void => listener(event as SettledCall);
  subscribe(CHANNEL, hear);
  return () => {
    unsubscribe(CHANNEL, hear);
  };
}
