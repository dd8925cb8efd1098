import { availableUnits, constantText, effectiveSeconds, type FieldWriter, type HeaderItem } from './item.js';

/**
 * draft-ietf-httpapi-ratelimit-headers-11 sections 3 and 4: `RateLimit-Policy` and `RateLimit` are Lists (RFC 9651)
 * with an Item per limit, a String with the limit's name.
 *
 * - `RateLimit-Policy`: `q`, required, the quota; `qu`, its unit, `"requests"` if absent; `w`, whole seconds above 0,
 *   absent where a window has none.
 * - `RateLimit`: `r`, required, the available quota; `t`, the effective window: the whole seconds within which the
 *   client can use no more than `r`.
 *
 * Draft 8 has the same fields, parameters and types, so this text is right for both. What it says otherwise: `r` is
 * optional there, `w` may be 0, `t` is the time until the quota "resets", and should be that of `Retry-After` where
 * both are sent (draft 11: `Retry-After` should be no earlier). Neither revision defines how to write what `pk`
 * divides, and no `pk` is sent.
 */
export const writeDraft11: FieldWriter = (fields, items) => {
  let policies = '';
  let limits = '';
  for (const item of items) {
    const separator = policies === '' ? '' : ',';
    const text = constantText(item);
    policies += `${separator}${text.policy}`;
    limits += `${separator}${text.label};r=${availableUnits(item.verdict)}${effectiveWindow(item)}`;
  }
  fields['RateLimit-Policy'] = policies;
  fields.RateLimit = limits;
};

function effectiveWindow(item: HeaderItem): string {
  const seconds = effectiveSeconds(item);
  return seconds === undefined ? '' : `;t=${seconds}`;
}
