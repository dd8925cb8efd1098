/** The functions of a file of arithmetic, by their names. */
export type Functions = ReadonlyMap<string, unknown>;

export function arithmeticOf(name: string, user: string): string;
export function functionsOf(source: string, file: string): Functions;
export function luaOf(source: string, file: string, user: string): string;
