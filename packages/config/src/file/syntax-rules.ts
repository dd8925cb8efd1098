import type { ErrorCode, YAMLError } from 'yaml';

/** What to do about the mistakes of syntax that people make most, by the code of the parser. */
const CURES: Partial<Record<ErrorCode, string>> = {
  BAD_INDENT: 'begin this line in the same column as the others of its block',
  BAD_DQ_ESCAPE: 'write the backslash twice, or use single quotes',
  BAD_SCALAR_START: 'put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'put the text after the first colon in quotes, or begin a new line',
  MISSING_CHAR: 'close every bracket and quote, and write a space after each colon',
  MULTILINE_IMPLICIT_KEY: 'write the name and its colon in one line, and in brackets a comma before it',
  MULTIPLE_DOCS: 'remove the line --- and what follows, because a policy file is one document',
  RESOURCE_EXHAUSTION: 'use fewer levels',
  TAB_AS_INDENT: 'use spaces instead of tabs at the beginning of the line',
  TAG_RESOLVE_FAILED: 'remove the tag, which begins with an exclamation mark',
  UNEXPECTED_TOKEN: 'put text with special characters in quotes, and check the brackets before it',
};

/** Says what is wrong in the syntax, and what to do. */
export function syntaxRule({ code, message }: YAMLError): string {
  const fault = message.split('\n', 1)[0]?.replace(/[.:]$/, '');
  return `the text is not YAML, nor JSON (${fault}): ${CURES[code] ?? 'compare the line with an example'}`;
}
