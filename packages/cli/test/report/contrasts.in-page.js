// Runs in the page: the least contrast of texts and of what charts draw, against what lies behind them.
() => {
  const read = (text) => {
    const [r, g, b, alpha = '1'] = text.match(/[\d.]+/g) ?? [];
    return text.startsWith('rgb') && Number(alpha) > 0 ? [Number(r), Number(g), Number(b)] : undefined;
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [a, b] = [luminance(one), luminance(other)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = read(getComputedStyle(at).backgroundColor);
      if (color) return color;
    }
    return [255, 255, 255];
  };
  const result = { texts: { count: 0, least: 99 }, graphics: { count: 0, least: 99 } };
  const add = (kind, color, element) => {
    if (!color) return;
    result[kind].count += 1;
    result[kind].least = Math.min(result[kind].least, contrast(color, behind(element)));
  };
  for (const details of document.querySelectorAll('details')) details.open = true;
  for (const element of document.querySelectorAll('body *')) {
    if (element.getClientRects().length === 0) continue;
    const style = getComputedStyle(element);
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    if (hasText) add('texts', read(element.closest('svg') ? style.fill : style.color), element);
    // Lines of the grid only help the eye.
    if (element.tagName === 'path' && element.closest('g[class*="mark"], svg'))
      for (const name of ['--requests', '--refused', '--against', '--mark'])
        if ([element.getAttribute('fill'), element.getAttribute('stroke')].includes(`var(${name})`))
          add('graphics', read(element.getAttribute('fill')?.includes(name) ? style.fill : style.stroke), element);
  }
  return result;
};
