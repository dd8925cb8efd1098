import type { FaultStep } from '../../tape/tape.js';
import { timeText } from './words.js';

/** Says what goes wrong, in a sentence without its end. */
export function faultText(fault: FaultStep): string {
  switch (fault.fault) {
    case 'crash':
      return `process ${fault.process} crashes`;
    case 'start':
      return `process ${fault.process} starts anew${versionText(fault)}`;
    case 'stall':
      return `the event loop of process ${fault.process} stands still for ${timeText(fault.forMs)}`;
    case 'set-clock':
      return `the clock of server ${fault.server} is set ${timeText(Math.abs(fault.byMs))} ${fault.byMs < 0 ? 'back' : 'forward'}`;
    case 'freeze':
      return `server ${fault.server} answers nobody for ${timeText(fault.forMs)}`;
    case 'restart':
      return `server ${fault.server} ends, and comes back after ${timeText(fault.forMs)} with ${fault.keeps === 'all' ? 'all that it knew' : 'nothing'}`;
    case 'fail-over':
      return `server ${fault.server} ends, and after ${timeText(fault.forMs)} a replica takes over that lacks the last ${timeText(fault.lagMs)}`;
    case 'flush':
      return `server ${fault.server} loses all its keys`;
    case 'forget-scripts':
      return `server ${fault.server} forgets its scripts`;
    case 'lose-key':
      return `server ${fault.server} loses one key`;
    case 'fill':
      return `server ${fault.server} has no memory left for ${timeText(fault.forMs)}, and ${fault.policy === 'evict' ? 'throws keys away' : 'refuses writes'}`;
    case 'cut':
      return `no message passes between process ${fault.process} and server ${fault.server} for ${timeText(fault.forMs)}${fault.how === 'silent' ? ', which nobody notices' : ''}`;
    case 'lag':
      return `for ${timeText(fault.forMs)} messages ${lagText(fault)} take ${timeText(fault.moreMs)} longer`;
  }
}

function lagText({ process, server, to }: Extract<FaultStep, { readonly fault: 'lag' }>): string {
  if (to === 'server') return `from process ${process} to server ${server}`;
  return to === 'process'
    ? `from server ${server} to process ${process}`
    : `between process ${process} and server ${server}`;
}

function versionText({ code, variant }: { readonly code?: number; readonly variant?: number }): string {
  return `${code ? `, with version ${code} of the code` : ''}${variant ? `, with variant ${variant} of the policies` : ''}`;
}
