import type { Plugin } from 'vite';

/**
 * Leaves Mantine's own colours out of the scripts: the theme has the ones that pages use (app/theme/theme.ts), and the others would
 * be 1 KB of every first page. Their variables stay in the styles.
 */
export function dropDefaultColors(): Plugin {
  return {
    name: 'portage:drop-default-colors',
    apply: 'build',
    load: {
      filter: { id: /@mantine\/core\/esm\/core\/MantineProvider\/default-colors\.mjs$/ },
      handler: () => 'export const DEFAULT_COLORS = {};',
    },
  };
}
