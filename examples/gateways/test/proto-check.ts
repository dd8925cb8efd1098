import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { loadSync } from '@grpc/proto-loader';

/** As much as is needed here of a message or enumeration in a protocol file. */
interface Definition {
  readonly name?: string;
  readonly field?: readonly Field[];
  readonly nestedType?: readonly Definition[];
  readonly enumType?: readonly Definition[];
  readonly value?: readonly { readonly name: string }[];
  readonly options?: { readonly mapEntry?: boolean } | null;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly typeName: string;
}

/** How values are written that are not an object of fields. */
const TEXT: Readonly<Record<string, (value: unknown) => boolean>> = {
  TYPE_BOOL: (value) => typeof value === 'boolean',
  TYPE_UINT32: (value) => Number.isInteger(value) && Number(value) >= 0,
  TYPE_STRING: (value) => typeof value === 'string',
  'google.protobuf.BoolValue': (value) => typeof value === 'boolean',
  'google.protobuf.UInt32Value': (value) => Number.isInteger(value) && Number(value) >= 0,
  'google.protobuf.Duration': (value) => /^\d+(\.\d{1,9})?s$/.test(String(value)),
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Checks data against the protocol files that Envoy publishes: every name has to be a field, and every value of its type. */
export class ProtoCheck {
  readonly #definitions = new Map<string, Definition>();

  /** @param files - the protocol files, below the folder of Envoy's interface. Those that they import come with them. */
  constructor(files: readonly string[]) {
    const deps = join(dirname(createRequire(__filename).resolve('@grpc/grpc-js-xds/package.json')), 'deps');
    const includeDirs = ['envoy-api', 'xds', 'protoc-gen-validate', 'googleapis'].map((folder) => join(deps, folder));
    const loaded = loadSync([...files], { keepCase: true, includeDirs });
    for (const [name, definition] of Object.entries(loaded)) {
      if ('type' in definition) this.#add(name, definition.type as Definition);
    }
  }

  #add(name: string, definition: Definition): void {
    this.#definitions.set(name, definition);
    for (const inner of [...(definition.nestedType ?? []), ...(definition.enumType ?? [])]) {
      this.#add(`${name}.${inner.name}`, inner);
    }
  }

  /** Returns the mistakes of a message, each with its path. */
  mistakes(message: string, data: unknown, path = message): string[] {
    const isText = TEXT[message];
    if (isText) return isText(data) ? [] : [`${path}: ${JSON.stringify(data)} is no ${message}`];
    if (!isObject(data)) return [`${path}: ${JSON.stringify(data)} is no message`];
    if (message === 'google.protobuf.Any') return this.#any(data, path);
    const fields = this.#definitions.get(message)?.field;
    if (!fields) return [`${path}: nobody knows ${message}`];
    return Object.entries(data).flatMap(([name, value]) => {
      const field = fields.find((candidate) => candidate.name === name);
      return field ? this.#field(message, field, value, `${path}.${name}`) : [`${path}.${name}: no such field`];
    });
  }

  #any({ '@type': url, ...message }: Readonly<Record<string, unknown>>, path: string): string[] {
    const [, name] = /^type\.googleapis\.com\/([\w.]+)$/.exec(String(url)) ?? [];
    return name ? this.mistakes(name, message, `${path}<${name}>`) : [`${path}: ${JSON.stringify(url)} names no type`];
  }

  #field(message: string, { label, type, typeName }: Field, value: unknown, path: string): string[] {
    const name = typeName === '' ? type : this.#resolve(message, typeName);
    const definition = this.#definitions.get(name);
    const one = (item: unknown, at: string): string[] =>
      type === 'TYPE_ENUM' ? enumMistakes(definition, item, at) : this.mistakes(name, item, at);
    if (label !== 'LABEL_REPEATED') return one(value, path);
    if (definition?.options?.mapEntry) {
      const entry = definition.field?.find((field) => field.name === 'value') as Field;
      if (!isObject(value)) return [`${path}: ${JSON.stringify(value)} is no map`];
      return Object.entries(value).flatMap(([key, item]) => this.#field(name, entry, item, `${path}[${key}]`));
    }
    if (!Array.isArray(value)) return [`${path}: ${JSON.stringify(value)} is no list`];
    return value.flatMap((item, i) => one(item, `${path}[${i}]`));
  }

  /** Names in protocol files are looked up from the innermost scope outwards. */
  #resolve(scope: string, name: string): string {
    for (let outer = scope; ; outer = outer.slice(0, Math.max(0, outer.lastIndexOf('.')))) {
      const full = outer === '' ? name : `${outer}.${name}`;
      if (outer === '' || this.#definitions.has(full)) return full;
    }
  }
}

function enumMistakes(definition: Definition | undefined, value: unknown, path: string): string[] {
  const isKnown = definition?.value?.some(({ name }) => name === value);
  return isKnown ? [] : [`${path}: ${JSON.stringify(value)} is no value of ${definition?.name}`];
}
