// Why it is so: core/docs/why/http-steps.md

import { type Eventual, recover, whenReady } from '@sluice/core/src/values/eventual';
import { type CompiledOptions, compilePeekOptions } from '../enforcement/compiled-options.js';
import { abandon, cancelAndThrow, type Enforcement, refuseUncounted } from '../enforcement/enforcement.js';
import { enforcementOf } from '../enforcement/enforcement-of.js';
import type { HttpRequest } from '../node/request.js';
import { reasonOfError, refusalOfError } from '../refusals/http-refusal.js';
import { FORBIDDEN } from '../refusals/problem.js';
import { type HostSpending, hostSpending, inRound, reserveFor } from '../request/host-spend.js';
import type { HttpGrantedReservation } from '../request/http-reservation.js';
import { enterPolicy } from '../request/policies-of-request.js';
import { RequestPolicies } from '../request/request-policies.js';
import type { RequestLine } from '../waiting/request-line.js';
import type { DecidingPolicy } from './deciding-policy.js';
import type { HandlerWatch } from './handler-watch.js';
import { isRefusedByLimit, reconsidered } from './reconsider.js';

type Args = readonly unknown[];

/** Decides about the requests of a policy. `createDecider` makes it. */
export class PolicyDecider<A extends Args> {
  readonly #policy: DecidingPolicy<A>;
  /** Undefined for a host whose requests are no peeks. */
  readonly #peekOptions: CompiledOptions<A> | undefined;
  #watch: HandlerWatch | undefined;

  constructor(policy: DecidingPolicy<A>, watch?: HandlerWatch) {
    const { host, compiled } = policy;
    this.#policy = policy;
    this.#peekOptions = host.spendOf && compilePeekOptions(compiled);
    this.#watch = watch;
  }

  /** Decides about a request, and returns what is to be done; undefined if it is not counted. It may throw or reject. */
  readonly decide = (args: A): Eventual<Enforcement<A> | undefined> => {
    const { host, engine, compiled, classify, line } = this.#policy;
    const request = host.requestOf(...args);
    if (this.#watch) this.#watch = this.#watch.asked(request);
    const requestClass = classify?.(request, args);
    if (requestClass === 'exempt') return engine.current.notCounted('allowList');
    if (requestClass === 'denied') {
      engine.current.notCounted('denyList');
      return refuseUncounted(compiled, enterPolicy(request, compiled), args, FORBIDDEN);
    }
    if (line) return this.#inLine(line, request, args);
    let reserved: Eventual<HttpGrantedReservation | undefined>;
    let spending: HostSpending | undefined;
    try {
      const spend = host.spendOf?.(...args);
      spending = spend && hostSpending(spend);
      reserved = spending ? reserveFor(engine.current, args, spending) : engine.current.reserve(args);
    } catch (error) {
      return this.#fail(enterPolicy(request, compiled), args, error, spending);
    }
    if (reserved instanceof Promise) return this.#reservedLater(reserved, request, args, spending);
    return this.#reserved(reserved as HttpGrantedReservation | undefined, request, args, spending);
  };

  #reservedLater(
    reserved: Promise<HttpGrantedReservation | undefined>,
    request: HttpRequest,
    args: A,
    spending: HostSpending | undefined,
  ): Promise<Enforcement<A> | undefined> {
    return reserved.then(
      (reservation) => this.#reserved(reservation, request, args, spending),
      (error) => this.#fail(enterPolicy(request, this.#policy.compiled), args, error, spending),
    );
  }

  #reserved(
    reservation: HttpGrantedReservation | undefined,
    request: HttpRequest,
    args: A,
    spending: HostSpending | undefined,
  ): Eventual<Enforcement<A> | undefined> {
    if (!reservation) return undefined;
    const { compiled, options } = this.#policy;
    if (this.#peekOptions && spending?.isPeek)
      return enforcementOf(this.#peekOptions, reservation, new RequestPolicies(), args, true);
    const policies = enterPolicy(request, compiled);
    if (options.reconsider) return this.#reconsidered(reservation, policies, args, true, spending);
    return enforcementOf(compiled, reservation, policies, args, true);
  }

  /** Lets a refused request wait. Closures are made only here, and for a reservation that is a promise. */
  #inLine(line: RequestLine<A>, request: HttpRequest, args: A): Eventual<Enforcement<A> | undefined> {
    let entered: RequestPolicies | undefined;
    const enter = (): RequestPolicies => {
      entered ??= enterPolicy(request, this.#policy.compiled);
      return entered;
    };
    return recover<Enforcement<A> | undefined>(
      () =>
        line.reserve(
          args,
          enter,
          (reservation, hasRoom) => reservation && this.#reconsidered(reservation, enter(), args, hasRoom, undefined),
          () => abandon(this.#policy.compiled, enter(), args),
        ),
      (error) => this.#fail(enter(), args, error),
    );
  }

  /** Decides about a refused request again, as long as the policy's `reconsider` says so. */
  #reconsidered(
    reservation: HttpGrantedReservation,
    policies: RequestPolicies,
    args: A,
    hasRoom: boolean,
    spending: HostSpending | undefined,
  ): Eventual<Enforcement<A> | undefined> {
    const { compiled, engine, options } = this.#policy;
    const { reconsider } = options;
    if (!reconsider || !hasRoom || !isRefusedByLimit(reservation))
      return enforcementOf(compiled, reservation, policies, args, hasRoom);
    const { current } = engine;
    const again = (round: number) => reserveFor(current, args, inRound(spending, round));
    return recover(
      () =>
        whenReady(reconsidered(reconsider, again, args, reservation), (last) =>
          last ? enforcementOf(compiled, last, policies, args, true) : undefined,
        ),
      (error) => this.#fail(policies, args, error),
    );
  }

  /** A function of the policy, or the store, has failed. Some errors stand for a refusal. */
  #fail(policies: RequestPolicies, args: A, error: unknown, spending?: HostSpending): Eventual<Enforcement<A>> {
    const withoutKey = this.#policy.keys?.refusalFor(error);
    const refusal = withoutKey ?? refusalOfError(error);
    if (!refusal) return cancelAndThrow(policies, error);
    if (!spending?.isPeek) this.#policy.engine.current.notCounted(withoutKey ? 'unknown' : reasonOfError(error));
    return refuseUncounted(this.#policy.compiled, policies, args, refusal);
  }
}
