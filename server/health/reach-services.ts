import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { DnsLookup } from '../dns-client/dns-lookup.ts';

/**
 * An OpenID provider that has not returned its document by then, or a mail server that has not greeted,
 * counts as not responding.
 */
const WITHIN_MS = 3_000;

/**
 * Reads an OpenID provider's document, as every sign-in must.
 * @throws when it does not respond or has none
 */
export async function reachIssuer(issuer: string): Promise<void> {
  const response = await fetch(`${issuer}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the issuer answers ${response.status}`);
}

/** Waits for a mail server's greeting, then hangs up. @throws when there is none, or it is a refusal */
export function reachMailServer(mailUrl: string): Promise<void> {
  const { protocol, hostname, port } = new URL(mailUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isSecure = protocol === 'smtps:';
  const place = { host, port: port === '' ? (isSecure ? 465 : 587) : Number(port) };
  return new Promise((resolve, reject) => {
    const socket: Socket = isSecure ? connectSecure({ ...place, servername: host }) : connectPlain(place);
    const end = (error: Error | null) => {
      clearTimeout(deadline);
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    const deadline = setTimeout(() => end(new Error('the mail server does not send a greeting')), WITHIN_MS);
    socket.on('error', end);
    socket.on('close', () => end(new Error('the mail server closed the connection')));
    socket.once('data', (chunk) => {
      const isWelcome = chunk.toString('latin1').startsWith('220');
      end(isWelcome ? null : new Error('the mail server refuses the connection'));
    });
  });
}

/**
 * Looks up a zone of ours in the public DNS. It is not found if its delegation is missing, or if the name
 * server behind it cannot be reached.
 * @throws when it is not found
 */
export async function reachZone(lookup: DnsLookup, zone: string): Promise<void> {
  const { kind } = await lookup.soa(zone);
  if (kind !== 'found') throw new Error(`the public DNS does not find ${zone}`);
}
