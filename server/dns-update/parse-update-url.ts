import { ConfigError } from '../config/config.ts';

/** Where challenge records are sent, and the key that signs them. */
export interface UpdateTarget {
  host: string;
  port: number;
  /** In lower case, without a final dot. */
  keyName: string;
  secret: Buffer;
}

const FORM = /^dns:\/\/([^:@/]+):([^@]+)@(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?\/?$/i;
const KEY_NAME = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
const BASE64 = /^[A-Za-z0-9+/]{2,}={0,2}$/;
const DEFAULT_PORT = 53;

/**
 * Parses `dns://keyname:base64secret@host:port`. The secret may contain `/`, `+` and `=` literally or
 * percent-encoded; an IPv6 address is in brackets.
 * @throws ConfigError naming DNS_UPDATE_URL, without the secret
 */
export function parseUpdateUrl(url: string): UpdateTarget {
  const [, key = '', secretPart = '', host = '', port] = FORM.exec(url) ?? [];
  if (host === '') throw wrong('it must look like dns://keyname:base64secret@host:53');
  const keyName = key.toLowerCase().replace(/\.$/, '');
  if (!KEY_NAME.test(keyName)) throw wrong('the name of its key must be a domain name');
  const secret = decodePercent(secretPart);
  if (!BASE64.test(secret)) throw wrong('the secret of its key must be base64');
  const portNumber = port === undefined ? DEFAULT_PORT : Number(port);
  if (portNumber < 1 || portNumber > 65_535) throw wrong('its port must be between 1 and 65535');
  return {
    host: host.replace(/^\[|\]$/g, ''),
    port: portNumber,
    keyName,
    secret: Buffer.from(secret, 'base64'),
  };
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

function wrong(reason: string): ConfigError {
  return new ConfigError(`DNS_UPDATE_URL cannot be used: ${reason}.`);
}
