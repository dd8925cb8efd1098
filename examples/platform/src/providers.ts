import { createFakeProvider, type FakeAnswer, type FakeProvider } from '@sluice/llm/testing';

/** The providers in the order in which they are asked. */
export const NAMES = ['first', 'second'] as const;

export type ProviderName = (typeof NAMES)[number];

const ANSWER: FakeAnswer = { input: 100, output: 50 };
const FAILURE: FakeAnswer = { refuse: { status: 503, message: 'The provider is overloaded.' } };

/** Two providers on this machine. Each of them fails while it is told to. */
export class Providers {
  readonly #failing: Set<ProviderName>;
  readonly #running: ReadonlyMap<ProviderName, FakeProvider>;

  private constructor(failing: Set<ProviderName>, running: ReadonlyMap<ProviderName, FakeProvider>) {
    this.#failing = failing;
    this.#running = running;
  }

  /** Starts both. The first one fails from the beginning. */
  static async start(): Promise<Providers> {
    const failing = new Set<ProviderName>(['first']);
    const started = NAMES.map(
      async (name): Promise<[ProviderName, FakeProvider]> => [
        name,
        await createFakeProvider({ answer: () => (failing.has(name) ? FAILURE : ANSWER) }),
      ],
    );
    return new Providers(failing, new Map(await Promise.all(started)));
  }

  get urls(): readonly string[] {
    return [...this.#running.values()].map(({ url }) => url);
  }

  /** What each of them got, and whether it fails. */
  get state(): Readonly<Record<ProviderName, { readonly fails: boolean; readonly calls: number }>> {
    const state = [...this.#running].map(([name, { calls }]) => [
      name,
      { fails: this.#failing.has(name), calls: calls.length },
    ]);
    return Object.fromEntries(state);
  }

  setFailing(name: ProviderName, fails: boolean): void {
    if (fails) this.#failing.add(name);
    else this.#failing.delete(name);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((provider) => provider.close()));
  }
}
