import { defineEventHandler } from 'h3';

export default defineEventHandler(() => new Response('short and stout', { status: 418 }));
