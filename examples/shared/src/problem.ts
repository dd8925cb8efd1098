import { STATUS_CODES } from 'node:http';

/** Problem details (RFC 9457), as Sluice's refusals have them, so that clients read one format. */
export interface Problem {
  readonly type: string;
  readonly title: string | undefined;
  readonly status: number;
  readonly detail: string;
}

export const problem = (status: number, detail: string): Problem => ({
  type: 'about:blank',
  title: STATUS_CODES[status],
  status,
  detail,
});
