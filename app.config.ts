import { linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import { tanstackStart } from '@tanstack/react-start/plugin/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { theme } from './app/theme/theme.ts';
import { clientChunks, nameAsset, nameScript } from './server/console/page-build/client-chunks.ts';
import { dropDefaultColors } from './server/console/page-build/drop-default-colors.ts';
import { dropSchemaWords } from './server/console/page-build/drop-schema-words.ts';
import { dropUnusedStyles } from './server/console/page-build/drop-unused-styles.ts';
import { inlineTexts } from './server/console/page-build/inline-texts.ts';
import { lazyPartNeeds } from './server/console/page-build/lazy-part-needs.ts';
import { themeStyles } from './server/console/page-build/theme-styles.ts';
import { withoutServerFunctions } from './server/console/page-build/without-server-functions.ts';

/** Server folders whose code must never reach the browser; schema.ts, rules.ts, *-rules.ts, error-codes.ts and durations.ts may. */
const serverOnly = [
  '**/server/**',
  '**/db/**',
  '**/node_modules/better-sqlite3/**',
  '**/node_modules/kysely/**',
];
const clientSafeLeaves = [
  '**/node_modules/**',
  '**/server/services/**/schema.ts',
  '**/server/services/**/rules.ts',
  '**/server/services/**/*-rules.ts',
  '**/server/error-codes.ts',
  '**/server/durations.ts',
];

/** Links for sockets and streams, which no page uses; the package does not say that its modules do nothing by being loaded. */
const TREE_SHAKING = {
  moduleSideEffects: [{ test: /node_modules\/@trpc\/(client|server)\//, sideEffects: false }],
};

export default defineConfig(({ command }) => ({
  plugins: [
    tanstackStart({
      srcDirectory: 'app',
      router: {
        routesDirectory: 'routes',
        generatedRouteTree: 'routeTree.gen.ts',
        quoteStyle: 'single',
        semicolons: true,
        // A page's skeleton comes with the page: left in the first chunk, it brings half of every screen along.
        codeSplittingOptions: {
          defaultBehavior: [['component', 'pendingComponent'], ['errorComponent'], ['notFoundComponent']],
        },
      },
      importProtection: {
        behavior: 'error',
        client: { files: serverOnly, excludeFiles: clientSafeLeaves },
        server: { files: serverOnly, excludeFiles: clientSafeLeaves },
      },
    }),
    babel({ presets: [linguiTransformerBabelPreset()] }),
    react(),
    inlineTexts(),
    themeStyles(theme),
    dropUnusedStyles(import.meta.dirname),
    dropDefaultColors(),
    dropSchemaWords(),
    withoutServerFunctions(),
    lazyPartNeeds(import.meta.dirname),
  ],
  // The shim is for versions of React that had no such hook.
  resolve: { alias: [{ find: /^use-sync-external-store\/shim$/, replacement: 'react' }] },
  publicDir: 'app/public',
  // Vite answers OPTIONS itself in development unless CORS handling is off; the API must see them.
  server: { cors: false },
  build: { target: 'es2023', reportCompressedSize: false },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: { codeSplitting: clientChunks(), chunkFileNames: nameScript, assetFileNames: nameAsset },
          treeshake: TREE_SHAKING,
        },
      },
    },
    ssr: {
      // What pages are rendered with is bundled, without what no page uses: left in node_modules, the first page loads 2,000
      // files. Development loads them as they are: Vite does not run CommonJS.
      resolve: command === 'build' ? { noExternal: true } : { external: ['better-sqlite3'] },
      // In one file: parts that a page loads when it is asked for are gone while an upgrade replaces them under a running program.
      build: { rolldownOptions: { output: { codeSplitting: false } } },
    },
  },
}));
