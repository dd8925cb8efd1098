import { All, Controller, Get, NotFoundException, Req } from '@nestjs/common';
import { SkipRateLimit } from '@sluice/nestjs';
import type { Request } from 'express';

@Controller()
export class RootController {
  @Get('health')
  @SkipRateLimit()
  health() {
    return { status: 'up' };
  }

  @Get()
  home() {
    return { hello: 'world' };
  }
}

/** What no route answers. Nest runs guards where there is a handler, so that without this it would not be counted. */
@Controller()
export class NotFoundController {
  @All('*path')
  notFound(@Req() { method, path }: Request): never {
    throw new NotFoundException(`There is no ${method} ${path}.`);
  }
}
