import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * Runs code that imports modules of the site, and returns its `result`. They are no CommonJS, so that another process loads them. None of
 * them needs what the site installs.
 */
export function evaluate<T>(code: string): T {
  const script = `${code.replace(/from '\.\//g, `from '${join(__dirname, 'site')}/`)}\nconsole.log(JSON.stringify(result));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }));
}
