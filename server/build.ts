import { buildConsole } from './console/page-build/build-console.ts';
import { buildProgram } from './program/build-program.ts';
import { yieldToVisitors } from './start/yield-to-visitors.ts';

/**
 * `npm run build`: does in advance what would delay the first start. The result is readable by the user who
 * runs the server, whichever user built it.
 */
yieldToVisitors();
await buildConsole(process.cwd());
await buildProgram(process.cwd());
