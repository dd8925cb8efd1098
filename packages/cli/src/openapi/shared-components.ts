/** The header fields of all answers of a limited API. */
export const HEADERS = {
  'RateLimit-Policy': {
    description:
      'The limits: of each its name, the quota `q`, its unit `qu` if it is not requests, and the window `w` in seconds (draft-ietf-httpapi-ratelimit-headers-11).',
    schema: { type: 'string' },
    example: '"minute";q=60;w=60',
  },
  RateLimit: {
    description: 'What is left of each limit: `r` units, which have to last for `t` seconds.',
    schema: { type: 'string' },
    example: '"minute";r=0;t=12',
  },
  'X-RateLimit-Limit': {
    description: 'The quota of the limit that is closest to being reached.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Remaining': {
    description: 'What is left of this limit.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    description: 'The seconds for which it has to last. Absent if time does not bring it back.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Retry-After': {
    description: 'The seconds to wait before the request is repeated. Absent if waiting does not help.',
    schema: { type: 'integer', minimum: 1 },
  },
} as const;

/** The body of refusals: a problem of RFC 9457. */
export const PROBLEM_SCHEMA = {
  type: 'object',
  required: ['type', 'title', 'status'],
  properties: {
    type: {
      type: 'string',
      format: 'uri-reference',
      description:
        'Which problem it is: `…#quota-exceeded`, `…#abnormal-usage-detected` or `…#temporary-reduced-capacity`.',
    },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'A sentence for people.' },
    'violated-policies': {
      type: 'array',
      items: { type: 'string' },
      description: 'The names of the limits that refused, as in `RateLimit-Policy`.',
    },
  },
} as const;

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/RateLimitProblem' } } };

/** The answer to a request of nobody who is known. */
export const UNKNOWN_CUSTOMER = { description: 'The API key is missing, or is none of a customer.', content: PROBLEM };

/** The answer while nobody can count. */
export const UNAVAILABLE = {
  description: 'Requests cannot be counted at the moment. Try again soon.',
  content: PROBLEM,
};
