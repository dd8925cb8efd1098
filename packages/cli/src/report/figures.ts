import { minuteText, share } from '../replay/numbers.js';
import { count } from '../terminal/counted.js';
import { type Html, html } from './html.js';

/**
 * Writes a number of the result.
 *
 * @param path - where it stands in the JSON, such as `requests.refused`. Programs that read the page find it there
 */
export function number(value: number, path: string): Html {
  return html`<data value="${value}" data-of="${path}">${count(value)}</data>`;
}

/** Writes which share one number of the result is of another. */
export function shareOf(part: readonly [number, string], whole: readonly [number, string]): Html {
  const [[value, path], [all, allPath]] = [part, whole];
  const exact = all === 0 ? 0 : value / all;
  return html`<data class="share" value="${exact}" data-of="${path}/${allPath}">${share(value, all)}</data>`;
}

/** Writes a time of the result, in UTC. */
export function time(ms: number, path: string): Html {
  return html`<time datetime="${new Date(ms).toISOString()}" data-of="${path}">${minuteText(ms)}</time>`;
}
