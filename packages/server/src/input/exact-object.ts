import { show } from '@sluice/core/values';
import * as v from 'valibot';

/** More members are one mistake, because a mistake for each of them would take long to find. */
export const MOST_MEMBERS = 100;

/** Makes the message of a rule: `must be text, got 5`. */
export function must(rule: string): (issue: v.BaseIssue<unknown>) => string {
  return ({ input }) => `must ${rule}, got ${show(input)}`;
}

/** Makes the message of a rule about a value that may be secret, so it is not repeated. */
export function mustSecretly(rule: string): string {
  return `must ${rule}`;
}

/**
 * An object of exactly these members. Every unknown member is a mistake of its own; `strictObject` of the library stops at the first
 * one.
 */
export function exactObject<const E extends v.ObjectEntries>(
  entries: E,
): v.GenericSchema<v.InferInput<v.ObjectSchema<E, undefined>>, v.InferOutput<v.ObjectSchema<E, undefined>>> {
  const unknown = `is not known here: the members are ${Object.keys(entries).join(', ')}`;
  return noList(
    v.objectWithRest(entries, v.never(unknown), (issue) =>
      issue.expected === 'Object' ? must('be an object')(issue) : 'is required',
    ),
  );
}

/** Names that the library passes over in silence, because they are properties of every object. */
const PASSED_OVER = ['__proto__', 'constructor', 'prototype'];

/**
 * The same schema, which refuses lists, objects of very many members, and members that the library passes over. To the library, a
 * list is an object whose members are its items.
 */
export function noList<S extends v.GenericSchema>(schema: S): S {
  return guarded(schema, (value) => {
    if (Array.isArray(value)) return must('be an object');
    if (typeof value !== 'object' || value === null) return undefined;
    if (Object.keys(value).length > MOST_MEMBERS) return `must have at most ${MOST_MEMBERS} members`;
    const name = PASSED_OVER.find((each) => Object.hasOwn(value, each));
    return name && `must not have the member ${name}`;
  });
}

/** The same schema, which refuses longer lists before it looks at their items. */
export function shortList<S extends v.GenericSchema>(schema: S, most: number): S {
  return guarded(schema, (value) =>
    Array.isArray(value) && value.length > most ? `must have at most ${most} items` : undefined,
  );
}

type Message = string | ReturnType<typeof must>;

/** The same schema, which first asks for a mistake that it would find late, or not at all. */
function guarded<S extends v.GenericSchema>(schema: S, mistakeIn: (value: unknown) => Message | undefined): S {
  return {
    ...schema,
    '~run': (dataset, config) => {
      const { value } = dataset;
      const message = mistakeIn(value);
      if (message === undefined) return schema['~run'](dataset, config);
      v._addIssue({ ...schema, message }, 'type', dataset, config);
      // It has an issue now, which its type cannot say: schemas of the library return it in the same way.
      return dataset as never;
    },
  };
}
