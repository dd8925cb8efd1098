import { MemoryStore } from '@sluice/core';
import { storeSuite } from '@sluice/core/testing';

storeSuite('MemoryStore', (clock) => new MemoryStore({ clock }));
