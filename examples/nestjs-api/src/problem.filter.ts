import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { problem } from '@sluice/example-shared';
import type { Response } from 'express';

/** Answers with problem details. The response names a client's mistake. A fault of the server is only logged. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const res = host.switchToHttp().getResponse<Response>();
    const { status, message } =
      error instanceof HttpException
        ? { status: error.getStatus(), message: error.message }
        : { status: 500, message: 'Something went wrong here.' };
    if (status >= 500) this.#logger.error(error);
    if (res.headersSent) res.destroy();
    else {
      res.status(status).setHeader('Content-Type', 'application/problem+json');
      res.end(JSON.stringify(problem(status, message)));
    }
  }
}
