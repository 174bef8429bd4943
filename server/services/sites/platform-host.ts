import type { Config } from '#server/config/config.ts';

/** Returns the platform hostname of a site, or of a preview label of it. */
export function platformHost(config: Pick<Config, 'sitesDomain'>, label: string): string {
  return `${label}.${config.sitesDomain}`;
}

type OwnNames = Pick<
  Config,
  'publicUrl' | 's3Url' | 's3Domain' | 'cnameDomain' | 'acmeZone' | 'dnsNameServers'
>;

/**
 * Whether a hostname is one of this installation's own services, or above one: a site there would be taken for the service, and share the
 * console's cookies, which are not bound to a port.
 */
export function isHostOfService(config: OwnNames, host: string): boolean {
  const { publicUrl, s3Url, s3Domain, cnameDomain, acmeZone, dnsNameServers } = config;
  const addresses = [publicUrl, s3Url].map((address) => new URL(address).hostname);
  const names = [...addresses, s3Domain, cnameDomain, acmeZone, ...dnsNameServers].map(withoutPort);
  return names.some((name) => `.${name}`.endsWith(`.${withoutPort(host)}`));
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}
