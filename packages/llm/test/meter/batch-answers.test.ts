import { describe, expect, it } from '@jest/globals';
import { BatchAnswers } from '../../src/meter/batch-answers.js';

const usage = { prompt_tokens: 13, completion_tokens: 40, total_tokens: 53 };
const line = (i: number, stated: object = usage): string =>
  `${JSON.stringify({ custom_id: `call-${i}`, response: { status_code: 200, body: { choices: [], usage: stated } } })}\n`;
const state = (status: string, completed: unknown, file?: string): string =>
  JSON.stringify({ id: 'batch_1', object: 'batch', status, request_counts: { completed }, output_file_id: file });

async function readIn(answers: BatchAnswers, text: string, size = text.length): Promise<void> {
  const reader = answers.begin();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  await reader.end();
}

const answersOf = (calls: number) => new BatchAnswers('openai-batches', { calls, format: 'openai-chat' });

describe('What a provider says of a batch', () => {
  it.each<[answered: string, state: string, isKnown: boolean]>([
    ['that it is refused', state('failed', undefined), true],
    ['that it has ended without an answer', state('completed', 0), true],
    ['that it has a file of answers, although none is counted', state('completed', 0, 'file-1'), false],
    ['a count that is none', state('completed', -1), false],
    ['no count', state('completed', undefined), false],
  ])('%s', async (_answered, text, isKnown) => {
    const answers = answersOf(2);
    await readIn(answers, text);
    expect(answers.isKnown).toBe(isKnown);
    expect(answers.parts).toEqual([]);
  });

  it('is known with a line for each call, whatever is counted and however the bytes are cut', async () => {
    const answers = answersOf(2);
    await readIn(answers, state('completed', 0, 'file-1'));
    await readIn(answers, line(0) + line(1).replace('call-1', 'call-é🙂'), 1);
    expect(answers).toMatchObject({ isKnown: true, usage: { input: 26, output: 80 } });
  });

  it.each([
    ['text', { ...usage, completion_tokens: '40' }],
    ['a fraction', { ...usage, completion_tokens: 0.5 }],
    ['less than nothing', { ...usage, prompt_tokens: -13 }],
    ['1e308', { ...usage, completion_tokens: 1e308 }],
  ])('is not known if a count is %s', async (_what, stated) => {
    const answers = answersOf(2);
    await readIn(answers, line(0) + line(1, stated));
    expect(answers).toMatchObject({ isKnown: false, isUnreadable: true });
  });
});
