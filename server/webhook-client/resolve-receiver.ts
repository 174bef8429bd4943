import { isIP } from 'node:net';
import type { App } from '#server/context.ts';
import type { DeliveryProblem } from '../services/webhooks/rules.ts';
import { mayReach } from './may-reach.ts';

/**
 * Returns the addresses behind the host of a webhook that events may be sent to, or why there are none.
 * Resolved with our own resolvers, whose timeouts delay nothing else, and used for this one connection: the
 * name cannot be changed to lead elsewhere in between.
 */
export async function resolveReceiver(
  app: Pick<App, 'config' | 'lookup'>,
  host: string,
): Promise<{ addresses: string[] } | { problem: DeliveryProblem }> {
  const known = mayReach(app.config, host);
  if (known === false) return { problem: 'address_refused' };
  if (known) return { addresses: isIP(host) ? [host] : ['127.0.0.1'] };
  const responses = await Promise.all([app.lookup.ipv4(host), app.lookup.ipv6(host)]);
  const found = responses.flatMap((response) => (response.kind === 'found' ? [...response.records] : []));
  if (found.length === 0) return { problem: 'name_unknown' };
  const addresses = found.filter((address) => mayReach(app.config, address));
  // A name that also leads to an internal address is an attempt to get there.
  return addresses.length === found.length ? { addresses } : { problem: 'address_refused' };
}
