import { MOST_DECISIONS } from '../decisions/decision-request.js';
import { schemaRef } from './components.js';
import { CORRECTIONS } from './correction-examples.js';
import { DECISIONS } from './decision-examples.js';
import {
  BODY_PROBLEMS,
  CALLERS,
  jsonResponse,
  type Part,
  pathParameter,
  problemResponse,
  REFUSAL_FIELDS,
  requestBody,
} from './operation.js';

const oneOrMany = (one: Part, many: Part): Part => ({
  anyOf: [one, { type: 'array', items: many, minItems: 1, maxItems: MOST_DECISIONS }],
});

const request = oneOrMany(schemaRef('DecisionRequest'), schemaRef('DecisionRequest'));
const answer = oneOrMany(schemaRef('Decision'), {
  anyOf: [schemaRef('Decision'), schemaRef('FailedDecision')],
});

const refusedByStatus = (status: number, description: string): Part =>
  jsonResponse(status, `Only with \`?status=429\`: ${description}`, 'Decision', {}, REFUSAL_FIELDS);

const reservationPath = (
  operationId: string,
  summary: string,
  body: Part,
  exchanges: typeof CORRECTIONS.settle,
): Part => ({
  parameters: [pathParameter('token', 'The token of the reservation.')],
  post: {
    operationId,
    summary,
    ...CALLERS,
    requestBody: body,
    responses: {
      ...jsonResponse(200, 'The reservation is corrected, now or before.', 'Correction', exchanges),
      ...problemResponse(400, 'The body has mistakes, or the token was altered. Nothing was changed.', exchanges),
      ...problemResponse(
        404,
        'The token is of another installation, or of a policy that the file does not have any more.',
      ),
      ...problemResponse(410, 'The reservation has expired. Its charge stays as it is.'),
      ...problemResponse(503, 'The counters cannot be reached. Send the same request again.'),
      ...BODY_PROBLEMS,
    },
  },
});

/** The paths of decisions and reservations. */
export const DECISION_PATHS: Part = {
  '/v1/decisions': {
    post: {
      operationId: 'decide',
      summary: 'Decides about one request, or about each request of a list',
      description:
        'The answer is always 200 if the request can be decided, whether it is allowed or not. A list is decided in its order, each request by itself.',
      ...CALLERS,
      parameters: [
        {
          name: 'status',
          in: 'query',
          description:
            'With 429, a refusal also has its status and its fields on the response. For one decision, not for a list.',
          schema: { const: '429' },
        },
      ],
      requestBody: requestBody(request, DECISIONS),
      responses: {
        ...jsonResponse(200, 'What was decided.', answer, DECISIONS),
        ...refusedByStatus(429, 'the request is refused.'),
        ...refusedByStatus(503, 'the store failed, and the policy refuses then.'),
        ...refusedByStatus(403, 'the address is on the deny list, or the key is blocked without end.'),
        ...problemResponse(400, 'The body has mistakes. All of them are listed, and nothing was spent.', DECISIONS),
        ...problemResponse(404, 'The file does not have this policy.', DECISIONS),
        ...BODY_PROBLEMS,
      },
    },
  },
  '/v1/reservations/{token}/settle': reservationPath(
    'settleReservation',
    'Ends a reservation: keeps its charge, or corrects it to the real cost',
    requestBody('SettleRequest', CORRECTIONS.settle, false),
    CORRECTIONS.settle,
  ),
  '/v1/reservations/{token}/cancel': reservationPath(
    'cancelReservation',
    'Undoes a reservation: gives its charge back',
    requestBody('CancelRequest', CORRECTIONS.cancel, false),
    CORRECTIONS.cancel,
  ),
};
