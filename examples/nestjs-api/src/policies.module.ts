import { Module } from '@nestjs/common';
import { Policies } from './policies.js';
import { StoreModule } from './store.module.js';

@Module({ imports: [StoreModule], providers: [Policies], exports: [Policies] })
export class PoliciesModule {}
