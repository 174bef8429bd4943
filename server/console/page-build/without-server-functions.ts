import type { Plugin } from 'vite';

/**
 * Keeps TanStack Start's caller of server functions, and the serializer it brings (10 KB of every first page), out of the
 * browser: the console has none, all that it asks for is a procedure of tRPC. One that is written fails at its first call.
 */
export function withoutServerFunctions(): Plugin {
  return {
    name: 'portage:without-server-functions',
    applyToEnvironment: ({ name }) => name === 'client',
    load: {
      filter: { id: /start-client-core\/dist\/esm\/client-rpc\/serverFnFetcher\.js/ },
      handler: () => `export function serverFnFetcher() {
        throw new Error('The console has no server functions: declare a procedure (server/routers).');
      }
      export function trackPostProcessPromise() {}`,
    },
  };
}
