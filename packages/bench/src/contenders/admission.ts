import type { ServerResponse } from 'node:http';
import {
  type AdmittingHost,
  createMiddleware,
  type HttpOptions,
  type HttpRequest,
  type HttpReservation,
} from '@sluice/core/http';
import type { Quota } from '../contender.js';
import { headerCounter } from './http/header-counter.js';
import { CLIENT_FIELD } from './http/serve.js';

/** A request without a framework: only what limiting reads, and what it writes to. */
export class StandInRequest implements HttpRequest {
  readonly method = 'GET';
  readonly url = '/';
  readonly headers: Record<string, string>;
  /** As Node's requests have it. */
  readonly rawHeaders: readonly string[];
  readonly response = new StandInResponse();
  rateLimit: HttpReservation | undefined;

  constructor(client: string) {
    this.headers = { [CLIENT_FIELD]: client };
    this.rawHeaders = [CLIENT_FIELD, client];
  }
}

/** A response that keeps nothing but sums, so that nothing which is made for it can be left out. */
class StandInResponse {
  headersSent = false;
  statusCode = 200;
  /** The characters of its fields and its body. */
  characters = 0;

  setHeader(name: string, value: string): void {
    this.characters += name.length + value.length;
  }

  end(body: string): void {
    this.headersSent = true;
    this.characters += body.length;
  }
}

/** Answers a request, or passes it on. */
type Admit = (request: StandInRequest, next: () => void) => void;

type Args = [request: StandInRequest, response: ServerResponse];

type Options = Pick<
  HttpOptions<Args>,
  'onDecision' | 'onLimitReached' | 'message' | 'extraHeaders' | 'standardHeaders' | 'legacyHeaders'
>;

/** What a policy may say about its responses, so that a request takes further steps. */
const HOOKED: Options = {
  onDecision: () => {},
  onLimitReached: () => {},
  message: ({ url }) => `${url} is limited`,
  extraHeaders: { 'X-Plan': 'free' },
};

export const ADMISSIONS: ReadonlyMap<string, (quota: Quota) => Promise<Admit>> = new Map([
  ['bare Map counter, same fields', mapCounter],
  ['Sluice', async (quota) => sluice(quota, {})],
  ['Sluice, no fields', async (quota) => sluice(quota, { standardHeaders: false, legacyHeaders: false })],
  ['Sluice, with hooks and a message', async (quota) => sluice(quota, HOOKED)],
]);

async function mapCounter(quota: Quota): Promise<Admit> {
  const count = await headerCounter(quota);
  return ({ headers: { [CLIENT_FIELD]: client = '' }, response }, next) => {
    const { headers, refusal } = count(client);
    for (const name in headers) response.setHeader(name, headers[name] as string);
    if (refusal === undefined) return next();
    response.statusCode = 429;
    response.end(refusal);
  };
}

function sluice({ limit, windowMs }: Quota, options: Options): Admit {
  const host: AdmittingHost<Args> = {
    requestOf: (request) => request,
    responseOf: ({ response }) => response as never,
    keep: (reservation, request) => {
      request.rateLimit = reservation;
    },
    onEnd: () => () => {},
    proxyTrust: () => 'none',
  };
  const keyGenerator = ({ headers }: StandInRequest) => headers[CLIENT_FIELD];
  const { pass } = createMiddleware<Args>({ limit, window: windowMs, keyGenerator, ...options }, host);
  // Older packages, as `--against` measures them, ask the host for the response, and have `next` first.
  const isOlder = pass.length === 1;
  return (request, next) =>
    isOlder ? pass(next as never, request as never, next) : pass(request, request.response as never, next);
}
