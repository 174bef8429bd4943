import { createStartHandler, defaultStreamHandler } from '@tanstack/react-start/server';

/**
 * Renders pages. What fails is thrown to who asked for the page: Start's own entry would print it and answer with JSON that
 * nobody understands.
 */
export default { fetch: createStartHandler(defaultStreamHandler) };
