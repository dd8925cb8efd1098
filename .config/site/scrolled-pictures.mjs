// A picture keeps its width on a small screen, and is scrolled to, as a table is. Whoever has a keyboard alone can do so once it is focused:
// VitePress marks tables for that, and no pictures.

/** Has markdown-it apply the rule. */
export function scrolledPictures(md) {
  md.core.ruler.push('sluice-scrolled-pictures', ({ tokens }) => {
    for (const [at, token] of tokens.entries())
      if (token.type === 'paragraph_open' && isPicture(tokens[at + 1])) token.attrSet('tabindex', '0');
  });
}

/** Whether a paragraph has a picture alone. */
function isPicture({ children }) {
  return children.length === 1 && children[0].type === 'image';
}
