// One page of the reference: the exports of an entry, each with its declaration, its docstring and its members.
import { ReflectionKind } from 'typedoc';
import { apiAddressOf } from './collect.mjs';
import { BASE } from './repository.mjs';
import { signatureText, typeText } from './type-text.mjs';

/** The sections of a page, in their order. */
const SECTIONS = [
  ['Functions', ReflectionKind.Function],
  ['Classes', ReflectionKind.Class],
  ['Interfaces', ReflectionKind.Interface],
  ['Types', ReflectionKind.TypeAlias],
  ['Constants', ReflectionKind.Variable | ReflectionKind.Enum],
];

/** `@throws SluiceError …`, and the other parts of a docstring, by what a page says before them. */
const TAGS = { '@returns': 'Returns: ', '@throws': 'Throws: ', '@deprecated': 'Deprecated: ' };

const escaped = (text) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\{/g, '&#123;');

export class ReferencePages {
  #modules;
  #membersOfAliases;
  /** The address of each export, by its reflection and by its name. */
  #addresses = new Map();
  #byName = new Map();

  constructor(project, entries, membersOfAliases) {
    this.#membersOfAliases = membersOfAliases;
    const sources = new Map(entries.map(({ name, source }) => [source, name]));
    this.#modules = project.children.map((module) => {
      const source = [...sources.keys()].find((path) => module.sources?.[0]?.fullFileName.endsWith(`/${path}`));
      return { name: sources.get(source), module };
    });
    for (const { name, module } of this.#modules) this.#findAddresses(apiAddressOf(name), module);
  }

  /** Types and functions may share a name, and headings of one page must not share an id. */
  #findAddresses(page, module) {
    const taken = new Set();
    for (const [, kind] of SECTIONS) {
      for (const one of module.children ?? []) {
        if (!one.kindOf(kind)) continue;
        let id = one.name.toLowerCase();
        while (taken.has(id)) id += '-type';
        taken.add(id);
        const address = `${page}#${id}`;
        this.#addresses.set(one, address);
        if (!this.#byName.has(one.name)) this.#byName.set(one.name, address);
      }
    }
  }

  all() {
    return this.#modules.map(({ name, module }) => ({ name, text: this.#page(name, module) }));
  }

  /** The page that leads to all others. */
  index() {
    const rows = this.#modules.map(({ name, module }) => {
      const [, first = ''] =
        /^(.*?)(?:\. |\.?$)/s.exec(this.#text(module.comment?.summary ?? []).split('\n\n')[0]) ?? [];
      const about = first.replace(/^`[^`]+`: /, '').replace(/\s+/g, ' ');
      return `- [\`${name}\`](${apiAddressOf(name)})${about && `: ${about}`}`;
    });
    return `# Reference\n\nEvery export of each package, from its docstring. [Options](/options) has them in tables.\n\n${rows.sort().join('\n')}\n`;
  }

  #page(name, module) {
    const children = [...(module.children ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
    const sections = SECTIONS.flatMap(([title, kind]) => {
      const exports = children.filter((one) => one.kindOf(kind) && !one.kindOf(ReflectionKind.Reference));
      return exports.length === 0 ? [] : [`## ${title}`, ...exports.map((one) => this.#export(one))];
    });
    const others = children
      .filter((one) => one.kindOf(ReflectionKind.Reference))
      .map((one) => this.#linked(one.name, one.getTargetReflectionDeep()));
    return [
      `# ${name}`,
      this.#comment(module.comment),
      ...sections,
      ...(others.length === 0 ? [] : ['## Also exported', `The same as in other packages: ${others.join(', ')}.`]),
      '',
    ].join('\n\n');
  }

  #export(one) {
    const id = this.#addresses.get(one).split('#')[1];
    const calls = [...(one.signatures ?? [])];
    return [
      `### ${escaped(one.name)} {#${id}}`,
      ...(calls.length > 0
        ? calls.flatMap((call) => [
            this.#code(signatureText(one.name, call)),
            this.#comment(call.comment ?? one.comment, call),
          ])
        : [this.#code(declarationText(one)), this.#comment(one.comment)]),
      this.#members(one),
    ]
      .filter(Boolean)
      .join('\n\n');
  }

  #code = (text) => `\`\`\`ts\n${text}\n\`\`\``;

  /** The members of a class, an interface, or of the objects that a type is made of. */
  #members(one) {
    const ofAlias = this.#membersOfAliases.get(one);
    if (ofAlias) return ofAlias.map(({ text, comment }) => this.#member(text, comment)).join('\n');
    return membersOf(one)
      .flatMap((member) => {
        if (member.signatures?.length) {
          return member.signatures.map((call) => [
            signatureText(member.name, call),
            call.comment ?? member.comment,
            call,
          ]);
        }
        const name = member.name + (member.flags.isOptional ? '?' : '');
        const { type = member.type, comment = member.comment } = member.getSignature ?? {};
        return [[`${name}: ${typeText(type)}`, comment]];
      })
      .map((parts) => this.#member(...parts))
      .join('\n');
  }

  #member(declaration, comment, call) {
    const [, name, rest] = /^((?:new )?[^(<:?]+\??)([\s\S]*)$/.exec(declaration);
    const text = this.#comment(comment, call).replace(/\n/g, '\n  ');
    return `- <code><b>${escaped(name)}</b>${this.#withLinks(rest.replace(/\s+/g, ' '))}</code>${text && `\n\n  ${text}`}\n`;
  }

  /** The names of exports in the text of a type lead to them. */
  #withLinks(text) {
    return escaped(text).replace(/(?<![\w'"&;.])[A-Z]\w+/g, (name) => {
      const address = this.#byName.get(name);
      return address ? `<a href="${BASE}${address.slice(1)}">${name}</a>` : name;
    });
  }

  #linked(text, reflection) {
    const address = this.#addresses.get(reflection) ?? this.#byName.get(reflection?.name);
    const code = `\`${text.replace(/^`|`$/g, '')}\``;
    return address ? `[${code}](${address})` : code;
  }

  /** A docstring as Markdown. */
  #comment(comment, call) {
    if (!comment) return '';
    const parameters = (call?.parameters ?? [])
      .filter((parameter) => parameter.comment)
      .map((parameter) => `- \`${parameter.name}\`: ${this.#text(parameter.comment.summary).replace(/^- /, '')}`);
    const tags = comment.blockTags
      .filter(({ tag }) => TAGS[tag])
      .map(({ tag, content }) => TAGS[tag] + this.#text(content));
    const examples = comment.blockTags
      .filter(({ tag }) => tag === '@example')
      .map(({ content }) => this.#text(content))
      .map((text) => (text.includes('```') ? text : this.#code(text)));
    return [this.#text(comment.summary), parameters.join('\n'), ...tags, ...examples].filter(Boolean).join('\n\n');
  }

  #text(parts) {
    return parts
      .map((part) =>
        part.kind === 'inline-tag' ? this.#linked(part.text || part.target?.name, part.target) : part.text,
      )
      .join('')
      .trim();
  }
}

/** The code that declares an export, without its members. */
function declarationText(one) {
  const parameters = one.typeParameters?.length ? `<${one.typeParameters.map(({ name }) => name).join(', ')}>` : '';
  if (one.kindOf(ReflectionKind.TypeAlias)) return `type ${one.name}${parameters} = ${typeText(one.type, '\n')};`;
  if (one.kindOf(ReflectionKind.Variable)) return `const ${one.name}: ${typeText(one.type)};`;
  const keyword = one.kindOf(ReflectionKind.Class) ? 'class' : 'interface';
  const bases = (one.extendedTypes ?? []).map((type) => typeText(type)).join(', ');
  return `${keyword} ${one.name}${parameters}${bases && ` extends ${bases}`}`;
}

/** What a class or an interface adds to those that it extends. */
function membersOf({ children = [] }) {
  return children.filter(({ inheritedFrom, name }) => !inheritedFrom?.reflection && !name.startsWith('['));
}
