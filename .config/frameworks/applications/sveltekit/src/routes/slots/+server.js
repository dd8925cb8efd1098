import { ticks } from 'answers';

export const GET = () => ticks();
