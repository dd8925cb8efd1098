import { layout, route } from '@react-router/dev/routes';

export default [
  route('api/things', './things.ts'),
  route('api/own', './own.ts'),
  route('api/echo', './echo.ts'),
  route('api/slots', './slots.ts'),
  layout('./limited.ts', [
    route('limited/things', './handlers/things.js'),
    route('limited/teapot', './handlers/teapot.js'),
    route('limited/broken', './handlers/broken.js'),
    route('limited/echo', './handlers/echo.js'),
    route('limited/page', './handlers/page.jsx'),
  ]),
  layout('./limited-slots.ts', [route('limited/slots', './handlers/slots.js')]),
];
