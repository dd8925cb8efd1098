// The members of a type that is made of others: `PolicyOptions` of types that are not exported, and of several forms. TypeDoc shows what
// is written there; the compiler knows what it has.
import { ReflectionKind } from 'typedoc';
import ts from 'typescript';
import { ROOT } from './repository.mjs';

/** Shown where they are declared, or not ours. */
const DECLARED = ts.SymbolFlags.Interface | ts.SymbolFlags.Class;

/** The objects that a type may be: each member of a union. Text, numbers, lists and functions have no members to show. */
function objectsOf(type, checker) {
  if (type.isUnion()) return type.types.flatMap((one) => objectsOf(one, checker));
  if ((type.symbol?.flags ?? 0) & DECLARED || checker.isArrayLikeType(type) || type.getCallSignatures().length > 0)
    return [];
  return type.flags & ts.TypeFlags.Object || type.isIntersection() ? [type] : [];
}

/** Where a member is written; undefined if it belongs to a library. `limits?: never` says that there is none. */
function declarationOf({ declarations = [] }) {
  return declarations.find(
    ({ type, parent }) =>
      parent.getSourceFile().fileName.startsWith(`${ROOT}packages/`) &&
      type &&
      type.kind !== ts.SyntaxKind.NeverKeyword,
  );
}

/** The members of the objects that an alias stands for, each with its text and its docstring, in the order of the source. */
export function aliasMembers(context, reflection) {
  const { checker } = context;
  const { declarations } = context.getSymbolFromReflection(reflection);
  // Members of a type with a name of its own are shown there, and so are those of every conditional type.
  const written = declarations[0].type;
  if (!written || ts.isTypeReferenceNode(written) || ts.isConditionalTypeNode(written) || ts.isMappedTypeNode(written))
    return [];
  const found = new Map();
  for (const object of objectsOf(checker.getTypeFromTypeNode(written), checker)) {
    for (const property of object.getProperties()) {
      const declaration = declarationOf(property);
      if (!declaration || /^__@/.test(property.name)) continue;
      const optional = declaration.questionToken ? '?' : '';
      const text = `${property.name}${optional}: ${declaration.type.getText().replace(/\s*\/\*[\s\S]*?\*\/\s*/g, ' ')}`;
      found.set(text, { name: property.name, text, comment: context.getComment(property, ReflectionKind.Property) });
    }
  }
  return [...found.values()];
}
