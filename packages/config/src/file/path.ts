/** A place in a document: the keys of mappings and the places in lists that lead to it. */
export type Path = readonly (string | number)[];

/** Returns a path as text: `policies.api.limits[1].window`. A name that is no word stands in brackets: `customers["a b"]`. */
export function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[\w$-]+$/.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Reads the path of an error of the core, such as `limits[1].blockDuration.max`. */
export function pathOf(text: string): Path {
  const steps = text.match(/[^.[\]()]+/g) ?? [];
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
