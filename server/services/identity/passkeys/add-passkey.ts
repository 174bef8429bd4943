import type { z } from 'zod';
import { isUniqueViolation } from '#db/unique-violation.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { requireOwnAccount } from '../accounts/require-own-account.ts';
import { addPasskeyInput, type Passkey } from '../schema.ts';
import { recordSecondFactor } from '../second-factor/second-factor.ts';
import {
  additionTo,
  findPasskeys,
  isOurChallenge,
  PASSKEY_ALGORITHMS,
  PASSKEYS_MAX,
  type PasskeyRow,
  relyingPartyOf,
  toPasskey,
} from './passkeys.ts';

/**
 * Adds a passkey that was started within the last hour: from now on it can be used to sign in.
 * @throws passkey_refused, passkey_known, passkey_limit, passkeys_impossible, unauthenticated, not_found
 */
export async function addPasskey(
  context: RequestContext,
  input: z.input<typeof addPasskeyInput>,
): Promise<Passkey> {
  const { app } = context;
  const { name, answer: response } = addPasskeyInput.parse(input);
  const account = await requireOwnAccount(context);
  const credential = await readNewCredential(context, account.number, response).catch((error: unknown) => {
    throw error instanceof AppError ? error : new AppError('passkey_refused');
  });
  const row: PasskeyRow = {
    credential_id: credential.id,
    account_number: account.number,
    name,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: (response.response.transports ?? []).join(' '),
    created_at: app.clock.now(),
    last_used_at: null,
  };
  try {
    await inUnitOfWork(context, async (unit) => {
      const { trx, now } = unit;
      // Concurrent additions wait for each other here, so that no account exceeds the limit.
      await trx
        .updateTable('identity_accounts')
        .set({ updated_at: now })
        .where('number', '=', account.number)
        .execute();
      const { length } = await findPasskeys(trx, account.number);
      if (length >= PASSKEYS_MAX) throw new AppError('passkey_limit', { max: PASSKEYS_MAX });
      await trx.insertInto('identity_passkeys').values(row).execute();
      await recordSecondFactor(unit, app, account, 'passkey_added');
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new AppError('passkey_known') : error;
  }
  return toPasskey(row);
}

async function readNewCredential(
  { app }: RequestContext,
  account: number,
  response: z.output<typeof addPasskeyInput>['answer'],
) {
  const party = relyingPartyOf(app.config);
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const statement = decodeAttestationObject(Buffer.from(response.response.attestationObject, 'base64url'));
  // We request no attestation. Passkeys with one are refused unread: verifying it would call addresses that
  // its certificate names.
  const isPlain = statement.get('fmt') === 'none';
  const isSelfSigned = statement.get('fmt') === 'packed' && statement.get('attStmt').get('x5c') === undefined;
  if (!isPlain && !isSelfSigned) throw new AppError('passkey_refused');
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, clientExtensionResults: {} },
    expectedChallenge: (challenge) => isOurChallenge(app, additionTo(account), challenge),
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: PASSKEY_ALGORITHMS,
  });
  if (!registrationInfo) throw new AppError('passkey_refused');
  return registrationInfo.credential;
}
