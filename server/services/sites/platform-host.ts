import type { Config } from '#server/config/config.ts';

/** Returns the host name the platform gives to a site, or to a preview label of it. */
export function platformHost(config: Pick<Config, 'sitesDomain'>, label: string): string {
  return `${label}.${config.sitesDomain}`;
}
