import { Body, Controller, HttpCode, Post, UnauthorizedException, UseGuards } from '@nestjs/common';
import { signIn } from '@sluice/example-shared';
import { RateLimit, RateLimitGuard } from '@sluice/nestjs';

@Controller('login')
export class LoginController {
  /** Guessing a password is limited, signing in is not. */
  @Post()
  @HttpCode(200)
  @UseGuards(RateLimitGuard)
  @RateLimit('default', 'login')
  login(@Body() body: unknown) {
    const userName = signIn(body);
    if (userName === undefined) throw new UnauthorizedException('Wrong user name or password.');
    return { welcome: userName };
  }
}
