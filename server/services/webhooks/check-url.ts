import type { Config } from '#server/config/config.ts';
import { AppError } from '#server/errors.ts';
import { mayReach } from '#server/webhook-client/may-reach.ts';

/**
 * Returns an address in its stored form: without parts that only browsers see, and never one that visibly
 * leads into a network of the installation. What its name resolves to is checked for each delivery.
 * @throws webhook_url_refused
 */
export function checkUrl(config: Pick<Config, 'webhookNetworks'>, text: string): string {
  const url = new URL(text);
  url.hash = '';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'https:' || config.webhookNetworks.length > 0;
  const hasName = url.username === '' && url.password === '';
  if (!isSecure || !hasName || mayReach(config, host) === false) throw new AppError('webhook_url_refused');
  return url.href;
}
