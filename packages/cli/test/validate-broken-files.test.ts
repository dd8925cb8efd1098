import { describe, expect, it } from '@jest/globals';
import { BROKEN_FILES } from '../../config/test/file/broken-files.js';
import { widthOf } from '../src/terminal/printable.js';
import { sluice } from './test-io.js';

const validate = async (stdin: string, ...options: string[]) => sluice(['validate', '-', ...options], { stdin });

/** The mistakes that the text output has, with the place that its mark points to. */
function marked(out: string) {
  const lines = out.trimEnd().split('\n');
  expect(lines.length % 3).toBe(0);
  return Array.from({ length: lines.length / 3 }, (_, i) => {
    const [heading = '', excerpt = '', mark = ''] = lines.slice(3 * i, 3 * i + 3);
    const gutter = excerpt.indexOf('| ') + 2;
    const [, place, text] = /^<stdin>:(\d+:\d+): error: (.*)$/.exec(heading) ?? [];
    return { place, text, line: excerpt.slice(gutter), mark: mark.slice(gutter) };
  });
}

describe('sluice validate', () => {
  it.each(BROKEN_FILES)('marks all mistakes of a broken file: $title', async ({ text, mistakes }) => {
    const { exitCode, out, err } = await validate(text);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: '' });
    const found = marked(out);
    expect(found.map((one) => `${one.place} ${one.text}`)).toEqual(
      mistakes.map(({ line, column, text: message }) => `${line}:${column} ${message}`),
    );
    for (const [i, { line, column }] of mistakes.entries()) {
      const whole = (text.split('\n')[line - 1] ?? '').replace(/\r$/, '').replaceAll('\t', ' ');
      const shown = found[i] as (typeof found)[number];
      // A long line is cut.
      if (whole.length < 190) expect(shown.line).toBe(whole.trimEnd());
      if (whole.length < 190) expect(shown.mark.indexOf('^')).toBe(widthOf(whole.slice(0, column - 1)));
    }
  });

  it.each(BROKEN_FILES)('annotates the right lines of a broken file: $title', async ({ text, mistakes }) => {
    const { exitCode, out } = await validate(text, '--format', 'github');
    expect(exitCode).toBe(1);
    const places = [...out.matchAll(/^::error file=<stdin>,line=(\d+),col=(\d+),title=SLUICE_[A-Z_]+::\S/gm)];
    expect(places.map(([, line, column]) => [Number(line), Number(column)])).toEqual(
      mistakes.map(({ line, column }) => [line, column]),
    );
    expect(out.trimEnd().split('\n')).toHaveLength(mistakes.length);
  });
});
