import type { INestApplication } from '@nestjs/common';
import supertest from 'supertest';

/** Returns the statuses of this many requests, one after the other. */
export async function statuses(app: INestApplication, count: number, path = '/'): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < count; i += 1) statuses.push((await supertest(app.getHttpServer()).get(path)).status);
  return statuses;
}
