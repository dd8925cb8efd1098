/** Express 4 under its alias. What is used of it here is typed as in Express 5. */
declare module 'express4' {
  export { default } from 'express';
}
