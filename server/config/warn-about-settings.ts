import { getDomain } from 'tldts';
import type { Logger } from '../logging/logger.ts';
import type { Config } from './config.ts';
import { findUnknownSettings } from './unknown-settings.ts';

/** Warns at the start about settings that do not prevent it but are probably a mistake. */
export function warnAboutSettings(
  config: Config,
  logger: Logger,
  environment: Record<string, string | undefined>,
): void {
  for (const { name, closest } of findUnknownSettings(environment)) {
    logger.warn({ name }, `${name} is not a setting and has no effect. The closest one is ${closest}.`);
  }
  const isMixed = config.publicUrl.startsWith('https:') && config.s3Url.startsWith('http:');
  if (isMixed && config.roles.has('console') && config.defaultFeatures.includes('object_storage')) {
    logger.warn(
      'S3_URL is http while PUBLIC_URL is https: browsers refuse uploads to buckets and previews of objects.',
    );
  }
  if (config.roles.has('dns') && config.edgeAddresses.length === 0 && isPublic(config.cnameDomain)) {
    logger.warn('EDGE_ADDRESSES is empty: the name server resolves the names below CNAME_DOMAIN to nothing.');
  }
  for (const name of config.roles.has('console') ? findSharedDomains(config) : []) {
    logger.warn(
      { name },
      `${name} has the registrable domain of PUBLIC_URL: pages of customers can set cookies for the console.`,
    );
  }
}

/** Whether a name is one that others look up; names below `.localhost` lead to the machine that asks. */
function isPublic(hostname: string): boolean {
  return !hostname.endsWith('.localhost');
}

/** Returns the settings whose domain has customers' pages that browsers count to the site of the console. */
export function findSharedDomains({
  publicUrl,
  sitesDomain,
  s3Domain,
}: Pick<Config, 'publicUrl' | 'sitesDomain' | 's3Domain'>): string[] {
  const siteOf = (hostname: string) => getDomain(hostname, { allowPrivateDomains: true });
  const ours = siteOf(new URL(publicUrl).hostname);
  const domains = { SITES_DOMAIN: sitesDomain, S3_DOMAIN: s3Domain };
  if (ours === null) return [];
  return Object.entries(domains).flatMap(([name, domain]) => (siteOf(domain) === ours ? [name] : []));
}
