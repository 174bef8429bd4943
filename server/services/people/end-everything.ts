import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { endAccountSessions } from '../identity/accounts/end-account-sessions.ts';
import type { PersonRow } from './queries.ts';

/**
 * Signs a person out of the console in every browser and, for a local account, out of the identity service
 * and every program that signs in with it. Returns how many sessions of the console ended.
 */
export async function endEverything(trx: Trx, { sealer }: App, person: PersonRow): Promise<number> {
  const { user_id, subject } = person;
  if (subject !== null) await endAccountSessions(trx, { sealer, subject, except: null });
  if (user_id === null) return 0;
  // An external issuer's grants would allow reading memberships without the person.
  await trx.deleteFrom('sign_in_grants').where('user_id', '=', user_id).execute();
  const ended = await trx.deleteFrom('sessions').where('user_id', '=', user_id).executeTakeFirst();
  return Number(ended.numDeletedRows);
}
