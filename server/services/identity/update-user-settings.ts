import type { z } from 'zod';
import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../shared/unit-of-work.ts';
import { findUser, toUser } from './queries.ts';
import { type User, updateUserSettingsInput } from './schema.ts';

/** Stores the person's language and returns the person. Storing the same again changes and records nothing. */
export async function updateUserSettings(
  context: RequestContext,
  input: z.input<typeof updateUserSettingsInput>,
): Promise<User> {
  const person = requirePerson(context);
  const { language_preference } = updateUserSettingsInput.parse(input);
  return inUnitOfWork(context, async ({ trx, now, audit }) => {
    const before = await findUser(trx, person.userId);
    if (!before) throw new AppError('unauthenticated');
    if (before.language_preference === language_preference) return toUser(before);
    const updated = { language_preference, updated_at: now };
    await trx.updateTable('users').set(updated).where('id', '=', person.userId).execute();
    await audit({
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
