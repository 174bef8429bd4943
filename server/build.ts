import { buildConsole } from './console/build-console.ts';

/** `npm run build`: what a start would build first, and take longer for. Whoever runs the server may read it, whoever built it. */
await buildConsole(process.cwd());
