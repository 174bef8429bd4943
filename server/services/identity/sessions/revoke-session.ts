import type { z } from 'zod';
import { type RequestContext, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { inUnitOfWork } from '../../shared/unit-of-work.ts';
import { endIdentitySessions } from '../queries.ts';
import { revokeSessionInput } from '../schema.ts';

/**
 * Ends one of the signed-in person's sessions immediately, including the current one (which signs out). The
 * embedded identity service ends the session of the same browser, so that it cannot sign in again without the password.
 * @throws session_not_found for anything that is not the person's own active session
 */
export async function revokeSession(
  context: RequestContext,
  input: z.input<typeof revokeSessionInput>,
): Promise<void> {
  const person = requirePerson(context);
  const { session_id } = revokeSessionInput.parse(input);
  await inUnitOfWork(context, async ({ trx, audit }) => {
    const ended = await trx
      .deleteFrom('sessions')
      .where('id', '=', session_id)
      .where('user_id', '=', person.userId)
      .returning(['identity_session', 'address', 'user_agent'])
      .executeTakeFirst();
    if (!ended) throw new AppError('session_not_found');
    await endIdentitySessions(trx, [ended.identity_session]);
    await audit({
      action: session_id === person.sessionId ? 'user.sign_out' : 'session.revoke',
      resource_type: 'session',
      resource_id: session_id,
      organization_id: null,
      before: { address: ended.address, user_agent: ended.user_agent },
    });
  });
}
