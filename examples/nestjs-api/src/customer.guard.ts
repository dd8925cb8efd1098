import { type CanActivate, type ExecutionContext, Injectable, UnauthorizedException } from '@nestjs/common';
import { customerOf } from '@sluice/example-shared';
import type { Request } from 'express';

@Injectable()
export class CustomerGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (customerOf(context.switchToHttp().getRequest<Request>())) return true;
    throw new UnauthorizedException('Send a valid key in X-Api-Key.');
  }
}
