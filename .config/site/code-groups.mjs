// Blocks of code that each stand below a name in bold, one after another, become one block with a tab for each. In the repository they
// stay what they are: names with code below.

/** Has markdown-it apply the rule. */
export function codeGroups(md) {
  md.core.ruler.push('sluice-code-groups', (state) => {
    const { tokens, Token } = state;
    for (let start = 0; start < tokens.length; start++) {
      const named = namedBlocksFrom(tokens, start);
      if (named.length < 2) continue;
      for (const { name, fence } of named) fence.info += ` [${name}]`;
      const fences = named.map(({ fence }) => fence);
      tokens.splice(start, 4 * named.length, edge(Token, 'open', 1), ...fences, edge(Token, 'close', -1));
      start += fences.length + 1;
    }
  });
}

/** The blocks from here on that have a name: four tokens each, since a paragraph has three. */
function namedBlocksFrom(tokens, start) {
  const named = [];
  for (let at = start; ; at += 4) {
    const [open, inline, , fence] = tokens.slice(at, at + 4);
    const [, name] = (open?.type === 'paragraph_open' && /^\*\*([^*:]+)\*\*:?$/.exec(inline.content)) || [];
    if (name === undefined || fence?.type !== 'fence') return named;
    named.push({ name, fence });
  }
}

function edge(Token, side, nesting) {
  const token = new Token(`container_code-group_${side}`, 'div', nesting);
  return Object.assign(token, { block: true, info: 'code-group' });
}
