import { expect, it } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { MemoryStore, rateLimit } from '../src/index.js';

const store = new MemoryStore();

/** Builds an application anew, as a program does whose configuration has changed, and as tests do. */
const appOf = (name: string, limit: number, owner?: object) => {
  const limiter = rateLimit({ name, limit, window: '1m', store }, owner);
  return express().use(limiter, (_req, res) => void res.send('ok'));
};

it('A limiter that is made again for the same owner counts on, by its new limit', async () => {
  const owner = {};
  const first = supertest(appOf('login', 2, owner));
  expect([(await first.get('/')).status, (await first.get('/')).status]).toEqual([200, 200]);
  const second = supertest(appOf('login', 3, owner));
  expect([(await second.get('/')).status, (await second.get('/')).status]).toEqual([200, 429]);
});

it('Without an owner, a second limiter of the name is a mistake', () => {
  appOf('signup', 2);
  expect(() => appOf('signup', 2)).toThrow('SLUICE_DUPLICATE_NAME');
});

it.each(['login', 1, null])('An owner that is no object is a mistake: %p', (owner) => {
  expect(() => appOf('other', 2, owner as never)).toThrow('owner must be an object');
});

const usual = { limit: 1, window: '1m' } as const;

it.each([
  ['a limit as text', { limit: '100' }, 'limit'],
  ['no finite limit', { limit: Number.POSITIVE_INFINITY }, 'limit'],
  ['a window as text without a unit', { window: '60000' }, 'window'],
  ['null as the store', { store: null }, 'store must be a store'],
  ['an empty name', { name: '' }, 'name'],
])('A value that another library takes is a mistake: %s', (_, options, message) => {
  expect(() => rateLimit({ ...usual, ...options } as never)).toThrow(message);
});

it('An undefined store is the memory store, as without the option', async () => {
  const app = supertest(express().use(rateLimit({ ...usual, store: undefined }), (_req, res) => void res.send('ok')));
  expect([(await app.get('/')).status, (await app.get('/')).status]).toEqual([200, 429]);
});
