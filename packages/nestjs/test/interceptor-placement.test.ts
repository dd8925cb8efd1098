import { expect, it } from '@jest/globals';
import { type CallHandler, Controller, Get, Injectable, SetMetadata, UseInterceptors } from '@nestjs/common';
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js';
import { MessagePattern } from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { RateLimitInterceptor } from '../src/index.js';
import { createApp } from './apps.js';

class Own {
  intercept(_: unknown, next: CallHandler) {
    return next.handle();
  }
}

@Controller()
class Routes {
  @Get()
  home() {
    return this.helper();
  }
  helper() {
    return 'home';
  }
}

@Controller()
class Messages {
  @MessagePattern('sum')
  sum() {}
}

@Controller()
@UseInterceptors(Own)
class Both {
  @Get('both')
  @SetMetadata('note', 'of a route')
  home() {}
  @MessagePattern('both')
  sum() {}
}

@WebSocketGateway()
class Gateway {
  @SubscribeMessage('say')
  say() {}
}

@Injectable()
class Consumer {
  @SetMetadata('queue', 'mails')
  consume() {}
}

class Made {
  @SetMetadata('queue', 'mails')
  consume() {}
}

@Injectable()
class Service {
  serve() {}
}

const interceptorsOf = (type: object): unknown[] | undefined => Reflect.getMetadata(INTERCEPTORS_METADATA, type);

it('The interceptor is added once, and first, to handlers that are not called by HTTP, and to no others', async () => {
  const made = { provide: 'MADE', useFactory: () => new Made() };
  const metadata = { controllers: [Routes, Messages, Both], providers: [Gateway, Consumer, made, Service] };
  for (let i = 0; i < 2; i += 1) {
    const app = await createApp({ policies: {} }, metadata);
    app.useWebSocketAdapter(new WsAdapter(app));
    await app.init();
  }
  const ours = expect.any(RateLimitInterceptor);
  for (const type of [Messages, Gateway, Consumer, Made]) expect([type, interceptorsOf(type)]).toEqual([type, [ours]]);
  expect(interceptorsOf(Both)).toEqual([ours, Own]);
  for (const type of [Routes, Service]) expect([type, interceptorsOf(type)]).toEqual([type, undefined]);
});
