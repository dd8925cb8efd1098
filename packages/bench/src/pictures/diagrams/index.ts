import { drawBalancer } from './balancer.js';
import { drawEdges } from './edges.js';
import { drawFreeze } from './freeze.js';
import { drawLayers } from './layers.js';
import { drawSeveralLimits } from './several-limits.js';
import { drawWay } from './way.js';

/** A picture that explains something, on a page. */
interface Diagram {
  /** Its file, below `packages`. */
  readonly path: string;
  /** The page that shows it. */
  readonly page: string;
  draw(): string;
}

export const DIAGRAMS: readonly Diagram[] = [
  { path: 'core/docs/pictures/edges.svg', page: 'core/docs/algorithms.md', draw: drawEdges },
  { path: 'core/docs/pictures/several-limits.svg', page: 'core/docs/comparison.md', draw: drawSeveralLimits },
  { path: 'core/docs/pictures/freeze.svg', page: 'core/docs/when-the-store-is-away.md', draw: drawFreeze },
  { path: 'core/docs/pictures/layers.svg', page: 'core/docs/architecture.md', draw: drawLayers },
  { path: 'core/docs/pictures/way.svg', page: 'core/docs/http.md', draw: drawWay },
  { path: 'server/docs/pictures/balancer.svg', page: 'server/docs/a-limiter-for-every-service.md', draw: drawBalancer },
];
