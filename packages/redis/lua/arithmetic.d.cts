export function arithmeticOf(name: string, user: string): string;
export function luaOf(source: string, file: string, user: string): string;
