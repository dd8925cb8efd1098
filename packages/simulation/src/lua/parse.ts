import {
  type CallExpression,
  type Chunk,
  type Expression,
  type Node,
  type Options,
  parse,
  type StringCallExpression,
  type TableCallExpression,
} from 'luaparse';

/** A text that is no Lua. */
export class LuaSyntaxError extends Error {}

const OPTIONS = {
  luaVersion: '5.1',
  encodingMode: 'pseudo-latin1',
  locations: true,
  ranges: true,
  comments: false,
} as const satisfies Partial<Options>;

/** The types of tokens that tell of a parenthesis what it is for. */
const [END, STRING, IDENTIFIER, PUNCTUATOR] = [1, 2, 8, 32];

/** Calls and `...` in parentheses, which leave one value of several. The parser itself does not tell. */
const inParentheses = new WeakSet<Node>();

/**
 * Parses a script.
 *
 * @throws LuaSyntaxError
 */
export function parsed(source: string): Chunk {
  try {
    const grouped = groupedOffsets(source);
    const onCreateNode = (node: Node): void => {
      const { range } = node as { readonly range?: readonly [number, number] };
      if (range && grouped.has(range[0])) inParentheses.add(node);
    };
    return parse(source, { ...OPTIONS, onCreateNode });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const [, line, problem] = /^\[(\d+):\d+\] (.*)$/s.exec(error.message) ?? [];
    throw new LuaSyntaxError(`user_script:${line}: ${problem}`);
  }
}

/** Where what stands in parentheses begins. Parentheses around arguments follow what can be called. */
function groupedOffsets(source: string): ReadonlySet<number> {
  const lexer = parse({ ...OPTIONS, wait: true });
  lexer.write(source);
  const offsets = new Set<number>();
  let [canBeCalled, isGrouping] = [false, false];
  for (let token = lexer.lex(); token.type !== END; token = lexer.lex()) {
    if (isGrouping) offsets.add(token.range[0]);
    isGrouping = token.type === PUNCTUATOR && token.value === '(' && !canBeCalled;
    canBeCalled =
      token.type === STRING ||
      token.type === IDENTIFIER ||
      (token.type === PUNCTUATOR && [')', ']', '}'].includes(token.value));
  }
  return offsets;
}

/** A call in any of its three forms. */
export type Call = CallExpression | TableCallExpression | StringCallExpression;

/** Whether an expression can have several results. In parentheses, it has one. */
export function isMultiple(expression: Expression | undefined): boolean {
  if (!expression || inParentheses.has(expression)) return false;
  return expression.type === 'VarargLiteral' || isCall(expression);
}

export function isCall(expression: Expression): expression is Call {
  return ['CallExpression', 'TableCallExpression', 'StringCallExpression'].includes(expression.type);
}

/** The arguments of a call. */
export function argumentsOf(call: Call): readonly Expression[] {
  if (call.type === 'CallExpression') return call.arguments;
  return [call.type === 'StringCallExpression' ? call.argument : call.arguments];
}
