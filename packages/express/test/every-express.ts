import { describe } from '@jest/globals';
import express5 from 'express';
import express4 from 'express4';

/** Runs the same tests on every version of Express that is supported. */
export function onEveryExpress(body: (express: typeof express5) => void): void {
  describe('Express 4', () => body(express4));
  describe('Express 5', () => body(express5));
}
