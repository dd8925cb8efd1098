/** How long the processor works for one answer. */
const CHECKOUT_MS = 2;
const PRODUCT_MS = 2;
const RELATED_MS = 3;

/** Keeps the processor busy, as templates, encryption and large JSON do. */
function compute(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

export interface Product {
  readonly id: string;
  /** What others bought, too. It costs more than all the rest of the page. Empty in a smaller answer. */
  readonly related: readonly string[];
}

/** @param isSmall - without what is costly */
export function productPage(id: string, isSmall: boolean): Product {
  compute(PRODUCT_MS);
  if (isSmall) return { id, related: [] };
  compute(RELATED_MS);
  return { id, related: ['a lamp', 'a chair'] };
}

export function checkOut(): { readonly order: string } {
  compute(CHECKOUT_MS);
  return { order: 'accepted' };
}
