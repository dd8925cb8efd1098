import type { Conversion } from './conversion.js';
import { convertFilters, filtersOf } from './envoy/convert-filter.js';
import { convertService } from './envoy/convert-service.js';
import { convertKong } from './kong/convert.js';
import { convertNginx } from './nginx/convert.js';
import { type ReadIncluded, readNginx } from './nginx/read-config.js';
import { wholePolicies } from './whole-policies.js';
import { YamlSyntaxError, YamlValue } from './yaml-value.js';

/** What a configuration can be of. */
export const FORMATS = ['nginx', 'kong', 'ratelimit', 'envoy'] as const;
export type Format = (typeof FORMATS)[number];

/** A configuration that has no limit, or that nobody here can read. */
export class NotConvertibleError extends Error {
  override readonly name = 'NotConvertibleError';
}

/**
 * Converts a foreign configuration.
 *
 * @param format - undefined to tell by the text
 * @throws NotConvertibleError if there is nothing to convert; NginxSyntaxError and YamlSyntaxError with the place
 */
export async function convert(
  text: string,
  origin: string,
  readIncluded: ReadIncluded,
  format: Format | undefined,
): Promise<Conversion> {
  const isNginx = format === undefined ? looksLikeNginx(text) : format === 'nginx';
  const conversion = wholePolicies(
    isNginx
      ? convertNginx(await readNginx(text, origin, readIncluded))
      : convertYaml(YamlValue.read(text, origin), origin, format),
  );
  if (conversion.policies.length > 0) return conversion;
  const [, why] = conversion.notes.filter(({ kind }) => kind === 'left out');
  throw new NotConvertibleError(`${origin} has no limit that can be converted${why ? `: ${why.text}` : ''}`);
}

/** A directive of nginx that takes part in limits, at the start of a line. */
function looksLikeNginx(text: string): boolean {
  return /^\s*(?:limit_(?:req|conn)(?:_zone)?\s|(?:http|server|events)\s*\{|include\s[^:]*;)/m.test(text);
}

function convertYaml(documents: readonly YamlValue[], origin: string, format: Format | undefined): Conversion {
  const [root] = documents;
  if (root === undefined) throw new YamlSyntaxError(`${origin}: it is empty`);
  const filters = documents.flatMap((document) => filtersOf(document));
  const found = format ?? formatOf(root, filters.length > 0);
  if (found === 'kong') return convertKong(root);
  if (found === 'ratelimit') return convertService(root);
  if (found === 'envoy') return convertFilters(filters);
  throw new NotConvertibleError(
    `${origin} is no configuration of nginx, Kong, envoyproxy/ratelimit or Envoy. If it is one, say which: --format`,
  );
}

function formatOf(root: YamlValue, hasFilters: boolean): Format | undefined {
  if (root.get('descriptors').exists && root.get('domain').exists) return 'ratelimit';
  if (
    ['_format_version', 'services', 'consumers', 'plugins', 'routes'].some(
      (name) => root.get(name).items.length > 0 || (name === '_format_version' && root.get(name).exists),
    )
  )
    return 'kong';
  return hasFilters ? 'envoy' : undefined;
}
