import { readFile } from 'node:fs/promises';
import { mistakeText, readPolicyFile, serviceCheck } from '@sluice/config';
import { fileMistake, type StartMistake } from './options/start-mistake.js';

/** Returns what is wrong with a policy file, so that it can be told together with wrong flags. */
export async function policyMistakes(path: string): Promise<readonly StartMistake[]> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return [fileMistake(`${path} cannot be read: ${code ?? message} (SLUICE_SOURCE)`)];
  }
  const { mistakes = [] } = readPolicyFile(text, { origin: path, check: serviceCheck });
  return mistakes.map((mistake) => fileMistake(mistakeText(mistake)));
}
