import { randomInt } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { ChallengeUpdates } from '../dns-client/dns-lookup.ts';
import { AppError } from '../errors.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { exchangeMessage } from './exchange-message.ts';
import { parseUpdateUrl, type UpdateTarget } from './parse-update-url.ts';
import { isSignedAnswer, signMessage } from './tsig.ts';
import { buildUpdate, readUpdateAnswer, type UpdateAnswer } from './update-message.ts';

/**
 * Thrown when the operator's name server did not accept a record; its message is one sentence for the log.
 */
class DnsUpdateError extends Error {
  override name = 'DnsUpdateError';
}

const TIMEOUT_MS = 5_000;
const TSIG_ERROR = { badSignature: 16, badKey: 17, badTime: 18 } as const;

/** What the codes of RFC 2136 mean for the person who set up the name server. */
const REASONS: Readonly<Record<number, string>> = {
  1: 'it cannot read updates (FORMERR)',
  2: 'it failed (SERVFAIL)',
  4: 'it does not accept updates (NOTIMP)',
  5: 'it refuses this change; allow the key to update the zone (REFUSED)',
  9: 'it is not authoritative for the zone, or does not accept the key (NOTAUTH)',
  10: 'the name is not in the zone (NOTZONE)',
};

/**
 * Returns a publisher of challenge records at the operator's own name server: RFC 2136 over TCP, signed with
 * TSIG (hmac-sha256). Only an answer signed with the same key counts.
 * @param url DNS_UPDATE_URL, `dns://keyname:base64secret@host:port`
 * @param zone the zone of that server that holds the names, ACME_ZONE
 * @throws ConfigError naming DNS_UPDATE_URL when the address cannot be used; `put` throws DnsUpdateError
 */
export function createDnsUpdates(
  url: string,
  zone: string,
  { clock, outgoing, timeoutMs = TIMEOUT_MS }: { clock: Clock; outgoing: Outgoing; timeoutMs?: number },
): ChallengeUpdates {
  const target = parseUpdateUrl(url);
  const circuit = outgoing.circuit('updates', () => true);
  return {
    async put(dnsChallengeId, values) {
      const id = randomInt(65_536);
      const update = buildUpdate(id, zone, `${dnsChallengeId}.${zone}`, values);
      const signed = signMessage(update, target, toSeconds(clock.now()));
      const exchange = () => exchangeMessage(target, signed.message, timeoutMs);
      const bytes = await circuit.run(exchange).catch((error: unknown) => {
        throw failed(target, reasonOf(error), error);
      });
      const reason = refusalOf(target, bytes, { id, mac: signed.mac }, toSeconds(clock.now()));
      if (reason !== null) throw failed(target, reason);
    },
  };
}

/** Returns why an answer does not prove that the records are in place; null when it does. */
function refusalOf(
  target: UpdateTarget,
  bytes: Buffer,
  request: { id: number; mac: Buffer },
  nowSeconds: number,
): string | null {
  let answer: UpdateAnswer;
  try {
    answer = readUpdateAnswer(bytes);
  } catch {
    return 'its answer cannot be read';
  }
  if (answer.id !== request.id) return 'its answer belongs to another question';
  const { signature, rcode } = answer;
  if (signature?.error === TSIG_ERROR.badKey)
    return `it does not know the key ${target.keyName}, or does not allow it to update the zone (BADKEY)`;
  if (signature?.error === TSIG_ERROR.badSignature) return 'it has a different secret for the key (BADSIG)';
  if (signature?.error === TSIG_ERROR.badTime)
    return 'its clock and ours differ by several minutes (BADTIME)';
  // An unsigned refusal is reported as received; an unsigned success proves nothing.
  if (rcode !== 0) return REASONS[rcode] ?? `it answered with code ${rcode}`;
  if (signature === null) return 'its answer is not signed';
  return isSignedAnswer(bytes, signature, { key: target, requestMac: request.mac, nowSeconds })
    ? null
    : 'the signature of its answer is wrong';
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return 'it has not answered recently';
  return error instanceof Error ? error.message : 'it cannot be reached';
}

function failed({ host, port }: UpdateTarget, reason: string, cause?: unknown): DnsUpdateError {
  const server = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new DnsUpdateError(`The name server ${server} did not accept the challenge records: ${reason}.`, {
    cause,
  });
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
