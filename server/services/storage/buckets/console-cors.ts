import type { CorsRule } from '#server/s3/ports.ts';
import { CONSOLE_CORS_EXPOSED, CONSOLE_CORS_MAX_AGE_SECONDS, CONSOLE_CORS_METHODS } from '../rules.ts';

/**
 * Returns the rules for the console's switch and its list of origins. Switched on without an origin, it
 * allows no one yet.
 */
export function consoleCorsRules(isEnabled: boolean, origins: readonly string[]): CorsRule[] {
  if (!isEnabled) return [];
  return [
    {
      id: 'console',
      allowedOrigins: [...new Set(origins.map((origin) => origin.trim()))],
      allowedMethods: [...CONSOLE_CORS_METHODS],
      allowedHeaders: ['*'],
      exposeHeaders: [...CONSOLE_CORS_EXPOSED],
      maxAgeSeconds: CONSOLE_CORS_MAX_AGE_SECONDS,
    },
  ];
}
