import { getPublicSuffix } from 'tldts';
import type { Config } from '#server/config/config.ts';
import { AppError } from '#server/errors.ts';
import { isLocalName } from '../certificates/rules.ts';
import { HOSTNAME_PROBLEMS, type HostnameProblem, readClaimedHostname } from './hostname-rules.ts';

type Domains = Pick<
  Config,
  'sitesDomain' | 'cnameDomain' | 'acmeZone' | 's3Domain' | 's3Url' | 'publicUrl' | 'dnsNameServers' | 'acme'
>;

/**
 * Returns the normalized form of a hostname for a customer's endpoint.
 * @throws hostname_invalid with the `problem` as a code and the `reason` as text; hostname_reserved for names
 * of this installation
 */
export function requireHostname(config: Domains, typed: string): string {
  const { hostname, problem } = readClaimedHostname(typed);
  if (problem) throw invalidHostname(typed.trim(), problem);
  if (isReservedHostname(config, hostname)) throw new AppError('hostname_reserved', { hostname });
  if (getPublicSuffix(hostname) === hostname) throw invalidHostname(hostname, 'public_suffix');
  // Only the authority of this installation issues for names of this machine; asking another would count
  // towards its limits.
  if (config.acme && isLocalName(hostname)) throw invalidHostname(hostname, 'special_use');
  return hostname;
}

/**
 * Whether a hostname belongs to this installation, or is below a domain in which it creates its own names.
 */
function isReservedHostname(config: Domains, hostname: string): boolean {
  const addresses = [config.publicUrl, config.s3Url].map((address) => new URL(address).hostname);
  const single = ['localhost', ...addresses, ...config.dnsNameServers];
  const domains = [config.sitesDomain, config.cnameDomain, config.acmeZone, config.s3Domain];
  return (
    single.some((name) => hostname === withoutPort(name)) ||
    domains.some((name) => `.${hostname}`.endsWith(`.${withoutPort(name)}`))
  );
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}

function invalidHostname(hostname: string, problem: HostnameProblem): AppError {
  return new AppError('hostname_invalid', { hostname, problem, reason: HOSTNAME_PROBLEMS[problem] });
}
