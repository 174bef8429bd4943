import { createStartHandler, defaultStreamHandler } from '@tanstack/react-start/server';

/**
 * Renders pages. Failures are thrown to the caller: Start's own entry would print them and answer with opaque
 * JSON.
 */
export default { fetch: createStartHandler(defaultStreamHandler) };
