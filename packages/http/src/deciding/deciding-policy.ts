import type { Engine } from '@sluice/core/src/limiter/engine';
import type { CompiledOptions } from '../enforcement/compiled-options.js';
import type { RequestClassifier } from '../keys/request-classifier.js';
import type { RequestKeys } from '../keys/request-key.js';
import type { RequestOptions } from '../options/options.js';
import type { Host } from '../request/host.js';
import type { Reserving } from '../request/host-spend.js';
import type { RequestLine } from '../waiting/request-line.js';

type Args = readonly unknown[];

/** Who reserves for the requests of a policy: its engine, or somebody else who has its limits. */
interface DecidingEngine<A extends Args> {
  readonly current: Reserving<A> & Pick<Engine<A>, 'notCounted'>;
}

/** What a policy decides with: an `HttpPolicy` if it has limits of its own. */
export interface DecidingPolicy<A extends Args> {
  readonly options: Pick<RequestOptions<A>, 'reconsider'>;
  readonly host: Host<A>;
  readonly classify: RequestClassifier<A> | undefined;
  readonly compiled: CompiledOptions<A>;
  readonly engine: DecidingEngine<A>;
  /** Returns the refusal of a request that failed with this error because it has no key. */
  readonly keys?: Pick<RequestKeys<A>, 'refusalFor'>;
  /** Where refused requests wait; undefined if none may. */
  readonly line?: RequestLine<A> | undefined;
}
