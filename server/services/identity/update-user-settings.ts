import type { z } from 'zod';
import { inTransaction } from '#db/transaction.ts';
import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { findUser, toUser } from './queries.ts';
import { type User, updateUserSettingsInput } from './schema.ts';

/** Stores the person's language and returns the person as saved. */
export async function updateUserSettings(
  context: RequestContext,
  input: z.input<typeof updateUserSettingsInput>,
): Promise<User> {
  const person = requirePerson(context);
  const { language_preference } = updateUserSettingsInput.parse(input);
  return inTransaction(context.app.db, async (trx) => {
    const before = await findUser(trx, person.userId);
    if (!before) throw new AppError('unauthenticated');
    const updated = { language_preference, updated_at: context.app.clock.now() };
    await trx.updateTable('users').set(updated).where('id', '=', person.userId).execute();
    await recordAudit(trx, context, {
      action: 'user.settings',
      resource_type: 'user',
      resource_id: person.userId,
      organization_id: null,
      before: { language_preference: before.language_preference },
      after: { language_preference },
    });
    return toUser({ ...before, ...updated });
  });
}
