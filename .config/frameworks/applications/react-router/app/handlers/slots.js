import { ticks } from 'answers';

export const loader = () => ticks();
