import type { Config } from '#server/config/config.ts';

/** Returns the platform hostname of a site, or of a preview label of it. */
export function platformHost(config: Pick<Config, 'sitesDomain'>, label: string): string {
  return `${label}.${config.sitesDomain}`;
}
