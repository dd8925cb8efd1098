import { describe, expect, it } from '@jest/globals';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import { AuditTrail } from '../../src/admin/audit-trail.js';

const line = (place: number, text = ''): string => `${JSON.stringify({ place, text })}\n`;

describe('an audit trail', () => {
  it('passes each line on, and keeps the last thousand', () => {
    const written: string[] = [];
    const trail = new AuditTrail({ write: (text) => written.push(text) });
    for (let i = 0; i < 1100; i += 1) trail.write(line(i));
    expect(written).toHaveLength(1100);
    expect(trail.last(2000)).toHaveLength(1000);
    expect(trail.last(2)).toEqual([
      { place: 1098, text: '' },
      { place: 1099, text: '' },
    ]);
  });

  it('keeps at most a million characters, and always the last line', () => {
    const trail = new AuditTrail();
    for (let i = 0; i < 30; i += 1) trail.write(line(i, 'x'.repeat(100_000)));
    expect(trail.last(100)).toHaveLength(9);
    trail.write(line(30, 'x'.repeat(2_000_000)));
    expect(trail.last(100)).toMatchObject([{ place: 30 }]);
    trail.write(line(31));
    expect(trail.last(100)).toMatchObject([{ place: 31 }]);
  });

  it('goes on if its writer fails, and warns once', () => {
    const warnings = emittedWarnings();
    const trail = new AuditTrail({
      write() {
        throw new Error('no space left on device');
      },
    });
    trail.write(line(0));
    trail.write(line(1));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({
      code: 'SLUICE_HOOK_FAILED',
      message: expect.stringContaining('no space left'),
    });
    expect(trail.last(2)).toHaveLength(2);
  });
});
