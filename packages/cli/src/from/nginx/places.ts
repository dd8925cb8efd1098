import { isLimit } from '../is-limit.js';
import { isLiteral, prefixPattern } from '../prefix-pattern.js';
import { connectionLimit, type PlacedLimit, requestLimit, type Zone } from './limit-of.js';
import type { Directive } from './parse.js';

/** A place of a configuration that states limits: the `http` block, a server or a location. */
export interface LimitedPlace {
  /** For people: `location /api/ (nginx.conf:20)`. Several places with the same limits are one. */
  readonly titles: readonly string[];
  /** What its policy is called after. */
  readonly label: string;
  /** The requests that it is for, as globs; empty for all requests. */
  readonly paths: readonly string[];
  /** Why `paths` do not say which requests it is for. */
  readonly unmatched: string | undefined;
  readonly limits: readonly PlacedLimit[];
  readonly settings: Settings;
  /** Limits that are not valid. */
  readonly broken: readonly string[];
}

/** Settings that a block inherits one by one. */
export interface Settings {
  readonly limit_req_status?: string;
  readonly limit_conn_status?: string;
  readonly limit_req_dry_run?: string;
  readonly limit_conn_dry_run?: string;
}

const SETTINGS = ['limit_req_status', 'limit_conn_status', 'limit_req_dry_run', 'limit_conn_dry_run'] as const;

/** Limits of a block. They are inherited if the block has none of the same kind. */
interface Inherited {
  readonly requests: readonly Directive[];
  readonly connections: readonly Directive[];
  readonly settings: Settings;
}

/** Finds every place that states limits, in the order of the text. */
export function limitedPlaces(http: Directive, zones: ReadonlyMap<string, Zone>): LimitedPlace[] {
  const places: LimitedPlace[] = [];
  visit(http, { requests: [], connections: [], settings: {} }, undefined);
  return merged(places);

  function visit(directive: Directive, from: Inherited, server: Directive | undefined): void {
    const block = directive.block ?? [];
    const own = (name: string): Directive[] => block.filter((inner) => inner.name === name);
    const requests = own('limit_req');
    const connections = own('limit_conn');
    const inherited: Inherited = {
      requests: requests.length > 0 ? requests : from.requests,
      connections: connections.length > 0 ? connections : from.connections,
      settings: { ...from.settings, ...settingsOf(block) },
    };
    if (requests.length > 0 || connections.length > 0) places.push(placeOf(directive, inherited, server, zones));
    for (const inner of block) {
      if (inner.name === 'server') visit(inner, inherited, inner);
      else if (inner.name === 'location') visit(inner, inherited, server);
    }
  }
}

/** Puts places with the same limits together: nginx counts them together, and so does one policy. */
function merged(places: readonly LimitedPlace[]): LimitedPlace[] {
  const byContent = new Map<string, LimitedPlace>();
  for (const place of places) {
    const { limits, settings, broken, unmatched, titles, paths } = place;
    const content = JSON.stringify([limits.map(({ zone, spec }) => [zone.name, spec]), settings, broken, unmatched]);
    const known = byContent.get(content);
    const isForAll = paths.length === 0 || known?.paths.length === 0;
    byContent.set(
      content,
      known
        ? {
            ...known,
            titles: [...known.titles, ...titles],
            paths: isForAll ? [] : [...new Set([...known.paths, ...paths])],
          }
        : place,
    );
  }
  return [...byContent.values()];
}

function settingsOf(block: readonly Directive[]): Settings {
  return Object.fromEntries(
    SETTINGS.flatMap((name) => {
      const value = block.find((inner) => inner.name === name)?.args[0];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function placeOf(
  directive: Directive,
  { requests, connections, settings }: Inherited,
  server: Directive | undefined,
  zones: ReadonlyMap<string, Zone>,
): LimitedPlace {
  const limits: PlacedLimit[] = [];
  const broken: string[] = [];
  const add = ({ name, args, place }: Directive, zoneName: string | undefined, make: typeof requestLimit): void => {
    const zone = zoneName === undefined ? undefined : zones.get(zoneName);
    const limit = zone && make(zone, args, place);
    if (limit && isLimit(limit.spec)) limits.push(limit);
    else
      broken.push(
        `${name} ${args.join(' ')} (${place}): ${zone ? 'its numbers are not valid' : 'there is no such zone'}`,
      );
  };
  for (const request of requests)
    add(request, request.args.find((arg) => arg.startsWith('zone='))?.slice('zone='.length), requestLimit);
  for (const connection of connections) add(connection, connection.args[0], connectionLimit);
  return { ...whereOf(directive, server), limits, settings, broken };
}

type Where = Pick<LimitedPlace, 'titles' | 'label' | 'paths' | 'unmatched'>;

function whereOf({ name, args, place }: Directive, server: Directive | undefined): Where {
  const host = server?.block?.find((inner) => inner.name === 'server_name')?.args[0] ?? '';
  const serverTitle = host === '' || host === '_' ? '' : ` of ${host}`;
  if (name === 'location') {
    const title = `location ${args.join(' ')}${serverTitle} (${place})`;
    return { titles: [title], label: args.at(-1) ?? '', ...pathsOf(args) };
  }
  const title = name === 'server' ? `server${serverTitle} (${place})` : `all servers (${place})`;
  return { titles: [title], label: host, paths: [], unmatched: undefined };
}

/** Returns the requests of a location. Only some regular expressions are paths with a wildcard. */
function pathsOf(args: readonly string[]): Pick<Where, 'paths' | 'unmatched'> {
  const path = args.at(-1) ?? '/';
  const sign = args.length > 1 ? args[0] : path.startsWith('@') ? '@' : '';
  if (sign !== '@' && !sign?.startsWith('~') && !isLiteral(path))
    return { paths: [], unmatched: 'a path that no pattern has' };
  if (sign === '=') return { paths: [path], unmatched: undefined };
  if (sign === '' || sign === '^~') return { paths: path === '/' ? [] : [prefixPattern(path)], unmatched: undefined };
  const literal = /^\^(\/[\w/.-]*\/)(?:\.\*)?$/.exec(path.replaceAll('\\', ''))?.[1];
  if (literal !== undefined && sign === '~') return { paths: [prefixPattern(literal)], unmatched: undefined };
  return { paths: [], unmatched: sign === '@' ? 'a named location' : 'a regular expression' };
}
