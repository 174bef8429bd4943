import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addressKey } from '#server/limits/rate-limits.ts';
import { requireUsableAccount } from '../accounts/require-usable-account.ts';
import { findAccountBySubject } from '../queries.ts';
import { type passkeyOptionsSchema, passkeySignInInput } from '../schema.ts';
import { isOurChallenge, newChallenge, type PasskeyRow, relyingPartyOf, signInOf } from './passkeys.ts';

/**
 * Returns the options with which the browser uses any passkey of this installation for one sign-in.
 * @throws passkeys_impossible
 */
export async function beginPasskeySignIn(
  { app }: RequestContext,
  interaction: string,
): Promise<z.infer<typeof passkeyOptionsSchema>> {
  const party = relyingPartyOf(app.config);
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    challenge: newChallenge(app, signInOf(interaction)),
    userVerification: 'required',
  });
  return { options: { ...options } };
}

/**
 * Returns the subject of the account that the passkey belongs to. It replaces the password and the second
 * step, because the authenticator has verified its user.
 * @throws passkey_refused, passkeys_impossible, too_many_requests; account_blocked and account_unverified for
 * a valid one
 */
export async function signInWithPasskey(
  context: RequestContext,
  interaction: string,
  input: z.input<typeof passkeySignInInput>,
): Promise<{ subject: string }> {
  const { app } = context;
  const { answer: response } = passkeySignInInput.parse(input);
  await app.rateLimits.consume('sign_in_address', addressKey(context.address));
  const row = await app.db
    .selectFrom('identity_passkeys')
    .selectAll()
    .where('credential_id', '=', response.id)
    .executeTakeFirst();
  if (!row) throw new AppError('passkey_refused');
  const counter = await readCounter(context, interaction, row, response).catch((error: unknown) => {
    throw error instanceof AppError ? error : new AppError('passkey_refused');
  });
  const subject = String(row.account_number);
  const account = await findAccountBySubject(app.db, subject);
  if (!account) throw new AppError('passkey_refused');
  await requireUsableAccount(app, account);
  const { numUpdatedRows } = await app.db
    .updateTable('identity_passkeys')
    .set({ counter, last_used_at: app.clock.now() })
    .where('credential_id', '=', row.credential_id)
    .where('counter', '=', row.counter)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new AppError('passkey_refused');
  return { subject };
}

/**
 * Returns the passkey's use counter.
 * @throws when the passkey is not valid, or a copy of it was used since
 */
async function readCounter(
  { app }: RequestContext,
  interaction: string,
  row: PasskeyRow,
  answer: z.output<typeof passkeySignInInput>['answer'],
): Promise<number> {
  const party = relyingPartyOf(app.config);
  const { userHandle, ...response } = answer.response;
  const holder = userHandle ? Buffer.from(userHandle, 'base64url').toString() : null;
  if (holder !== null && holder !== String(row.account_number)) throw new AppError('passkey_refused');
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...answer, response, clientExtensionResults: {} },
    expectedChallenge: (challenge) => isOurChallenge(app, signInOf(interaction), challenge),
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: {
      id: row.credential_id,
      publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
      counter: row.counter,
    },
    requireUserVerification: true,
  });
  if (!verified) throw new AppError('passkey_refused');
  return authenticationInfo.newCounter;
}
