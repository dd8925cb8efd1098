import { problem } from '@sluice/example-shared';
import type { RequestHandler, Response } from 'express';

export function sendProblem(res: Response, status: number, detail: string): void {
  res
    .status(status)
    .setHeader('Content-Type', 'application/problem+json')
    .end(JSON.stringify(problem(status, detail)));
}

export const notFound: RequestHandler = (req, res) => sendProblem(res, 404, `There is no ${req.method} ${req.path}.`);
