// The text of types and calls, as TypeScript writes them.

const list = (types, separator) => types.map((type) => typeText(type)).join(separator);

/** A union in an array, and a function in a union, need parentheses. */
function inParentheses(type) {
  const needs =
    ['union', 'intersection', 'conditional', 'typeOperator'].includes(type.type) || type.declaration?.signatures;
  return needs ? `(${typeText(type)})` : typeText(type);
}

const KINDS = {
  intrinsic: ({ name }) => name,
  literal: ({ value }) => (typeof value === 'string' ? `'${value}'` : String(value)),
  reference: ({ name, typeArguments }) => name + (typeArguments?.length ? `<${list(typeArguments, ', ')}>` : ''),
  array: ({ elementType }) => `${inParentheses(elementType)}[]`,
  tuple: ({ elements }) => `[${list(elements, ', ')}]`,
  namedTupleMember: ({ name, isOptional, element }) => `${name}${isOptional ? '?' : ''}: ${typeText(element)}`,
  optional: ({ elementType }) => `${inParentheses(elementType)}?`,
  rest: ({ elementType }) => `...${typeText(elementType)}`,
  union: ({ types }) =>
    types.map((type) => (type.declaration?.signatures ? inParentheses(type) : typeText(type))).join(' | '),
  intersection: ({ types }) =>
    types.map((type) => (type.type === 'union' ? inParentheses(type) : typeText(type))).join(' & '),
  typeOperator: ({ operator, target }) => `${operator} ${inParentheses(target)}`,
  indexedAccess: ({ objectType, indexType }) => `${typeText(objectType)}[${typeText(indexType)}]`,
  query: ({ queryType }) => `typeof ${typeText(queryType)}`,
  predicate: ({ name, targetType, asserts }) =>
    `${asserts ? 'asserts ' : ''}${name}${targetType ? ` is ${typeText(targetType)}` : ''}`,
  conditional: ({ checkType, extendsType, trueType, falseType }) =>
    `${typeText(checkType)} extends ${typeText(extendsType)} ? ${typeText(trueType)} : ${typeText(falseType)}`,
  inferred: ({ name }) => `infer ${name}`,
  mapped: ({ parameter, parameterType, templateType }) =>
    `{ [${parameter} in ${typeText(parameterType)}]: ${typeText(templateType)} }`,
  templateLiteral: ({ head, tail }) =>
    `\`${head}${tail.map(([type, text]) => `\${${typeText(type)}}${text}`).join('')}\``,
  reflection: ({ declaration }) => objectText(declaration),
};

/** The text of a type. With a separator of lines, a union and the members of an object begin on new ones. */
export function typeText(type, lines) {
  if (!type) return 'unknown';
  if (lines && type.type === 'union' && type.types.length > 3) {
    return type.types.map((one) => `\n  | ${typeText(one).replace(/\n/g, '\n  ')}`).join('');
  }
  return KINDS[type.type]?.(type) ?? type.toString();
}

function objectText({ children = [], signatures = [], indexSignatures = [] }) {
  if (children.length === 0 && signatures.length === 1 && indexSignatures.length === 0) {
    return signatureText('', signatures[0], ' =>');
  }
  const members = [
    ...signatures.map((call) => signatureText('', call)),
    ...indexSignatures.map(
      ({ parameters, type }) => `[${parameters[0].name}: ${typeText(parameters[0].type)}]: ${typeText(type)}`,
    ),
    ...children.map(memberText),
  ];
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

function memberText({ name, flags, type, signatures, getSignature }) {
  if (signatures?.length) return signatureText(name + (flags.isOptional ? '?' : ''), signatures[0]);
  return `${name}${flags.isOptional ? '?' : ''}: ${typeText(type ?? getSignature?.type)}`;
}

/** More columns than this make a call hard to read, so that each parameter begins a line. */
const MOST_COLUMNS = 90;

/** The text of a call: `reset(key: Key): number`. */
export function signatureText(name, { typeParameters = [], parameters = [], type }, arrow = ':') {
  const kinds = typeParameters.map(
    (one) =>
      one.name +
      (one.type ? ` extends ${typeText(one.type)}` : '') +
      (one.default ? ` = ${typeText(one.default)}` : ''),
  );
  const taken = parameters.map(parameterText);
  const start = name + (kinds.length > 0 ? `<${kinds.join(', ')}>` : '');
  const end = `${arrow} ${typeText(type)}`;
  const line = `${start}(${taken.join(', ')})${end}`;
  if (arrow !== ':' || line.length <= MOST_COLUMNS) return line;
  return `${start}(\n${taken.map((one) => `  ${one},\n`).join('')})${end}`;
}

function parameterText({ name, flags, type, defaultValue }) {
  const isOptional = flags.isOptional || defaultValue !== undefined;
  // What is taken apart in place has no name of its own.
  const shown = name === '__namedParameters' ? 'options' : name;
  return `${flags.isRest ? '...' : ''}${shown}${isOptional ? '?' : ''}: ${typeText(type)}`;
}
