/** One variable of a `log_format`, and the text that follows it up to the next variable. */
interface TemplatePart {
  readonly variable: string;
  readonly after: string;
}

/** A `log_format` of nginx, in parts. */
export interface Template {
  readonly before: string;
  readonly parts: readonly TemplatePart[];
  readonly escape: 'default' | 'json' | 'none';
}

/** A `log_format` that cannot be read back. */
export class LogFormatError extends Error {
  override readonly name = 'LogFormatError';
}

const VARIABLE = /\$(?:\{([A-Za-z0-9_]+)\}|([A-Za-z0-9_]+))/g;
const DIRECTIVE = /^\s*log_format\s+\S+\s+/;
const ESCAPE = /^\s*escape=(default|json|none)\s+/;
const PIECE = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*/y;

/**
 * Reads a `log_format`: the format alone, or the directive as it stands in `nginx.conf`, with its quotes.
 *
 * @throws LogFormatError if it has no variable, or two variables without text between them
 */
export function readTemplate(text: string): Template {
  const withoutName = text.replace(DIRECTIVE, '');
  const escaping = ESCAPE.exec(withoutName);
  const format = unquoted(withoutName.slice(escaping?.[0].length ?? 0));
  const found = [...format.matchAll(VARIABLE)];
  if (found.length === 0) throw new LogFormatError(`the log format has no variable such as $remote_addr: ${text}`);
  const parts = found.map((match, i): TemplatePart => {
    const variable = match[1] ?? (match[2] as string);
    const next = found[i + 1];
    const after = format.slice(match.index + match[0].length, next?.index);
    if (after === '' && next) {
      throw new LogFormatError(
        `nothing tells where $${variable} ends and ${next[0]} begins in the log format: ${text}`,
      );
    }
    return { variable, after };
  });
  return {
    before: format.slice(0, found[0]?.index),
    parts,
    escape: (escaping?.[1] ?? 'default') as Template['escape'],
  };
}

/** Joins the quoted pieces of a directive. A format without quotes around it is returned as it is. */
function unquoted(text: string): string {
  const body = text.trim().replace(/;$/, '');
  let joined = '';
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < body.length) {
    const piece = PIECE.exec(body);
    if (!piece) return text.trim();
    joined += (piece[1] ?? piece[2] ?? '').replaceAll(/\\(.)/g, '$1');
  }
  return joined;
}
