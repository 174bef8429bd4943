import type { Trx } from '#db/client.ts';
import type { Sealer } from '#server/secrets/sealer.ts';
import { identityAccountKey } from './identity-account-key.ts';

/**
 * Ends everything that an account holds at the embedded identity service when its password is no longer
 * valid: every browser's session except the one named in `except`, sign-ins in progress, and grants to other
 * programs.
 */
export async function endAccountSessions(
  trx: Trx,
  { sealer, subject, except }: { sealer: Sealer; subject: string; except: string | null },
): Promise<void> {
  let ended = trx
    .deleteFrom('identity_payloads')
    .where('account_key', '=', identityAccountKey(sealer, subject));
  if (except !== null) {
    ended = ended.where((eb) => eb.or([eb('model', '!=', 'Session'), eb('uid', '!=', except)]));
  }
  await ended.execute();
}
