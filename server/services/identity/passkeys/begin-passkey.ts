import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requireOwner } from '../accounts/require-owner.ts';
import { requireProvenAddress } from '../accounts/require-usable-account.ts';
import type { passkeyOptionsSchema, showOwnerInput } from '../schema.ts';
import {
  additionTo,
  findPasskeys,
  newChallenge,
  PASSKEY_ALGORITHMS,
  PASSKEYS_MAX,
  relyingPartyOf,
} from './passkeys.ts';

/**
 * Returns the options with which the browser creates a passkey for the signed-in person; nothing changes
 * until it is added. The authenticator must verify its user, because the passkey replaces the password and
 * the code.
 * @throws as {@link requireOwner}; passkey_limit, passkeys_impossible, account_unverified
 */
export async function beginPasskey(
  context: RequestContext,
  input: z.input<typeof showOwnerInput>,
): Promise<z.infer<typeof passkeyOptionsSchema>> {
  const { app } = context;
  const party = relyingPartyOf(app.config);
  const account = await requireOwner(context, input);
  await requireProvenAddress(app, account);
  const known = await findPasskeys(app.db, account.number);
  if (known.length >= PASSKEYS_MAX) throw new AppError('passkey_limit', { max: PASSKEYS_MAX });
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const options = await generateRegistrationOptions({
    rpName: app.config.productName,
    rpID: party.id,
    userName: account.email,
    userDisplayName: account.full_name,
    userID: new TextEncoder().encode(String(account.number)),
    challenge: newChallenge(app, additionTo(account.number)),
    attestationType: 'none',
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: known.map(({ credential_id }) => ({ id: credential_id })),
  });
  return { options: { ...options } };
}
