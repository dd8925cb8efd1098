import type { Functions } from './arithmetic.cjs';

export function inlined(text: string, file: string, functionsOf?: (name: string) => Functions): string;
