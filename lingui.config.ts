import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';

/**
 * Catalogs live in locales/{locale}.po. There is no fallback locale on purpose: with one, a missing French
 * message would pass silently; without one, the build and `npm run verify` fail.
 */
export default defineConfig({
  sourceLocale: 'en-CA',
  locales: ['en-CA', 'fr-CA'],
  catalogs: [{ path: '<rootDir>/locales/{locale}', include: ['app'], exclude: ['**/*.test.*'] }],
  format: formatter({ lineNumbers: false }),
});
