import { isIP } from 'node:net';
import type { Selectable } from 'kysely';
import type { Executor } from '#db/client.ts';
import type { IdentityPasskeysTable } from '#db/schema/identity-passkeys.ts';
import type { App } from '#server/context.ts';
import { HOUR_MS } from '#server/durations.ts';
import { AppError } from '#server/errors.ts';
import { toInstant } from '../../shared/schema.ts';
import type { Passkey } from '../schema.ts';

/** Enough for every device of a person. */
export const PASSKEYS_MAX = 10;
/**
 * As long as an interaction of the identity service: a browser suggests passkeys for as long as its page is
 * open.
 */
const CHALLENGE_MS = HOUR_MS;

/** The COSE numbers of Ed25519, ES256 and RS256; others are experimental in Node. */
export const PASSKEY_ALGORITHMS = [-8, -7, -257];

export type PasskeyRow = Selectable<IdentityPasskeysTable>;

/** Returns an account's passkeys, oldest first. */
export function findPasskeys(executor: Executor, account: number): Promise<PasskeyRow[]> {
  return executor
    .selectFrom('identity_passkeys')
    .selectAll()
    .where('account_number', '=', account)
    .orderBy('created_at')
    .orderBy('credential_id')
    .execute();
}

/** Returns the row as it goes over the wire. */
export function toPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.credential_id,
    name: row.name,
    created_at: toInstant(row.created_at),
    last_used_at: toInstant(row.last_used_at),
  };
}

/**
 * The party that requests passkeys (WebAuthn's relying party): they belong to this hostname.
 * @throws passkeys_impossible
 */
export function relyingPartyOf({ publicUrl }: App['config']): { id: string; origin: string } {
  const { origin, hostname, protocol } = new URL(publicUrl);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  const isSecure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  if (isAddress || !isSecure) throw new AppError('passkeys_impossible');
  return { id: hostname, origin };
}

/** Whether browsers allow passkeys at this installation's address. */
export function canUsePasskeys(config: App['config']): boolean {
  try {
    relyingPartyOf(config);
    return true;
  } catch {
    return false;
  }
}

/** Returns a stateless challenge: it contains, sealed, its purpose and expiry. */
export function newChallenge({ sealer, clock }: App, purpose: string): string {
  return sealer.seal(String(clock.now() + CHALLENGE_MS), placeOf(purpose));
}

/**
 * Whether a challenge, in base64url as browsers return it, was created here for this purpose and has not
 * expired.
 */
export function isOurChallenge({ sealer, clock }: App, purpose: string, challenge: string): boolean {
  try {
    const sealed = Buffer.from(challenge, 'base64url').toString();
    return Number(sealer.open(sealed, placeOf(purpose))) > clock.now();
  } catch {
    return false;
  }
}

/** The purpose of a challenge for another passkey of an account. */
export function additionTo(account: number): string {
  return `addition to ${account}`;
}

/** The purpose of a challenge for a sign-in, which is one interaction of the identity service. */
export function signInOf(interaction: string): string {
  return `sign-in ${interaction}`;
}

function placeOf(purpose: string): string {
  return `passkey challenge: ${purpose}`;
}
