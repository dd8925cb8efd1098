import { Readable } from 'node:stream';
import { Controller, Get, Inject, StreamableFile, UseGuards } from '@nestjs/common';
import { exportRows } from '@sluice/example-shared';
import { RATE_LIMIT_STORE, RateLimit, RateLimitGuard, type Store } from '@sluice/nestjs';

@Controller('export')
export class DownloadsController {
  constructor(@Inject(RATE_LIMIT_STORE) private readonly store: Store) {}

  /** Slow rows; the slot is free again when the last is sent, or when the client goes away. */
  @Get()
  @UseGuards(RateLimitGuard)
  @RateLimit('default', 'export')
  download(): StreamableFile {
    return new StreamableFile(Readable.from(exportRows(this.store.clock)), { type: 'text/csv; charset=utf-8' });
  }
}
