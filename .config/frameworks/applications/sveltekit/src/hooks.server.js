import * as recipe from './recipe.ts';
import * as slots from './slots.ts';

export const handle = (input) =>
  input.event.url.pathname.startsWith('/slots') ? slots.handle(input) : recipe.handle(input);
